/* SPDX-License-Identifier: MIT */
/*
 * howells-2001-spinlock: one lock around a count and a queue.
 *
 * Origin.  David Howells, Linux 2.4.4-pre6 (April 2001), lib/rwsem-spinlock.c:
 * the form for machines without an atomic addition that returns a value.  It
 * stayed until Linux 5.2.
 *
 * Idea.  Everything happens under one spinlock, so nothing needs to be atomic.
 * Whoever finds anybody waiting waits behind; whoever frees the lock hands it
 * over: the count says that the waiter has the lock before the waiter is
 * woken.  No newcomer can come in between, and a contended operation costs one
 * change of thread.
 *
 * Word.
 *
 *	activity	-1 a writer, 0 free, n readers
 *	wait_lock	the spinlock
 *	queue		waiters on their stacks, the oldest first
 *
 * A free lock has no queue, and a queue that is there begins with a writer
 * unless a writer holds the lock.
 *
 * Limits.  2^31 - 1 readers, any number of waiters.  A wait is bounded by the
 * sections of those that queued before, adjacent readers counting as one.
 *
 * Costs.  Four atomic operations a pair, two of them on a cache line that all
 * threads want; the sections are short.  Wake-ups are sent with the spinlock
 * held, so a release that lets many readers in keeps others out meanwhile.
 *
 * Wins.  Simple enough to be believed.  Strictly fair: neither side starves.
 *
 * Loses.  To every form with a fast path of one atomic operation: in the
 * message of 22 April 2001 (two-way Pentium II, 450 MHz) 13.1 million reads in
 * a test of one reader against 16.9 of howells-2001-xadd, 3.0 against 5.0 with
 * four.  There it beat the other in one test, four writers (1.35 million to
 * 0.82).  Since the lock goes to a sleeper, it is idle until that one runs.
 *
 * Here.  The kernel's spinlock switches off preemption and, as later versions
 * released the semaphore in interrupts, interrupts.  Here its holder can lose
 * the CPU, and others sleep on it then; a signal handler must not use a lock
 * that its thread may be in the middle of.  The tries, the downgrade and the
 * interruptible waits came with later kernels (2.4 to 4.x); the timed waits
 * leave the queue the same way and are ours.
 *
 * Repaired.  Kept as variants that the tests must catch:
 *	howells_2001_spinlock.waiter_read_after_grant	the waker looks at a
 *		waiter that has been granted the lock and whose stack may be
 *		gone (2.4 cleared its flags, then read its task)
 *	howells_2001_spinlock.readers_left_behind	a writer at the head
 *		gives up while readers hold the lock, and the readers behind
 *		it sleep on
 *	howells_2001_spinlock.head_taken_for_writer	and then the last
 *		reader to leave takes the head for a writer, as it had always
 *		been before waiters could leave
 */
#include "designs/design.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"
#include "port/port.h"

#include <errno.h>

enum kind { READER, WRITER };

struct sem {
	int32_t activity;
	struct rwi_spinlock wait_lock;
	struct rwi_waitlist queue;
};

/* ---- Under wait_lock ---- */

static bool take(struct sem *l, enum kind kind)
{
	if (l->queue.first || l->activity < 0)
		return false;
	if (kind == WRITER && l->activity > 0)
		return false;
	l->activity += kind == WRITER ? -1 : 1;
	return true;
}

static void grant_writer(struct sem *l, struct rwi_waiter *head)
{
	l->activity = -1;
	rwi_waitlist_remove(&l->queue, head);
	rwi_waiter_tell(head);
	RWI_STEP("howells_2001_spinlock/writer_told");
}

/* All readers at the head, up to the first writer. */
static void grant_readers(struct sem *l)
{
	struct rwi_waiter *reader = l->queue.first;

	while (reader && reader->kind == READER) {
		struct rwi_waiter *next = reader->next;

		l->activity++;
		rwi_waitlist_remove(&l->queue, reader);
		rwi_waiter_tell(reader);
		RWI_STEP("howells_2001_spinlock/reader_told");
		if (RWI_BUG("howells_2001_spinlock.waiter_read_after_grant"))
			next = reader->next;
		reader = next;
	}
}

/* The lock is free: hand it to the head. */
static void grant(struct sem *l)
{
	struct rwi_waiter *head = l->queue.first;

	if (head && head->kind == WRITER)
		grant_writer(l, head);
	else
		grant_readers(l);
}

/* Does a waiter that leaves forget those behind it? */
static bool forgets(void)
{
	return RWI_BUG("howells_2001_spinlock.readers_left_behind") ||
	       RWI_BUG("howells_2001_spinlock.head_taken_for_writer");
}

