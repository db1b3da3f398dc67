/* SPDX-License-Identifier: MIT */
/*
 * A small fair semaphore that others are built of: a count and a queue under a
 * lock, and every release admits whom it can from the head of the queue.
 */
#ifndef RWI_ELEMENT_H
#define RWI_ELEMENT_H

#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"

/* Free when zero. */
struct rwi_element {
	struct rwi_spinlock lock;
	int32_t holders; /* readers; -1: a writer */
	struct rwi_waitlist queue;
};

enum rwi_element_as { RWI_AS_READER, RWI_AS_WRITER };

/* Acquire; wait behind those who came before. */
void rwi_element_down(struct rwi_element *element, enum rwi_element_as as);
bool rwi_element_trylock(struct rwi_element *element, enum rwi_element_as as);
void rwi_element_up(struct rwi_element *element);

#endif
