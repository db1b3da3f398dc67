/* SPDX-License-Identifier: MIT */
/*
 * The slow paths in the form that Michel Lespinasse gave them for Linux 3.10
 * and that later designs build on; his patches are named by their numbers.
 */
#include "designs/parts/xadd.h"

const struct rwi_stay rwi_xadd_for_ever;
const struct rwi_stay rwi_xadd_till_signal = { .interruptible = true };

uint64_t rwi_xadd_readers_max(void)
{
	return (UINT64_C(1) << (rwi_tunable(count_bits) - 1)) - 1;
}

/* ---- Tries ---- */

bool rwi_xadd_try_idle(struct rwi_xadd *x)
{
	int64_t count;

	while (rwi_xadd_idle(count = rwi_xadd_look(x))) {
		if (rwi_xadd_replace(x, count, count + rwi_xadd_write()))
			return true;
	}
	return false;
}

bool rwi_xadd_down_read_trylock(void *lock)
{
	struct rwi_xadd *x = lock;
	int64_t count;

	while ((count = rwi_xadd_look(x)) >= 0) {
		if (rwi_xadd_replace(x, count, count + 1))
			return true;
	}
	return false;
}

/* ---- Waking, under wait_lock ---- */

void rwi_xadd_grant(struct rwi_xadd *x, int64_t claimed)
{
	struct rwi_waiter *reader;
	int64_t n = 0, change;

	for (reader = x->queue.first; reader && reader->kind == RWI_XADD_READER;
	     reader = reader->next)
		n++;
	change = n - claimed - (reader ? 0 : rwi_xadd_waiting());
	/* Before any of them is told, for one that is may leave at once. */
	rwi_xadd_add(x, change);
	RWI_STEP("xadd/granted");
	while (n--) {
		reader = x->queue.first;
		rwi_waitlist_remove(&x->queue, reader);
		rwi_waiter_tell(reader);
	}
}

/*
 * Patch 11: waiters keep no writer out.  So count one reader, and look whether
 * a writer was first; then take that back, and if the writer has left before,
 * it woke nobody, and it is our turn again.
 */
static bool claim(struct rwi_xadd *x)
{
	while (rwi_xadd_add(x, 1) - 1 < rwi_xadd_waiting()) {
		if (RWI_BUG("lespinasse_2013.grant_kept"))
			return true;
		RWI_STEP("xadd/stolen");
		if (!rwi_xadd_idle(rwi_xadd_add(x, -1)) ||
		    RWI_BUG("lespinasse_2013.no_second_look"))
			return false;
	}
	return true;
}

void rwi_xadd_wake(struct rwi_xadd *x, enum rwi_xadd_wake whom)
{
	struct rwi_waiter *head = x->queue.first;

	if (head->kind == RWI_XADD_WRITER) {
		if (whom == RWI_XADD_ANY)
			rwi_waiter_tell(head);
	} else if (whom == RWI_XADD_READ_OWNED) {
		rwi_xadd_grant(x, 0);
	} else if (claim(x)) {
		rwi_xadd_grant(x, 1);
	}
}

RWI_NOINLINE void rwi_xadd_released(struct rwi_xadd *x,
				    const struct rwi_xadd_form *form)
{
	RWI_STEP("xadd/released");
	if (form->left_to_others && form->left_to_others(x))
		return;
	rwi_spin_lock(&x->wait_lock);
	if (x->queue.first)
		form->wake(x, RWI_XADD_ANY);
	rwi_spin_unlock(&x->wait_lock);
}

RWI_NOINLINE void rwi_xadd_downgraded(struct rwi_xadd *x,
				      const struct rwi_xadd_form *form)
{
	RWI_STEP("xadd/downgraded");
	rwi_spin_lock(&x->wait_lock);
	if (x->queue.first)
		form->wake(x, RWI_XADD_READ_OWNED);
	rwi_spin_unlock(&x->wait_lock);
}

/* ---- Queueing ---- */

int64_t rwi_xadd_queue(struct rwi_xadd *x, struct rwi_waiter *waiter,
		       int64_t undo)
{
	RWI_STEP("xadd/arrived");
	rwi_spin_lock(&x->wait_lock);
	rwi_waitlist_append(&x->queue, waiter);
	if (x->queue.first == waiter)
		undo += rwi_xadd_waiting();
	return rwi_xadd_add(x, undo);
}

int64_t rwi_xadd_queue_writer(struct rwi_xadd *x,
			      const struct rwi_xadd_form *form,
			      struct rwi_waiter *self, int64_t undo)
{
	const int64_t count = rwi_xadd_queue(x, self, undo);

