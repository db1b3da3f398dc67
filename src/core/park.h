/* SPDX-License-Identifier: MIT */
/*
 * The parking table: where waiters queue.
 *
 * A bucket holds the queues of all semaphores that hash to it.  A queue is two
 * lists, readers and writers, whose common order is given by tickets, so that
 * finding the first waiter, taking all readers and leaving from the middle
 * take the same time for any number of waiters.  The queue itself lives in one
 * of its waiters' nodes, and moves when that node leaves; nodes live on their
 * threads' stacks.  So nothing is allocated, and nothing is left behind.
 *
 * The bucket lock guards everything here but a node's `state`.
 */
#ifndef RWI_PARK_H
#define RWI_PARK_H

#include "core/core.h"

/* A node's futex word, what its waiter has been told. */
enum rwi_told {
	RWI_TOLD_NOTHING, /* and it is awake */
	RWI_TOLD_ASLEEP,  /* nothing, and it may need a wake-up */
	RWI_TOLD_COMPETE, /* out of the queue, not a holder yet */
	RWI_TOLD_GRANTED  /* out of the queue, a holder */
};

struct rwi_waiter;

struct rwi_list {
	struct rwi_waiter *first, *last;
	uint32_t count;
};

struct rwi_queue {
	const rwsem_t *sem;
	struct rwi_queue *next, **link; /* among the queues of the bucket */
	struct rwi_list of[2];          /* by enum rwi_kind */
};

struct rwi_waiter {
	const rwsem_t *sem;
	struct rwi_waiter *next, *prev;
	uint64_t ticket;    /* smaller is earlier */
	uint64_t queued_ns; /* when it queued first */
	uint64_t first_ns;  /* when it became the first; 0 not yet */
	enum rwi_kind kind;
	bool patience_seen;  /* it has settled since its patience ended */
	uint32_t tries;      /* competitions lost */
	uint32_t generation; /* of the process, when it queued */
	uint32_t state;      /* enum rwi_told */
	struct rwi_queue queue;
};

struct rwi_bucket {
	uint32_t mutex;
	uint64_t ticket; /* the last one given */
	struct rwi_queue *queues;
} __attribute__((aligned(64)));

struct rwi_bucket *rwi_bucket_of(const rwsem_t *sem);

/* The queue of *sem in this bucket, or null if nobody is in it. */
struct rwi_queue *rwi_queue_of(struct rwi_bucket *bucket, const rwsem_t *sem);

/*
 * Put the waiter in its place by its ticket, which is given to it now unless
 * it has one; take it out.  The queue comes and goes with its waiters.
 */
void rwi_queue_insert(struct rwi_bucket *bucket, struct rwi_waiter *waiter);
void rwi_queue_remove(struct rwi_bucket *bucket, struct rwi_waiter *waiter);

#endif
