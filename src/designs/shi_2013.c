/* SPDX-License-Identifier: MIT */
/*
 * shi-2013: a writer may steal the lock, on the slow path.
 *
 * Origin.  Alex Shi, "rwsem: steal writing sem for better performance", Linux
 * 3.9 (merged in February 2013), lib/rwsem.c.
 *
 * Idea.  Until then a release handed the lock to the writer at the head of the
 * queue, and it was idle until that writer ran.  Now the writer is only woken.
 * Any writer that holds wait_lock may take the lock, provided that the head of
 * the queue is a writer too: a reader at the head is never passed.  Readers are
 * handed the lock as before.
 *
 * Word.
 *
 *	63                       32 31                0
 *	[ -(writer) - (queue)      ][ active lockers   ]
 *
 * A writer adds a share and 1, a reader 1; a queue has one share, whatever its
 * length.  Newcomers look at the whole word, so that waiters of both kinds send
 * them to the slow path.  There a writer queues and then, under wait_lock, adds
 * what a writer is (without the queue's share if it is the only waiter) and
 * looks at what it added to.  With nobody active it has the lock.  Otherwise it
 * takes all back; if the last holder left meanwhile, that one woke nobody, for
 * it saw the attempt, so the writer tries once more.
 *
 * Limits.  2^31 - 1 readers and as many arrivals; 2^31 writers that arrive at
 * once, any number in the queue.  No wait is bounded: a writer woken can come
 * too late for ever, and with it the readers behind.
 *
 * Costs.  A pair is two additions.  A writer that waited takes wait_lock once
 * to queue and once more for each attempt, and a failed one is two additions on
 * a word that its holder needs.
 *
 * Wins.  Over hand-over, where writers meet with short sections: whoever runs
 * goes on, and the lock is not held by somebody who sleeps.
 *
 * Loses.  To lespinasse-2013-fast with waiters about, as every newcomer takes
 * wait_lock; in fairness to everything that hands over.
 *
 * Here.  wait_lock's holder can lose its CPU; others then sleep on it.  Waiters
 * are woken with it held, as there.  The waits that can be given up came to
 * this code in 2016 (down_write_killable); the timed ones leave the queue the
 * same way.  A release looks for a writer before it lets readers in although it
 * knows that nobody was active, where the original skipped the look.
 *
 * Repaired.  Kept as variant that the tests must catch:
 *	shi_2013.no_second_try	the attempt taken back was all that was
 *		active, and nobody tries again or wakes
 * The bias rule for waiters that leave is under lespinasse-2013.
 */
#include "designs/design.h"
#include "designs/parts/xadd.h"

/*
 * Newcomers keep away from a lock with waiters, and wait_lock keeps others from
 * stealing it.  So one look is enough.
 */
static void wake(struct rwi_xadd *x, enum rwi_xadd_wake whom)
{
	struct rwi_waiter *head = x->queue.first;

	if (head->kind == RWI_XADD_WRITER) {
		if (whom == RWI_XADD_ANY)
			rwi_waiter_tell(head);
		return;
	}
	if (whom == RWI_XADD_ANY && rwi_xadd_look(x) < rwi_xadd_waiting())
		return;
	rwi_xadd_grant(x, 0);
}

/* Under wait_lock, in the queue. */
static bool steal(struct rwi_xadd *x)
{
	const bool alone = x->queue.first == x->queue.last;
	const int64_t mine =
	    rwi_xadd_write() - (alone ? rwi_xadd_waiting() : 0);

	if (x->queue.first->kind == RWI_XADD_READER)
		return false;
	while (!rwi_xadd_idle(rwi_xadd_add(x, mine) - mine)) {
		RWI_STEP("shi_2013/refused");
		if (!rwi_xadd_idle(rwi_xadd_add(x, -mine)) ||
		    RWI_BUG("shi_2013.no_second_try"))
			return false;
	}
	return true;
}

static int wait_write(struct rwi_xadd *x, const struct rwi_xadd_form *form,
		      const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .kind = RWI_XADD_WRITER };
	const int64_t count =
	    rwi_xadd_queue_writer(x, form, &self, -rwi_xadd_write());
	int error = 0;

	if (count == rwi_xadd_waiting())
		form->wake(x, RWI_XADD_ANY);
	rwi_spin_unlock(&x->wait_lock);
	for (;;) {
		RWI_STEP("shi_2013/tries");
		rwi_spin_lock(&x->wait_lock);
		if (steal(x))
			break;
		if (error)
			return rwi_xadd_leave(x, form, &self, error);
		rwi_waiter_rearm(&self);
		rwi_spin_unlock(&x->wait_lock);
		RWI_STEP("shi_2013/sleeps");
		error = rwi_waiter_sleep(&self, stay);
	}
	rwi_waitlist_remove(&x->queue, &self);
	rwi_spin_unlock(&x->wait_lock);
	return 0;
}

static const struct rwi_xadd_form form = {
	.wait_read = rwi_xadd_wait_read,
	.wait_write = wait_write,
	.wake = wake,
	.try_write = rwi_xadd_try_free,
};

RWI_XADD_DEFINE(shi, form)

const struct rwi_design rwi_design_shi_2013 = {
	.name = "shi-2013",
	.summary = "writers are woken to compete, and steal on the slow path",
	.origin = "Alex Shi, Linux 3.9, February 2013",
	.file = "shi_2013.c",
	.owes = { { "howells-2001-xadd", "the word, and readers' hand-over" } },
	.year = 2013,
	.traits = RWI_XADD_TRAITS,
	RWI_XADD_OPERATIONS(shi, struct rwi_xadd),
};
