/* SPDX-License-Identifier: MIT */
/*
 * arcangeli-2001-xchgadd: arcangeli-2001 with an atomic word.
 *
 * Origin.  Andrea Arcangeli, patch 00_rwsem-19 (19 September 2001), the half
 * for machines with an exchanging addition.
 *
 * Idea.  Keep the list and the arithmetic of arcangeli-2001, but add without
 * the lock, and take it only to queue and to grant.  What its author says of
 * it is the whole protocol: whoever takes the lower half from 1 to 0 makes one
 * wake-up.
 *
 * Word.
 *
 *	63                     32 31                0
 *	[ -(writer + waiters)    ][ active lockers   ]
 *
 * As in arcangeli-2001, but a writer counts in the lower half too, and so does,
 * for a moment, everybody who has just arrived.  A reader adds 1 and is in
 * unless the word was negative; a writer adds 1 and a share of the upper half
 * and is in if the word was 0.  To wait is to add what the kind retires: a
 * reader's 1 becomes a share, a writer gives its 1 back.
 *
 * A wake-up takes the retirement of the head back, which is at once the claim
 * and the grant; if the lower half was not 0 it retires the head again, and if
 * that left 0, the duty is its own once more.  The readers behind a reader
 * follow without a claim: while they have shares, no writer comes in.
 *
 * Limits.  Half of the lower half are holders, 2^31 - 1, and the rest is left
 * to threads that have just arrived; 2^31 waiters.  A wait is bounded by the
 * sections of those that queued before, adjacent readers counting as one.
 *
 * Costs.  Two atomic additions a pair without contention.  To let n readers in
 * takes n additions, where howells-2001-xadd has one for the claim and one for
 * all; a single waiter takes one less.
 *
 * Wins.  Against arcangeli-2001 where sections do not meet: half the atomic
 * operations, and readers meet in one instruction, not in a section.
 *
 * Loses.  Against arcangeli-2001 when most block: the word is changed on the
 * way in, to wait, and to be granted.
 *
 * Here.  The addition was i386 assembly; here it is the compiler's.  Otherwise
 * as under howells-2001-spinlock and arcangeli-2001.
 *
 * Repaired.  Kept as variants that the tests must catch:
 *	arcangeli_2001_xchgadd.no_retry	a holder leaves during the claim, the
 *		waker takes its claim back, and nobody sees to the queue
 *	arcangeli_2001_xchgadd.no_undo	a refused claim stays in the word, so
 *		that the waiter counts as active
 */
#include "designs/design.h"
#include "designs/parts/halves.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"
#include "port/port.h"

enum kind { READER, WRITER };

struct sem {
	int64_t count;
	struct rwi_spinlock lock;
	struct rwi_waitlist queue;
};

/* What turns an arrival into a waiter. */
static int64_t retirement(enum kind kind)
{
	return kind == READER ? rwi_halves_share() - 1 : -1;
}

/* ---- The queue, under the lock ---- */

/* Bring a waiter of this kind back from retirement, if nobody is active. */
static bool claim(struct sem *l, enum kind kind)
{
	const int64_t change = retirement(kind);
	int64_t count;

	do {
		/* ORDER hold(2/2): all sections, for those we grant to. */
		count = rwi_fetch_sub_acquire(claim, &l->count, change);
		RWI_STEP("arcangeli_2001_xchgadd/claimed");
		if (!rwi_halves_active(count))
			return true;
		if (RWI_BUG("arcangeli_2001_xchgadd.no_undo"))
			return false;
		count = rwi_fetch_add_relaxed(retire, &l->count, change);
	} while (!rwi_halves_active(count + change) &&
		 !RWI_BUG("arcangeli_2001_xchgadd.no_retry"));
	return false;
}

static void give(struct sem *l, struct rwi_waiter *head)
{
	rwi_waitlist_remove(&l->queue, head);
	rwi_waiter_tell(head);
	RWI_STEP("arcangeli_2001_xchgadd/told");
}

