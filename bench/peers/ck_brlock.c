/* SPDX-License-Identifier: MIT */
/*
 * Concurrency Kit's big-reader lock: a reader writes to nothing but an object
 * of its own, and a writer looks at all of them.
 *
 * A program registers a thread's object before its first read.  Here a thread
 * is registered by that first read, which finds out that it is the first from
 * the number of the lock that the thread used last.  The lock itself has 16
 * bytes, and 24 for each reader; the rest of ours is for that.
 */
#include "bench/peers/peers.h"

#include <ck_brlock.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_LINES = 128 };

struct reader {
	_Alignas(OWN_LINES) ck_brlock_reader_t ck;
	const void *thread; /* the address of its `latest` */
	struct reader *next;
};

struct brlock {
	ck_brlock_t ck;
	uint64_t number; /* never used again, as the address may be */
	struct reader *readers;
	pthread_mutex_t mutex; /* guards `readers` */
};
_Static_assert(sizeof(struct brlock) <= RWI_LOCK_SIZE_MAX, "fits");

static _Thread_local struct {
	uint64_t lock;
	struct reader *reader;
} latest;

static int init(void *lock)
{
	static uint64_t numbers;
	struct brlock *l = lock;

	ck_brlock_init(&l->ck);
	l->number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	l->readers = NULL;
	return pthread_mutex_init(&l->mutex, NULL);
}

static void destroy(void *lock)
{
	struct brlock *l = lock;
	struct reader *next;

	for (struct reader *r = l->readers; r; r = next) {
		next = r->next;
		free(r);
	}
	pthread_mutex_destroy(&l->mutex);
}

/* ---- Registration ---- */

/*
 * ck_brlock_read_register() waits until all readers have left, and a reader
 * that waited for this one would wait for ever.  But readers have no business
 * with the list: whoever owns `writer` may change it.  That is not waited for
 * if `wait` is false, as a try must not.
 */
static bool list_reader(ck_brlock_t *ck, ck_brlock_reader_t *reader, bool wait)
{
	while (ck_pr_fas_uint(&ck->writer, true)) {
		if (!wait)
			return false;
		ck_pr_stall();
	}
	ck_pr_fence_lock();
	reader->next = ck->readers;
	if (reader->next)
		reader->next->previous = reader;
	ck_pr_store_ptr(&ck->readers, reader);
	ck_brlock_write_unlock(ck);
	return true;
}

static struct reader *new_reader(void)
{
	struct reader *r = aligned_alloc(OWN_LINES, sizeof *r);

	if (!r) {
		fputs("rwsem: ck-brlock: no memory for a reader\n", stderr);
		abort();
	}
	memset(r, 0, sizeof *r);
	r->thread = &latest;
	return r;
}

/*
 * Objects stay until the lock is destroyed.  One that a thread left behind
 * serves the next thread with the same place for its `latest`.
 */
static bool find_or_register(struct brlock *l, bool wait)
{
	struct reader *r;

	pthread_mutex_lock(&l->mutex);
	for (r = l->readers; r && r->thread != &latest; r = r->next)
		;
	pthread_mutex_unlock(&l->mutex);
	if (!r) {
		r = new_reader();
		if (!list_reader(&l->ck, &r->ck, wait)) {
			free(r);
			return false;
		}
		pthread_mutex_lock(&l->mutex);
		r->next = l->readers;
		l->readers = r;
		pthread_mutex_unlock(&l->mutex);
	}
	latest.lock = l->number;
	latest.reader = r;
	return true;
}

static inline ck_brlock_reader_t *my_reader(struct brlock *l)
{
	if (latest.lock != l->number)
		find_or_register(l, true);
	return &latest.reader->ck;
}

/* ---- The operations ---- */

static void down_read(void *lock)
{
	struct brlock *l = lock;

	ck_brlock_read_lock(&l->ck, my_reader(l));
}

static void up_read(void *lock)
{
	ck_brlock_read_unlock(my_reader(lock));
}

static void down_write(void *lock)
{
	struct brlock *l = lock;

	ck_brlock_write_lock(&l->ck);
}

static void up_write(void *lock)
{
	struct brlock *l = lock;

	ck_brlock_write_unlock(&l->ck);
}

/* How often a try looks before it gives up: ck asks for a limit. */
enum { LOOKS = 1 };

static bool down_read_trylock(void *lock)
{
	struct brlock *l = lock;

	if (latest.lock != l->number && !find_or_register(l, false))
		return false;
	return ck_brlock_read_trylock(&l->ck, &latest.reader->ck, LOOKS);
}

static bool down_write_trylock(void *lock)
{
	struct brlock *l = lock;

	return ck_brlock_write_trylock(&l->ck, LOOKS);
}

/* A program has its reader at hand, so it is not looked up in the loop. */
static void read_pairs(void *lock, uint64_t pairs)
{
	struct brlock *l = lock;
	ck_brlock_reader_t *mine = my_reader(l);

	while (pairs--) {
		ck_brlock_read_lock(&l->ck, mine);
		ck_brlock_read_unlock(mine);
	}
}

static void write_pairs(void *lock, uint64_t pairs)
{
	struct brlock *l = lock;

	while (pairs--) {
		ck_brlock_write_lock(&l->ck);
		ck_brlock_write_unlock(&l->ck);
	}
}

const struct rwi_design rwi_peer_ck_brlock = {
	.name = "ck-brlock",
	.summary = "Concurrency Kit's big-reader lock: one object per reader",
	.origin = "Molnar and Miller, Linux (2000); Al Bahra, Concurrency Kit "
		  "(2011)",
	.year = 2000,
	.traits = RWI_NATIVE_ONLY | RWI_RECURSIVE | RWI_STARVES_READERS |
		  RWI_SPINS | RWI_INLINED,
	.lock_size = sizeof(struct brlock),
	.lock_align = _Alignof(struct brlock),
	.init = init,
	.destroy = destroy,
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.down_read_trylock = down_read_trylock,
	.down_write_trylock = down_write_trylock,
	.read_pairs = read_pairs,
	.write_pairs = write_pairs,
};
