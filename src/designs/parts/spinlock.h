/* SPDX-License-Identifier: MIT */
/*
 * A spinlock: the kernel's wait_lock, as far as user space can have one.
 *
 * The kernel's holder cannot lose its CPU (preemption is off), so waiters spin
 * until it is done.  Here it can, and on one CPU nobody spins at all: a waiter
 * looks on for a moment and then sleeps on the word.  A release with nobody
 * asleep is one exchange, an acquisition without company one compare-and-swap,
 * as there.  A signal handler must not use a lock that its thread may be
 * holding: what the kernel gets from switching interrupts off has no stand-in.
 *
 * 0 free, 1 held, 2 held and somebody may be asleep.
 */
#ifndef RWI_SPINLOCK_H
#define RWI_SPINLOCK_H

#include "port/port.h"

struct rwi_spinlock {
	uint32_t state;
};

/* Both sides of what happens when there is company. */
void rwi_spin_lock_slow(struct rwi_spinlock *lock);
void rwi_spin_unlock_slow(struct rwi_spinlock *lock);

static inline void rwi_spin_lock(struct rwi_spinlock *lock)
{
	uint32_t free = 0;

	/* ORDER section(2/2): what earlier sections stored. */
	if (rwi_unlikely(!rwi_cas_acquire(lock, &lock->state, &free, 1)))
		rwi_spin_lock_slow(lock);
}

static inline void rwi_spin_unlock(struct rwi_spinlock *lock)
{
	/* ORDER section(1/2): the section, for the next one. */
	if (rwi_unlikely(rwi_xchg_release(unlock, &lock->state, 0) == 2))
		rwi_spin_unlock_slow(lock);
}

#endif
