/* SPDX-License-Identifier: MIT */
/*
 * lespinasse-2013, lespinasse-2013-readers, lespinasse-2013-fast: a writer
 * steals without the queue's lock.
 *
 * Origin.  Michel Lespinasse, "[PATCH v3 00/14] rwsem fast-path write lock
 * stealing", May 2013, Linux 3.10.  The first design is the series through its
 * patch 11, the second has patch 12 as well, the third is the whole.
 *
 * Idea.  shi-2013 taken to its end, in small steps.  Readers are given the lock
 * and so need not look at anything after they slept (4).  A writer is its own
 * only way into the lock and off the queue (5), tries whenever nobody is
 * active, whoever is at the head (6), by a compare-and-swap that leaves nothing
 * to be undone (7), and takes wait_lock only if that can succeed (8, 9).  Then
 * nothing is gained by keeping newcomers out because somebody waits: the wake
 * learns to live with a writer who comes first (11), and down_write looks at
 * the active part alone (13).
 *
 * Word.
 *
 *	63                       32 31                0
 *	[ -(writer) - (queue)      ][ active lockers   ]
 *
 *	-1 : 0	waiters only: a writer makes it -2 : 1, or -1 : 1 if it was
 *		the only waiter
 *
 * To let readers in, a waker counts the first of them and looks at what it
 * counted it to.  Less than the queue's share alone: a writer stole the lock,
 * and the waker takes its 1 back; if that was the last, the writer has left
 * and woken nobody, and the waker tries again.  Then the others up to the first
 * writer are counted, and told afterwards.
 *
 * A reader that ran into an attempt by a writer, which has gone, used to queue
 * behind readers alone and sleep beside them.  The second design lets it in at
 * once if it is the first in the queue (12).
 *
 * Limits.  2^31 - 1 readers and as many arrivals.  No wait is bounded; queued
 * readers starve as long as writers come.
 *
 * Costs.  A pair is two additions.  The third design takes a lock that has
 * waiters with one.  A queued writer is woken for nothing whenever it was
 * passed.
 *
 * Wins.  Many threads that write for short times: pgbench at 160 MB and 20
 * clients 26940 to 31343 transactions a second, at 7.6 GB and 50 clients 17115
 * to 25925 (quad-core laptop, before to after, in the message).
 *
 * Loses.  Where waits should have an end.  The same table has gains of 19 to
 * 102 % with one or two clients, which a slow path cannot explain.
 *
 * Here.  The slow path is in parts/xadd.c, since all later forms are built on
 * it, with the patches named; what differs is below.  wait_lock's holder can
 * lose its CPU, others then sleep on it; wakers wake with it held, as there.
 * Waits that can be given up came in 2016; timed ones leave the same way.
 *
 * Repaired.  Kept as variants that the tests must catch:
 *	lespinasse_2013.waiting_lost	a steal takes the queue's share off
 *		with others still queued
 *	lespinasse_2013.grant_kept	readers are let in beside the thief
 *	lespinasse_2013.no_second_look	the grant taken back was all that was
 *		active, and nobody wakes
 *	lespinasse_2013.bias_stays	the last waiter gives up and leaves the
 *		queue's share (a vendor's killable 3.10; upstream had to fix its
 *		own in May 2016)
 */
#include "designs/design.h"
#include "designs/parts/xadd.h"

/* Patches 1 to 11. */
static const struct rwi_xadd_form slow = {
	.wait_read = rwi_xadd_wait_read,
	.wait_write = rwi_xadd_wait_write,
	.wake = rwi_xadd_wake,
	.try_write = rwi_xadd_try_free,
};

/* Patch 12. */
static const struct rwi_xadd_form readers = {
	.wait_read = rwi_xadd_wait_read,
	.wait_write = rwi_xadd_wait_write,
	.wake = rwi_xadd_wake,
	.try_write = rwi_xadd_try_free,
	.readers_join = true,
};

/* Patch 13, for both ways to ask for the lock. */
static const struct rwi_xadd_form fast = {
	.wait_read = rwi_xadd_wait_read,
	.wait_write = rwi_xadd_wait_write,
	.wake = rwi_xadd_wake,
	.try_write = rwi_xadd_try_idle,
	.readers_join = true,
	.writers_steal = true,
};

RWI_XADD_DEFINE(slow, slow)
RWI_XADD_DEFINE(readers, readers)
RWI_XADD_DEFINE(fast, fast)

#define LESPINASSE_2013(form)                                                  \
	.origin = "Michel Lespinasse, Linux 3.10, May 2013",                   \
	.file = "lespinasse_2013.c", .year = 2013, .traits = RWI_XADD_TRAITS,  \
	RWI_XADD_OPERATIONS(form, struct rwi_xadd)

const struct rwi_design rwi_design_lespinasse_2013 = {
	.name = "lespinasse-2013",
	.summary = "writers on the slow path steal, whoever heads the queue",
	.owes = { { "shi-2013", "writers that compete for the lock" } },
	LESPINASSE_2013(slow),
};

const struct rwi_design rwi_design_lespinasse_2013_readers = {
	.name = "lespinasse-2013-readers",
	.summary = "and a reader that meets only readers does not sleep",
	.owes = { { "lespinasse-2013", "all but one rule for readers" } },
	LESPINASSE_2013(readers),
};

const struct rwi_design rwi_design_lespinasse_2013_fast = {
	.name = "lespinasse-2013-fast",
	.summary = "and writers steal with one addition, past all waiters",
	.owes = { { "lespinasse-2013-readers", "all but the fast path" } },
	LESPINASSE_2013(fast),
};
