/* SPDX-License-Identifier: MIT */
/*
 * The optimistic spin queue (Zijlstra and Long, 2013/2014): spinners line up,
 * each looking at a word of its own, and only the first one looks at the lock.
 * It is an MCS lock whose waiters can leave.
 *
 * In the kernel a node belongs to a CPU and a spinner cannot lose its CPU, so
 * there is one spinner to a CPU.  Here a node comes from a pool for as long as
 * its thread spins, and is never unmapped, because a neighbour may still look
 * at a node that has left.  A spinner that loses its CPU holds up everybody
 * behind it; they leave when their time is up.  It also holds up the one before
 * it in the few instructions in which it comes or leaves: that one waits, now
 * and then giving its CPU away.
 *
 * A child of fork inherits nodes and queues as they were: the nodes of threads
 * that it does not have stay in use, and a queue in which such a thread stood
 * lets nobody come first.  Spinners there use their budgets up and sleep.
 */
#ifndef RWI_OSQ_H
#define RWI_OSQ_H

#include "designs/parts/spin.h"

/* Free when zero. */
struct rwi_osq {
	uint32_t tail; /* number of the last node */
};

/* Variants for tests: osq.told_in_vain, osq.gap. */

/*
 * Be the one who may look at the lock.  A number for rwi_osq_unlock(), or 0:
 * the time of *spin was up, or there was no node to be had.
 */
uint32_t rwi_osq_lock(struct rwi_osq *queue, struct rwi_spin *spin);
void rwi_osq_unlock(struct rwi_osq *queue, uint32_t number);

/* Does anybody spin? */
static inline bool rwi_osq_is_locked(struct rwi_osq *queue)
{
	return rwi_load_relaxed(locked, &queue->tail) != 0;
}

#endif