	if (count > rwi_xadd_waiting() && x->queue.first != self)
		form->wake(x, RWI_XADD_READERS);
	return count;
}

/*
 * The bias rule: the queue's share goes with the last waiter.  Those behind a
 * waiter that leaves may have waited for nothing else.
 */
int rwi_xadd_leave(struct rwi_xadd *x, const struct rwi_xadd_form *form,
		   struct rwi_waiter *self, int error)
{
	rwi_waitlist_remove(&x->queue, self);
	if (x->queue.first)
		form->wake(x, RWI_XADD_ANY);
	else if (!RWI_BUG("lespinasse_2013.bias_stays"))
		rwi_xadd_add(x, -rwi_xadd_waiting());
	rwi_spin_unlock(&x->wait_lock);
	return error;
}

/* ---- Waiting ---- */

/* Patch 4: a reader is given the lock, and only gives up under wait_lock. */
int rwi_xadd_queue_read(struct rwi_xadd *x, const struct rwi_xadd_form *form,
			int64_t undo, const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .kind = RWI_XADD_READER };
	const int64_t count = rwi_xadd_queue(x, &self, undo);
	int error;

	if (count == rwi_xadd_waiting() ||
	    (form->readers_join && count > rwi_xadd_waiting() &&
	     x->queue.first == &self))
		form->wake(x, RWI_XADD_ANY);
	rwi_spin_unlock(&x->wait_lock);
	RWI_STEP("xadd/reader_queued");
	error = rwi_waiter_sleep(&self, stay);
	if (!error)
		return 0;
	RWI_STEP("xadd/reader_gave_up");
	rwi_spin_lock(&x->wait_lock);
	if (!self.told)
		return rwi_xadd_leave(x, form, &self, error);
	rwi_spin_unlock(&x->wait_lock);
	return 0;
}

/*
 * Patches 6 and 7: whoever comes first and whoever is first in the queue, with
 * one compare-and-swap that leaves nothing to be undone.
 */
bool rwi_xadd_steal(struct rwi_xadd *x)
{
	const bool alone = x->queue.first == x->queue.last ||
			   RWI_BUG("lespinasse_2013.waiting_lost");

	return rwi_xadd_replace(x, rwi_xadd_waiting(),
				alone ? rwi_xadd_write()
				      : rwi_xadd_write() + rwi_xadd_waiting());
}

void rwi_xadd_settle(struct rwi_xadd *x, struct rwi_waiter *self)
{
	rwi_spin_lock(&x->wait_lock);
	rwi_waitlist_remove(&x->queue, self);
	if (!x->queue.first || RWI_BUG("chen_2013.waiting_lost"))
		rwi_xadd_add(x, -rwi_xadd_waiting());
	rwi_spin_unlock(&x->wait_lock);
}

/* Patch 8: as long as somebody is active, wait_lock is of no use. */
int rwi_xadd_sleep(struct rwi_xadd *x, struct rwi_waiter *self,
		   const struct rwi_stay *stay, int64_t *count)
{
	int error;

	rwi_spin_unlock(&x->wait_lock);
	do {
		RWI_STEP("xadd/writer_sleeps");
		error = rwi_waiter_sleep(self, stay);
		rwi_waiter_rearm(self);
		*count = rwi_xadd_look(x);
	} while (!error && !rwi_xadd_idle(*count));
	RWI_STEP("xadd/writer_woken");
	rwi_spin_lock(&x->wait_lock);
	return error;
}

/*
 * Patch 5: a writer takes the lock and itself off the queue, so there is one
 * way out.  Patch 9: no first attempt if somebody was active.
 */
int rwi_xadd_queue_write(struct rwi_xadd *x, const struct rwi_xadd_form *form,
			 int64_t undo, const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .kind = RWI_XADD_WRITER };
	int64_t count = rwi_xadd_queue_writer(x, form, &self, undo);
	int error = 0;

	while (!rwi_xadd_idle(count) || !rwi_xadd_steal(x)) {
		if (error)
			return rwi_xadd_leave(x, form, &self, error);
		error = rwi_xadd_sleep(x, &self, stay, &count);
	}
	rwi_waitlist_remove(&x->queue, &self);
	rwi_spin_unlock(&x->wait_lock);
	return 0;
}

int rwi_xadd_wait_read(struct rwi_xadd *x, const struct rwi_xadd_form *form,
		       const struct rwi_stay *stay)
{
	return rwi_xadd_queue_read(x, form, -1, stay);
}

int rwi_xadd_wait_write(struct rwi_xadd *x, const struct rwi_xadd_form *form,
			const struct rwi_stay *stay)
{
	return rwi_xadd_queue_write(x, form, -rwi_xadd_write(), stay);
}
