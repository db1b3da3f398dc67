/* SPDX-License-Identifier: MIT */
/*
 * bueso-2014: writers spin in a queue of their own before they queue to sleep.
 *
 * Origin.  Davidlohr Bueso and Tim Chen, "locking/rwsem: Support optimistic
 * spinning", Linux 3.16 (June 2014), in the form the file had a year later;
 * the spin queue by Peter Zijlstra and Waiman Long.
 *
 * Idea.  chen-2013 after eight revisions.  A writer that comes to the slow path
 * takes its attempt back and spins outside the queue, so that releases need not
 * care for it; and spinners line up, each looking at a word of its own, so that
 * one at a time looks at the lock.  Who did not get the lock that way queues
 * and sleeps as in lespinasse-2013-fast.
 *
 * Word.
 *
 *	63                       32 31                0
 *	[ -(writer) - (queue)      ][ active lockers   ]
 *	owner		the writer inside and its CPU, or 0
 *	spinners	the last in the line of spinners
 *
 * The first in line takes the lock whenever nobody is active: 0 becomes -1 : 1,
 * a writer, and -1 : 0 becomes -2 : 1, a writer and waiters.  It looks on while
 * the owner is the same and may run; goes on if another owner has come or the
 * lock seems free; and ends if neither, for then readers are inside and there
 * is nobody to look at.  For the same reason it does not begin with readers
 * inside.
 *
 * Limits.  As lespinasse-2013-fast; 1024 spinners, others sleep.
 *
 * Costs.  Two additions a pair, and two stores of the owner.  A contended
 * writer's attempt costs a second addition, then an exchange on the line of
 * spinners instead of wait_lock.
 *
 * Wins.  Write sections shorter than a wake-up, with a CPU for each spinner.
 * From an earlier version the authors report AIM7 +6 to +20 % on 80 cores, and
 * Exim +5 % on 40.
 *
 * Loses.  Spinners pass all who sleep, and are passed by newcomers.  Readers
 * never spin: mixed loads sleep and wake (see long-2014).  With fewer CPUs than
 * threads, the time spent spinning is the holder's.
 *
 * Here.  The owner's CPU is the one on which it acquired, and if it is ours the
 * owner is not running.  For need_resched() stands optimistic_spin_ns, time in
 * line included.  Nodes of the line are pooled, and who waits in line leaves
 * when its time is up; a kernel spinner never loses its CPU.  Between a count
 * and its owner's store a thread can be delayed for any time; nobody waits for
 * the store.
 *
 * Repaired.  Spinning on an owner of 0 has an end (Hurley, Zijlstra; the first
 * release candidates spun through a time slice with readers inside).  Kept as
 * variant that the tests must catch:
 *	bueso_2014.spins_for_ever	readers are inside, nobody is named, and
 *		the spinner goes on until they have left
 */
#include "designs/design.h"
#include "designs/parts/xadd.h"

static bool can_spin(const struct rwi_xadd_owned *o)
{
	const uint64_t owner = rwi_xadd_owner(o);

	if (owner)
		return rwi_owner_may_run(owner);
	return rwi_xadd_idle(rwi_xadd_look(&o->sem)) ||
	       RWI_BUG("bueso_2014.spins_for_ever");
}

/* False: there is nothing more to look at. */
static bool spin_on_owner(const struct rwi_xadd_owned *o, uint64_t owner,
			  struct rwi_spin *spin)
{
	if (!rwi_xadd_watch(o, owner, spin))
		return false;
	return rwi_xadd_owner(o) || rwi_xadd_idle(rwi_xadd_look(&o->sem));
}

static bool first_in_line(struct rwi_xadd_owned *o, struct rwi_spin *spin)
{
	do {
		const uint64_t owner = rwi_xadd_owner(o);

		if (owner && !spin_on_owner(o, owner, spin))
			return false;
		if (rwi_xadd_try_idle(&o->sem))
			return true;
	} while (rwi_spin_on(spin) || RWI_BUG("bueso_2014.spins_for_ever"));
	return false;
}

static bool optimistic_spin(struct rwi_xadd_owned *o)
{
	struct rwi_spin spin;
	uint32_t number;
	bool taken;

	if (!can_spin(o) ||
	    !rwi_spin_start(&spin, rwi_tunable(optimistic_spin_ns)))
		return false;
	number = rwi_osq_lock(&o->spinners, &spin);
	if (!number)
		return false;
	taken = first_in_line(o, &spin);
	rwi_osq_unlock(&o->spinners, number);
	return taken;
}

static int wait_write(struct rwi_xadd *x, const struct rwi_xadd_form *form,
		      const struct rwi_stay *stay)
{
	bool taken;

	rwi_xadd_add(x, -rwi_xadd_write());
	RWI_STEP("bueso_2014/active_no_more");
	taken = optimistic_spin((struct rwi_xadd_owned *)x);
	RWI_STEP("bueso_2014/spun");
	if (taken)
		return 0;
	return rwi_xadd_queue_write(x, form, 0, stay);
}

static const struct rwi_xadd_form form = {
	.wait_read = rwi_xadd_wait_read,
	.wait_write = wait_write,
	.wake = rwi_xadd_wake,
	.try_write = rwi_xadd_try_idle,
	.readers_join = true,
	.writers_steal = true,
	.owned = true,
};

RWI_XADD_DEFINE(bueso, form)

const struct rwi_design rwi_design_bueso_2014 = {
	.name = "bueso-2014",
	.summary = "writers spin in line before they queue",
	.origin = "Davidlohr Bueso and Tim Chen, Linux 3.16, June 2014",
	.file = "bueso_2014.c",
	.owes = { { "chen-2013", "spinning on the owner" },
		  { "lespinasse-2013-fast", "queue and fast paths" } },
	.year = 2014,
	.traits = RWI_XADD_TRAITS,
	RWI_XADD_OPERATIONS(bueso, struct rwi_xadd_owned),
};
