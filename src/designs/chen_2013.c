/* SPDX-License-Identifier: MIT */
/*
 * chen-2013-preread, chen-2013-spin, chen-2013: look before a locked
 * operation, and spin before sleeping.
 *
 * Origin.  Tim Chen and Alex Shi, "[PATCH 0/2] rwsem: performance enhancements
 * for systems with many cores", 21 June 2013, first version.  The first design
 * is patch 1 alone, the second patch 2 alone, the third is both.
 *
 * Idea.  A compare-and-swap that is bound to fail takes the cache line away
 * from those whose operations would succeed; so the count is read first, in the
 * writer's try, in the wake before it counts a reader, and before a queued
 * writer's attempt.  And a writer whose turn will come soon does better to stay
 * on its CPU, as waiters for a mutex had since 2009: a word names the writer
 * that has the lock, and while that one runs, the first to wait looks on.
 *
 * Word.
 *
 *	63                       32 31                0
 *	[ -(writer) - (queue)      ][ active lockers   ]
 *	owner	the writer inside and its CPU; 0 with readers, with nobody,
 *		and shortly after each writer's arrival
 *
 * A writer queues first, as in lespinasse-2013-fast, and then spins, once: as
 * long as the owner is the same and runs it does nothing else, and then tries
 * for the lock, still in the queue.  There is no order among spinners, they all
 * look at the same two words.  When its time is up it sleeps like any other and
 * spins no more.
 *
 * Limits.  As lespinasse-2013-fast.
 *
 * Costs.  A store to the owner word for each write acquisition and release.
 * The spinner is in the queue, so a release has to take wait_lock and tell
 * somebody, with or without need.
 *
 * Wins.  Short write sections on many CPUs.  The message has AIM7 on 8 sockets
 * and 80 cores, with i_mmap's lock a semaphore: alltests +14.5 %, custom +17,
 * disk +11, high_systime +5, shared +15, short +4, mostly from 500 users on.
 *
 * Loses.  To its own later form, bueso-2014, which spins before it queues.
 * With readers inside nobody is named, so spinning is a guess.
 *
 * Here.  The owner's word has the CPU on which it acquired; if that is ours, it
 * is not running.  For need_resched() stands optimistic_spin_ns, counted from
 * the start.  Nobody spins on one CPU.
 *
 * Repaired.  The owner's word is cleared before the release, not after it,
 * where it could wipe out the next one's.  It is one word, read once, where the
 * original followed a pointer that could have changed (P. Hurley's review).  A
 * spinner in the queue leaves the queue's share in the word until it has
 * wait_lock: to take it off and put it back looks like one reader and waiters
 * in between.  Kept as variants that the tests must catch:
 *	chen_2013.reads_address	the try compares the address of the count
 *		with 0, and never succeeds (first version, generic header)
 *	chen_2013.spins_for_ever	no owner, because readers are inside,
 *		and no end to the spinning (Hurley's review)
 *	chen_2013.waiting_lost	a spinner takes the queue's share off with
 *		others still queued
 */
#include "designs/design.h"
#include "designs/parts/xadd.h"

/* ---- Patch 1 ---- */

static bool try_write(struct rwi_xadd *x)
{
	const int64_t count = RWI_BUG("chen_2013.reads_address")
				  ? (int64_t)(uintptr_t)&x->count
				  : rwi_xadd_look(x);

	return count == 0 && rwi_xadd_try_free(x);
}

static void wake(struct rwi_xadd *x, enum rwi_xadd_wake whom)
{
	const bool counts = x->queue.first->kind == RWI_XADD_READER &&
			    whom != RWI_XADD_READ_OWNED;

	/* A writer has it. */
	if (counts && rwi_xadd_look(x) < rwi_xadd_waiting())
		return;
	rwi_xadd_wake(x, whom);
}

static bool steal(struct rwi_xadd *x)
{
	return rwi_xadd_look(x) == rwi_xadd_waiting() && rwi_xadd_steal(x);
}

/* ---- Patch 2 ---- */

/* Take the lock from within the queue, without wait_lock. */
static bool take(struct rwi_xadd *x, bool looks)
{
	const int64_t waiting = rwi_xadd_waiting();

	if (looks && rwi_xadd_look(x) != waiting)
		return false;
	return rwi_xadd_replace(x, waiting, rwi_xadd_write() + waiting);
}

