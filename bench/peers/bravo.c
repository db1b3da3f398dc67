/* SPDX-License-Identifier: MIT */
/*
 * BRAVO over pthread_rwlock_t, written from the paper.
 *
 * While a lock is biased, a reader writes its name into one slot of a table
 * that all locks share, and touches nothing of the lock.  A writer takes the
 * lock underneath, ends the bias and waits until no slot names the lock.  Then
 * the bias is forbidden for nine times as long as that took, so that writers
 * lose at most a tenth of their time by it; later the next reader that comes
 * through the lock underneath brings it back.
 *
 * A reader that leaves must know which way it came in.  The table cannot tell,
 * since another thread may have the same slot for the same lock; so each thread
 * remembers the slots that it has filled.
 */
#define _GNU_SOURCE /* clock_gettime, pthread_rwlock_t */

#include "bench/peers/peers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum {
	SLOTS_LOG2 = 12,
	SLOTS = 1 << SLOTS_LOG2,
	INHIBIT_FACTOR = 9, /* N in the paper */
	HELD_MAX = 16       /* by one thread in slots; beyond, underneath */
};

typedef _Atomic(void *) slot_type;

struct bravo {
	pthread_rwlock_t underneath;
	_Atomic uint64_t inhibited_until_ns;
	atomic_bool biased;
};
_Static_assert(sizeof(struct bravo) <= RWI_LOCK_SIZE_MAX, "fits");

static _Alignas(128) slot_type visible_readers[SLOTS];

static _Thread_local struct {
	unsigned count;
	slot_type *slots[HELD_MAX];
} held;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int init(void *lock)
{
	struct bravo *l = lock;

	atomic_init(&l->biased, false);
	atomic_init(&l->inhibited_until_ns, 0);
	return pthread_rwlock_init(&l->underneath, NULL);
}

static void destroy(void *lock)
{
	struct bravo *l = lock;

	pthread_rwlock_destroy(&l->underneath);
}

/* ---- Readers ---- */

/* By the thread and the lock (Knuth's multiplicative hash). */
static inline slot_type *my_slot(const struct bravo *l)
{
	const uint64_t key = (uintptr_t)&held + 3 * (uint64_t)(uintptr_t)l;

	return &visible_readers[key * UINT64_C(0x9e3779b97f4a7c15) >>
				(64 - SLOTS_LOG2)];
}

static inline bool down_read_biased(struct bravo *l)
{
	slot_type *slot = my_slot(l);
	void *empty = NULL;

	if (!atomic_load_explicit(&l->biased, memory_order_relaxed) ||
	    held.count == HELD_MAX ||
	    !atomic_compare_exchange_strong(slot, &empty, l))
		return false;
	/*
	 * Either this sees that a writer ended the bias, or the writer sees
	 * the slot: both store and then load, sequentially consistent.
	 */
	if (atomic_load(&l->biased)) {
		held.slots[held.count++] = slot;
		return true;
	}
	atomic_store_explicit(slot, NULL, memory_order_release);
	return false;
}

/* With the lock underneath held for reading. */
static void restore_bias(struct bravo *l)
{
	if (!atomic_load_explicit(&l->biased, memory_order_relaxed) &&
	    now_ns() >= atomic_load_explicit(&l->inhibited_until_ns,
					     memory_order_relaxed))
		atomic_store(&l->biased, true);
}

static inline void down_read_inlined(struct bravo *l)
{
	if (down_read_biased(l))
		return;
	pthread_rwlock_rdlock(&l->underneath);
	restore_bias(l);
}

static inline void up_read_inlined(struct bravo *l)
{
	for (unsigned i = held.count; i-- > 0;) {
		slot_type *slot = held.slots[i];

		if (atomic_load_explicit(slot, memory_order_relaxed) != l)
			continue;
		atomic_store_explicit(slot, NULL, memory_order_release);
		held.slots[i] = held.slots[--held.count];
		return;
	}
	pthread_rwlock_unlock(&l->underneath);
}

static void down_read(void *lock)
{
	down_read_inlined(lock);
}

static void up_read(void *lock)
{
	up_read_inlined(lock);
}

static bool down_read_trylock(void *lock)
{
	struct bravo *l = lock;

	if (down_read_biased(l))
		return true;
	if (pthread_rwlock_tryrdlock(&l->underneath))
		return false;
	restore_bias(l);
	return true;
}

/* ---- Writers ---- */

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
	__builtin_ia32_pause();
#endif
}

/*
 * End the bias, with the lock underneath held for writing.  If a reader is
 * inside and `wait` is false, the bias is restored and this returns false: the
 * next writer must look for that reader again.
 */
static bool revoke(struct bravo *l, bool wait)
{
	const uint64_t began = now_ns();
	uint64_t ended;

	atomic_store(&l->biased, false);
	for (unsigned i = 0; i < SLOTS; i++)
		while (atomic_load(&visible_readers[i]) == l) {
			if (!wait) {
				atomic_store(&l->biased, true);
				return false;
			}
			relax();
		}
	ended = now_ns();
	atomic_store_explicit(&l->inhibited_until_ns,
			      ended + (ended - began) * INHIBIT_FACTOR,
			      memory_order_relaxed);
	return true;
}

static bool is_biased(struct bravo *l)
{
	return atomic_load_explicit(&l->biased, memory_order_relaxed);
}

static void down_write(void *lock)
{
	struct bravo *l = lock;

	pthread_rwlock_wrlock(&l->underneath);
	if (is_biased(l))
		revoke(l, true);
}

static void up_write(void *lock)
{
	struct bravo *l = lock;

	pthread_rwlock_unlock(&l->underneath);
}

static bool down_write_trylock(void *lock)
{
	struct bravo *l = lock;

	if (pthread_rwlock_trywrlock(&l->underneath))
		return false;
	if (!is_biased(l) || revoke(l, false))
		return true;
	pthread_rwlock_unlock(&l->underneath);
	return false;
}

RWI_DEFINE_PAIRS(bravo, down_read_inlined(lock), up_read_inlined(lock),
		 down_write(lock), up_write(lock))

const struct rwi_design rwi_peer_bravo = {
	.name = "bravo",
	.summary = "BRAVO's table of readers over pthread_rwlock_t",
	.origin = "Dice and Kogan, USENIX ATC 2019; written by this project",
	.year = 2019,
	.traits = RWI_NATIVE_ONLY | RWI_STARVES_WRITERS | RWI_INLINED,
	.lock_size = sizeof(struct bravo),
	.lock_align = _Alignof(struct bravo),
	.init = init,
	.destroy = destroy,
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.down_read_trylock = down_read_trylock,
	.down_write_trylock = down_write_trylock,
	.read_pairs = bravo_read_pairs,
	.write_pairs = bravo_write_pairs,
};
