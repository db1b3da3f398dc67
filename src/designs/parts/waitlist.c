/* SPDX-License-Identifier: MIT */
#include "designs/parts/waitlist.h"

#include <errno.h>

/* No sleep is endless: see rwi_park(). */
enum { SLICE_NS = 1000000000 };

int rwi_deadline_from(struct rwi_deadline *deadline, clockid_t clock,
		      const struct timespec *at)
{
	const long ns_per_s = 1000000000;

	if (!rwi_clock_known(clock) || at->tv_nsec < 0 ||
	    at->tv_nsec >= ns_per_s)
		return EINVAL;
	*deadline = (struct rwi_deadline){ clock, *at };
	return 0;
}

void rwi_waitlist_append(struct rwi_waitlist *list, struct rwi_waiter *waiter)
{
	waiter->next = NULL;
	waiter->prev = list->last;
	if (list->last)
		list->last->next = waiter;
	else
		list->first = waiter;
	list->last = waiter;
}

void rwi_waitlist_remove(struct rwi_waitlist *list, struct rwi_waiter *waiter)
{
	if (waiter->prev)
		waiter->prev->next = waiter->next;
	else
		list->first = waiter->next;
	if (waiter->next)
		waiter->next->prev = waiter->prev;
	else
		list->last = waiter->prev;
}

int rwi_waiter_sleep(struct rwi_waiter *waiter, const struct rwi_stay *stay)
{
	/* ORDER told(2/2): what the teller did for us. */
	while (!rwi_load_acquire(told, &waiter->told)) {
		struct rwi_deadline slice;
		enum rwi_parked parked;

		if (!stay->deadline)
			slice = rwi_deadline_in(SLICE_NS);
		parked = rwi_park(&waiter->told, 0, RWI_CLASS_ANY,
				  stay->deadline ? stay->deadline : &slice);
		if (parked == RWI_PARKED_TIMEOUT && stay->deadline)
			return ETIMEDOUT;
		if (parked == RWI_PARKED_SIGNAL && stay->interruptible)
			return EINTR;
	}
	return 0;
}

void rwi_waiter_tell(struct rwi_waiter *waiter)
{
	uint32_t *const told = &waiter->told;

	/* ORDER told(1/2): what we did for it; then it may be gone. */
	rwi_store_release(tell, told, 1);
	rwi_unpark(told, 1, RWI_CLASS_ANY);
}

void rwi_wake_add(struct rwi_wake_queue *queue, struct rwi_waiter *waiter)
{
	uint32_t *const told = &waiter->told;

	if (queue->count == sizeof queue->told / sizeof *queue->told)
		rwi_wake_up(queue);
	queue->told[queue->count++] = told;
	/* ORDER told(1/2): what we did for it; then it may be gone. */
	rwi_store_release(add, told, 1);
}

void rwi_wake_up(struct rwi_wake_queue *queue)
{
	for (uint32_t i = 0; i < queue->count; i++)
		rwi_unpark(queue->told[i], 1, RWI_CLASS_ANY);
	queue->count = 0;
}