static bool spin_once(struct rwi_xadd *x, bool looks)
{
	struct rwi_xadd_owned *o = (struct rwi_xadd_owned *)x;
	struct rwi_spin spin;

	if (!rwi_spin_start(&spin, rwi_tunable(optimistic_spin_ns)))
		return false;
	for (;;) {
		const uint64_t owner = rwi_xadd_owner(o);

		if (owner && !rwi_xadd_watch(o, owner, &spin))
			return false;
		if (take(x, looks))
			return true;
		if (!rwi_spin_on(&spin) &&
		    !(!owner && RWI_BUG("chen_2013.spins_for_ever")))
			return false;
	}
}

static int wait_write(struct rwi_xadd *x, const struct rwi_xadd_form *form,
		      const struct rwi_stay *stay)
{
	const bool looks = form->wake == wake;
	struct rwi_waiter self = { .kind = RWI_XADD_WRITER };
	int64_t count =
	    rwi_xadd_queue_writer(x, form, &self, -rwi_xadd_write());
	bool spun = !form->owned, taken;
	int error = 0;

	while (!rwi_xadd_idle(count) ||
	       !(looks ? steal(x) : rwi_xadd_steal(x))) {
		if (error)
			return rwi_xadd_leave(x, form, &self, error);
		if (spun) {
			error = rwi_xadd_sleep(x, &self, stay, &count);
			continue;
		}
		spun = true;
		rwi_spin_unlock(&x->wait_lock);
		taken = spin_once(x, looks);
		RWI_STEP("chen_2013/spun");
		if (taken) {
			rwi_xadd_settle(x, &self);
			return 0;
		}
		rwi_spin_lock(&x->wait_lock);
		count = rwi_xadd_look(x);
	}
	rwi_waitlist_remove(&x->queue, &self);
	rwi_spin_unlock(&x->wait_lock);
	return 0;
}

/* ---- The three ---- */

static const struct rwi_xadd_form preread_form = {
	.wait_read = rwi_xadd_wait_read,
	.wait_write = wait_write,
	.wake = wake,
	.try_write = try_write,
	.readers_join = true,
	.writers_steal = true,
};

static const struct rwi_xadd_form spin_form = {
	.wait_read = rwi_xadd_wait_read,
	.wait_write = wait_write,
	.wake = rwi_xadd_wake,
	.try_write = rwi_xadd_try_free,
	.readers_join = true,
	.writers_steal = true,
	.owned = true,
};

static const struct rwi_xadd_form both_form = {
	.wait_read = rwi_xadd_wait_read,
	.wait_write = wait_write,
	.wake = wake,
	.try_write = try_write,
	.readers_join = true,
	.writers_steal = true,
	.owned = true,
};

RWI_XADD_DEFINE(preread, preread_form)
RWI_XADD_DEFINE(spin, spin_form)
RWI_XADD_DEFINE(both, both_form)

#define CHEN_2013(form, layout)                                                \
	.origin = "Tim Chen and Alex Shi, LKML, 21 June 2013",                 \
	.file = "chen_2013.c", .year = 2013, .traits = RWI_XADD_TRAITS,        \
	RWI_XADD_OPERATIONS(form, layout)

const struct rwi_design rwi_design_chen_2013_preread = {
	.name = "chen-2013-preread",
	.summary = "reads the count before an exchange that may fail",
	.owes = { { "lespinasse-2013-fast", "all but the looks" } },
	CHEN_2013(preread, struct rwi_xadd),
};

const struct rwi_design rwi_design_chen_2013_spin = {
	.name = "chen-2013-spin",
	.summary = "a queued writer spins once, while the owner runs",
	.owes = { { "lespinasse-2013-fast", "all but the spinning" } },
	CHEN_2013(spin, struct rwi_xadd_owned),
};

const struct rwi_design rwi_design_chen_2013 = {
	.name = "chen-2013",
	.summary = "reads before it exchanges, and spins before it sleeps",
	.owes = { { "chen-2013-preread", "the looks" },
		  { "chen-2013-spin", "the spinning" } },
	CHEN_2013(both, struct rwi_xadd_owned),
};
