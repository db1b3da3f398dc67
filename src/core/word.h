/* SPDX-License-Identifier: MIT */
/*
 * The lock word.
 *
 *	63            32 31       6   5      4      3      2      1     0
 *	[  read holds   ] [ zero  ] [CHK] [WPEND][HANDOFF][WOKEN][QUEUED][W]
 *
 * W        held for writing; then there are no read holds.
 * QUEUED   the queue in the parking table is not empty.  Changes only under
 *          the bucket lock.  Releases with it set have a duty.
 * WOKEN    a waiter was told to compete and has neither acquired nor queued
 *          again: somebody is on the way, so releases need wake nobody.  Set
 *          under the bucket lock; cleared by that waiter, or by any waiter
 *          after a slice of sleep, in case it was stopped or lost.  Cleared
 *          wrongly, one thread too many competes.
 * HANDOFF  only the waiter told to compete may acquire (implies WOKEN); set
 *          and cleared with WOKEN.
 * WPEND    a writer is next and nobody competes: new readers queue.  Never on
 *          a free lock, so a stopped competitor bars nobody for ever.
 * CHK      this semaphore keeps books about its holders (RWSEM_DEBUG,
 *          RWSEM_RECURSIVE_READ); never changes.  No inlined path matches it.
 * zero     kept for reader tiers; whoever finds a bit it does not know calls
 *          out of line.
 *
 * Every change is a compare-and-swap of the whole word.
 *
 * I4: a non-empty queue implies W, a read hold, WOKEN, or a thread that has
 * the bucket locked.  So somebody always has the duty to go on.
 */
#ifndef RWI_WORD_H
#define RWI_WORD_H

#include "port/port.h"

#define RWSEM_NO_ANNOTATIONS /* here are the insides */
#include "rwsem/rwsem.h"

#define RWI_WRITER  (UINT64_C(1) << 0)
#define RWI_QUEUED  (UINT64_C(1) << 1)
#define RWI_WOKEN   (UINT64_C(1) << 2)
#define RWI_HANDOFF (UINT64_C(1) << 3)
#define RWI_WPEND   (UINT64_C(1) << 4)
#define RWI_CHECKED (UINT64_C(1) << 5)
#define RWI_READER  (UINT64_C(1) << 32)
#define RWI_FLAGS   (RWI_READER - 1)

_Static_assert(sizeof(rwsem_t) == 32, "fits a pthread_rwlock_t below its kind");
_Static_assert(offsetof(rwsem_t, zero_) == 28, "glibc's pshared flag");
_Static_assert(__atomic_always_lock_free(sizeof(uint64_t), 0), "64-bit CAS");

static inline uint64_t rwi_readers(uint64_t s)
{
	return s / RWI_READER;
}

#endif