/* ---- Waiting ---- */

/* After a wait that failed with `error`: 0 if the lock came all the same. */
static int leave(struct sem *l, struct rwi_waiter *self, int error)
{
	rwi_spin_lock(&l->wait_lock);
	if (self->told) {
		error = 0;
	} else {
		rwi_waitlist_remove(&l->queue, self);
		if (l->activity > 0 && !forgets())
			grant_readers(l);
	}
	rwi_spin_unlock(&l->wait_lock);
	return error;
}

static int down(struct sem *l, enum kind kind, const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .kind = kind };
	bool taken;
	int error;

	rwi_spin_lock(&l->wait_lock);
	taken = take(l, kind);
	if (!taken)
		rwi_waitlist_append(&l->queue, &self);
	rwi_spin_unlock(&l->wait_lock);
	if (taken)
		return 0;
	RWI_STEP("howells_2001_spinlock/queued");
	error = rwi_waiter_sleep(&self, stay);
	if (!error)
		return 0;
	RWI_STEP("howells_2001_spinlock/gave_up");
	return leave(l, &self, error);
}

static const struct rwi_stay for_ever, till_signal = { .interruptible = true };

static int down_until(struct sem *l, enum kind kind, clockid_t clock,
		      const struct timespec *at)
{
	const struct rwi_deadline deadline = { clock, *at };
	const struct rwi_stay stay = { .deadline = &deadline };

	if (!rwi_clock_known(clock) || at->tv_nsec < 0 ||
	    at->tv_nsec > 999999999)
		return EINVAL;
	return down(l, kind, &stay);
}

static bool trylock(struct sem *l, enum kind kind)
{
	bool taken;

	rwi_spin_lock(&l->wait_lock);
	taken = take(l, kind);
	rwi_spin_unlock(&l->wait_lock);
	return taken;
}

/* ---- Operations ---- */

static void down_read(void *lock)
{
	down(lock, READER, &for_ever);
}

static void down_write(void *lock)
{
	down(lock, WRITER, &for_ever);
}

static int down_read_interruptible(void *lock)
{
	return down(lock, READER, &till_signal);
}

static int down_write_interruptible(void *lock)
{
	return down(lock, WRITER, &till_signal);
}

static int down_read_until(void *lock, clockid_t clock,
			   const struct timespec *at)
{
	return down_until(lock, READER, clock, at);
}

static int down_write_until(void *lock, clockid_t clock,
			    const struct timespec *at)
{
	return down_until(lock, WRITER, clock, at);
}

static bool down_read_trylock(void *lock)
{
	return trylock(lock, READER);
}

static bool down_write_trylock(void *lock)
{
	return trylock(lock, WRITER);
}

static void up_read(void *lock)
{
	struct sem *l = lock;

	rwi_spin_lock(&l->wait_lock);
	if (--l->activity == 0 && l->queue.first) {
		if (RWI_BUG("howells_2001_spinlock.head_taken_for_writer"))
			grant_writer(l, l->queue.first);
		else
			grant(l);
	}
	rwi_spin_unlock(&l->wait_lock);
}

static void up_write(void *lock)
{
	struct sem *l = lock;

	rwi_spin_lock(&l->wait_lock);
	l->activity = 0;
	if (l->queue.first)
		grant(l);
	rwi_spin_unlock(&l->wait_lock);
}

static void downgrade_write(void *lock)
{
	struct sem *l = lock;

	rwi_spin_lock(&l->wait_lock);
	l->activity = 1;
	grant_readers(l);
	rwi_spin_unlock(&l->wait_lock);
}

RWI_DEFINE_PAIRS(sem, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_howells_2001_spinlock = {
	.name = "howells-2001-spinlock",
	.summary = "count and queue under one spinlock; fair, handed over",
	.origin = "David Howells, Linux 2.4.4-pre6, April 2001",
	.file = "howells_2001_spinlock.c",
	.year = 2001,
	.traits = RWI_FIFO | RWI_BOUNDED | RWI_FOREIGN_UP_READ,
	.lock_size = sizeof(struct sem),
	.lock_align = _Alignof(struct sem),
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.down_read_trylock = down_read_trylock,
	.down_write_trylock = down_write_trylock,
	.down_read_until = down_read_until,
	.down_write_until = down_write_until,
	.down_read_interruptible = down_read_interruptible,
	.down_write_interruptible = down_write_interruptible,
	.downgrade_write = downgrade_write,
	.read_pairs = sem_read_pairs,
	.write_pairs = sem_write_pairs,
};
