/* SPDX-License-Identifier: MIT */
/* The parking table: buckets, queues, nodes.  See park.h. */
#include "core/park.h"

enum { BUCKETS = RWI_PROCESS_BYTES / sizeof(struct rwi_bucket) };

struct rwi_bucket *rwi_bucket_of(const rwsem_t *sem)
{
	struct rwi_bucket *table = rwi_process_state();
	const uint64_t mixed =
	    (uint64_t)(uintptr_t)sem * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	return &table[mixed * BUCKETS >> 32];
}

struct rwi_queue *rwi_queue_of(struct rwi_bucket *bucket, const rwsem_t *sem)
{
	struct rwi_queue *queue = bucket->queues;

	while (queue && queue->sem != sem)
		queue = queue->next;
	return queue;
}

/* Make the neighbours of a queue point at it, after it came or moved. */
static void link_queue(struct rwi_queue *queue)
{
	*queue->link = queue;
	if (queue->next)
		queue->next->link = &queue->next;
}

void rwi_queue_insert(struct rwi_bucket *bucket, struct rwi_waiter *waiter)
{
	struct rwi_queue *queue = rwi_queue_of(bucket, waiter->sem);
	struct rwi_waiter *after;
	struct rwi_list *list;

	if (!queue) {
		queue = &waiter->queue;
		*queue = (struct rwi_queue){ .sem = waiter->sem,
					     .next = bucket->queues,
					     .link = &bucket->queues };
		link_queue(queue);
	}
	if (!waiter->ticket)
		waiter->ticket = ++bucket->ticket;
	list = &queue->of[waiter->kind];
	/*
	 * A newcomer goes to the end at once.  Who queues again was first not
	 * long ago and finds its place near the front.
	 */
	after = list->last;
	if (after && after->ticket > waiter->ticket) {
		after = NULL;
		for (struct rwi_waiter *w = list->first;
		     w->ticket < waiter->ticket; w = w->next)
			after = w;
	}
	waiter->prev = after;
	waiter->next = after ? after->next : list->first;
	*(after ? &after->next : &list->first) = waiter;
	*(waiter->next ? &waiter->next->prev : &list->last) = waiter;
	list->count++;
}

void rwi_queue_remove(struct rwi_bucket *bucket, struct rwi_waiter *waiter)
{
	struct rwi_queue *queue = rwi_queue_of(bucket, waiter->sem);
	struct rwi_list *list = &queue->of[waiter->kind];
	struct rwi_waiter *heir;

	*(waiter->prev ? &waiter->prev->next : &list->first) = waiter->next;
	*(waiter->next ? &waiter->next->prev : &list->last) = waiter->prev;
	list->count--;
	if (queue != &waiter->queue)
		return;
	heir = queue->of[RWI_READ].first ? queue->of[RWI_READ].first
					 : queue->of[RWI_WRITE].first;
	if (heir) {
		heir->queue = *queue;
		link_queue(&heir->queue);
	} else {
		*queue->link = queue->next;
		if (queue->next)
			queue->next->link = queue->link;
	}
}
