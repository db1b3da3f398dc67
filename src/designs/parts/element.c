/* SPDX-License-Identifier: MIT */
#include "designs/parts/element.h"

/* Under the lock: enter unless a holder is in the way. */
static bool enter(struct rwi_element *element, uint32_t as)
{
	const bool writer = as == RWI_AS_WRITER;

	if (writer ? element->holders != 0 : element->holders < 0)
		return false;
	element->holders += writer ? -1 : 1;
	return true;
}

void rwi_element_down(struct rwi_element *element, enum rwi_element_as as)
{
	const struct rwi_stay for_ever = { 0 };
	struct rwi_waiter self = { .kind = as };
	bool entered;

	rwi_spin_lock(&element->lock);
	entered = !element->queue.first && enter(element, as);
	if (!entered)
		rwi_waitlist_append(&element->queue, &self);
	rwi_spin_unlock(&element->lock);
	if (!entered)
		rwi_waiter_sleep(&self, &for_ever);
}

bool rwi_element_trylock(struct rwi_element *element, enum rwi_element_as as)
{
	bool entered;

	rwi_spin_lock(&element->lock);
	entered = !element->queue.first && enter(element, as);
	rwi_spin_unlock(&element->lock);
	return entered;
}

void rwi_element_up(struct rwi_element *element)
{
	struct rwi_wake_queue wakes = { .count = 0 };
	struct rwi_waiter *first;

	rwi_spin_lock(&element->lock);
	element->holders += element->holders < 0 ? 1 : -1;
	while ((first = element->queue.first) && enter(element, first->kind)) {
		rwi_waitlist_remove(&element->queue, first);
		rwi_wake_add(&wakes, first);
	}
	rwi_spin_unlock(&element->lock);
	rwi_wake_up(&wakes);
}
