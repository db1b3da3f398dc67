/* SPDX-License-Identifier: MIT */
/*
 * long-2014: readers spin too, woken writers spin again, and who is about to
 * take the lock needs nobody to be woken.
 *
 * Origin.  Waiman Long, "[PATCH 0/7] locking/rwsem: enable reader opt-spinning
 * & writer respin", August 2014; not merged as such.  What is known of the
 * seven patches are their purposes, so the details below are ours.
 *
 * Idea.  bueso-2014 helps writers among themselves.  As soon as readers mix in,
 * they queue and sleep, every release takes wait_lock to wake somebody, and
 * whoever is woken finds the lock taken by a spinner.  So readers spin in the
 * same line; a writer that was woken in vain spins from its place in the queue
 * instead of going back to sleep; a spinner goes on, for a limited time, while
 * readers are inside; and a release that sees a spinner, or somebody already
 * inside, wakes nobody.
 *
 * Word.
 *
 *	63                       32 31                0
 *	[ -(writer) - (queue)      ][ active lockers   ]
 *	owner		the writer inside and its CPU, or 0
 *	spinners	the last in the line of spinners
 *
 * A reader at the head of the line takes the lock when the word is not
 * negative: it passes no writer that sleeps.  A writer takes it when nobody is
 * active, from outside the queue or from within.
 *
 * A release that leaves the waiters to a spinner passes its duty on.  So each
 * spinner without success changes the word afterwards, by queueing or by adding
 * nothing, and looks at what results: if nobody is active, it acquires or wakes
 * by itself.  Of a release and a spinner that ends at the same time, at least
 * one sees the other.
 *
 * Limits.  As bueso-2014.  What sleeps may wait for as long as others spin.
 *
 * Costs.  As bueso-2014; and a duty passed on can lie idle for the rest of a
 * spinner's time.
 *
 * Wins.  Mixed loads of short sections.  The message has a million pairs a
 * thread, 10 threads on one socket of 10 cores, one pause in a section: writers
 * alone 5618 ms before (the code of bueso-2014) to 1306, one read to one write
 * 14562 to 1512, ten to one 5914 to 1267; a mutex 1848.
 *
 * Loses.  In fairness to all others here.  AIM7 on 40 cores gained 1 to 8 %,
 * and D. Bueso asked in reply whether that is worth it.  Readers that spin come
 * one by one instead of in groups, which is why 5.11 gave it up (long-2020).
 *
 * Here.  As bueso-2014; the limit while readers are inside is the same
 * optimistic_spin_ns.  A spinner here can lose its CPU, and then a free lock
 * has waiters and nobody to wake them until it runs again.
 *
 * Repaired.  Kept as variant that the tests must catch:
 *	long_2014.nobody_wakes	a woken writer that spun in vain goes to
 *		sleep without another look
 */
#include "designs/design.h"
#include "designs/parts/xadd.h"

static bool take(struct rwi_xadd *x, enum rwi_xadd_kind kind)
{
	return kind == RWI_XADD_READER ? rwi_xadd_down_read_trylock(x)
				       : rwi_xadd_try_idle(x);
}

/* With no owner to look at, is it still worth while? */
static bool may_come(const struct rwi_xadd *x, enum rwi_xadd_kind kind)
{
	return kind == RWI_XADD_WRITER || rwi_xadd_look(x) >= 0;
}

static bool first_in_line(struct rwi_xadd_owned *o, enum rwi_xadd_kind kind,
			  struct rwi_spin *spin)
{
	do {
		const uint64_t owner = rwi_xadd_owner(o);

		if (owner && !rwi_xadd_watch(o, owner, spin))
			return false;
		if (take(&o->sem, kind))
			return true;
		if (!owner && !may_come(&o->sem, kind))
			return false;
	} while (rwi_spin_on(spin));
	return false;
}

/* After a failure the word has to be changed, see above. */
static bool optimistic_spin(struct rwi_xadd *x, enum rwi_xadd_kind kind)
{
	struct rwi_xadd_owned *o = (struct rwi_xadd_owned *)x;
	const uint64_t owner = rwi_xadd_owner(o);
	struct rwi_spin spin;
	uint32_t number;
	bool taken;

	if (owner ? !rwi_owner_may_run(owner) : !may_come(x, kind))
		return false;
	if (!rwi_spin_start(&spin, rwi_tunable(optimistic_spin_ns)))
		return false;
	number = rwi_osq_lock(&o->spinners, &spin);
	if (!number)
		return false;
	taken = first_in_line(o, kind, &spin);
	rwi_osq_unlock(&o->spinners, number);
	return taken;
}

/* Will somebody else see to the waiters? */
static bool left_to_others(struct rwi_xadd *x)
{
	struct rwi_xadd_owned *o = (struct rwi_xadd_owned *)x;

	return !rwi_xadd_idle(rwi_xadd_seen(x)) ||
	       rwi_osq_is_locked(&o->spinners);
}

static int wait_read(struct rwi_xadd *x, const struct rwi_xadd_form *form,
		     const struct rwi_stay *stay)
{
	rwi_xadd_add(x, -1);
	RWI_STEP("long_2014/active_no_more");
	if (optimistic_spin(x, RWI_XADD_READER))
		return 0;
	return rwi_xadd_queue_read(x, form, 0, stay);
}

/* Sleep once; then spin in the queue.  True: that got us the lock. */
static bool sleep_and_respin(struct rwi_xadd *x, struct rwi_waiter *self,
			     const struct rwi_stay *stay, int *error)
{
	*error = rwi_waiter_sleep(self, stay);
	rwi_waiter_rearm(self);
	RWI_STEP("long_2014/respins");
	return !*error && optimistic_spin(x, RWI_XADD_WRITER);
}

static int wait_write(struct rwi_xadd *x, const struct rwi_xadd_form *form,
		      const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .kind = RWI_XADD_WRITER };
	int64_t count;
	bool taken;
	int error = 0;

	rwi_xadd_add(x, -rwi_xadd_write());
	if (optimistic_spin(x, RWI_XADD_WRITER))
		return 0;
	count = rwi_xadd_queue_writer(x, form, &self, 0);
	while (!rwi_xadd_idle(count) || !rwi_xadd_steal(x)) {
		if (error)
			return rwi_xadd_leave(x, form, &self, error);
		rwi_spin_unlock(&x->wait_lock);
		taken = sleep_and_respin(x, &self, stay, &error);
		RWI_STEP("long_2014/spun");
		if (taken) {
			rwi_xadd_settle(x, &self);
			return 0;
		}
		rwi_spin_lock(&x->wait_lock);
		if (!RWI_BUG("long_2014.nobody_wakes"))
			count = rwi_xadd_add(x, 0);
	}
	rwi_waitlist_remove(&x->queue, &self);
	rwi_spin_unlock(&x->wait_lock);
	return 0;
}

static const struct rwi_xadd_form form = {
	.wait_read = wait_read,
	.wait_write = wait_write,
	.wake = rwi_xadd_wake,
	.try_write = rwi_xadd_try_idle,
	.left_to_others = left_to_others,
	.readers_join = true,
	.writers_steal = true,
	.owned = true,
};

RWI_XADD_DEFINE(long, form)

const struct rwi_design rwi_design_long_2014 = {
	.name = "long-2014",
	.summary = "readers spin in line as well, woken writers again",
	.origin = "Waiman Long, LKML, August 2014",
	.file = "long_2014.c",
	.owes = { { "bueso-2014", "the line of spinners, the owner" } },
	.year = 2014,
	.traits = RWI_XADD_TRAITS,
	RWI_XADD_OPERATIONS(long, struct rwi_xadd_owned),
};