/* The queue is not empty. */
static void grant(struct sem *l)
{
	struct rwi_waiter *head = l->queue.first;
	const enum kind kind = head->kind;

	if (!claim(l, kind))
		return;
	give(l, head);
	if (kind == WRITER)
		return;
	while ((head = l->queue.first) && head->kind == READER) {
		rwi_fetch_sub_relaxed(join, &l->count, retirement(READER));
		give(l, head);
	}
}

/* ---- Slow paths ---- */

static RWI_NOINLINE void wait_as(struct sem *l, enum kind kind)
{
	static const struct rwi_stay for_ever;
	const int64_t change = retirement(kind);
	struct rwi_waiter self = { .kind = kind };
	int64_t count;

	RWI_STEP("arcangeli_2001_xchgadd/arrived");
	rwi_spin_lock(&l->lock);
	rwi_waitlist_append(&l->queue, &self);
	count = rwi_fetch_add_relaxed(retire, &l->count, change) + change;
	if (!rwi_halves_active(count))
		grant(l);
	rwi_spin_unlock(&l->lock);
	RWI_STEP("arcangeli_2001_xchgadd/queued");
	rwi_waiter_sleep(&self, &for_ever);
}

/* The lower half went to 0 while somebody waited. */
static RWI_NOINLINE void wake(struct sem *l)
{
	rwi_spin_lock(&l->lock);
	if (l->queue.first)
		grant(l);
	rwi_spin_unlock(&l->lock);
}

/* ---- Operations ---- */

static inline void up(struct sem *l, int64_t left)
{
	RWI_STEP("arcangeli_2001_xchgadd/released");
	if (rwi_unlikely(left && !rwi_halves_active(left)))
		wake(l);
}

static inline void down_read(void *lock)
{
	struct sem *l = lock;

	/* ORDER hold(2/2): the last writer's section. */
	if (rwi_unlikely(rwi_fetch_add_acquire(down_read, &l->count, 1) < 0))
		wait_as(l, READER);
}

static inline void up_read(void *lock)
{
	struct sem *l = lock;

	/* ORDER hold(1/2): our section comes before the next writer's. */
	up(l, rwi_fetch_sub_release(up_read, &l->count, 1) - 1);
}

static inline void down_write(void *lock)
{
	const int64_t mine = rwi_halves_share() + 1;
	struct sem *l = lock;

	/* ORDER hold(2/2): all sections before. */
	if (rwi_unlikely(rwi_fetch_add_acquire(down_write, &l->count, mine)))
		wait_as(l, WRITER);
}

static inline void up_write(void *lock)
{
	const int64_t mine = rwi_halves_share() + 1;
	struct sem *l = lock;

	/* ORDER hold(1/2): our section, for whoever comes next. */
	up(l, rwi_fetch_sub_release(up_write, &l->count, mine) - mine);
}

RWI_DEFINE_PAIRS(sem, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

/*
 * Arrivals count as active until they have retired; there is as much room for
 * them as for holders.
 */
static uint64_t readers_max(void)
{
	return (UINT64_C(1) << (rwi_tunable(count_bits) - 1)) - 1;
}

const struct rwi_design rwi_design_arcangeli_2001_xchgadd = {
	.name = "arcangeli-2001-xchgadd",
	.summary = "arcangeli-2001 with an atomic word; fair, handed over",
	.origin = "Andrea Arcangeli, patch 00_rwsem-19, September 2001",
	.file = "arcangeli_2001_xchgadd.c",
	.owes = { { "arcangeli-2001", "the list and the arithmetic" } },
	.year = 2001,
	.traits = RWI_FIFO | RWI_BOUNDED | RWI_FOREIGN_UP_READ | RWI_INLINED,
	.lock_size = sizeof(struct sem),
	.lock_align = _Alignof(struct sem),
	.readers_max = readers_max,
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.read_pairs = sem_read_pairs,
	.write_pairs = sem_write_pairs,
};
