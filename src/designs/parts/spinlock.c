/* SPDX-License-Identifier: MIT */
#include "designs/parts/spinlock.h"

enum { LOOKS = 64, SLEEP_NS_MAX = 1000000000 };

void rwi_spin_lock_slow(struct rwi_spinlock *lock)
{
	const uint32_t looks = rwi_may_spin(rwi_now_ns()) ? LOOKS : 0;

	for (uint32_t i = 0; i < looks; i++) {
		uint32_t free = 0;

		rwi_relax();
		/* ORDER section(2/2): what earlier sections stored. */
		if (rwi_load_relaxed(look, &lock->state) == 0 &&
		    rwi_cas_acquire(spin, &lock->state, &free, 1))
			return;
	}
	/*
	 * Whoever has slept cannot know whether others still do, so it leaves
	 * the mark on.
	 *
	 * ORDER section(2/2): what earlier sections stored.
	 */
	while (rwi_xchg_acquire(sleep, &lock->state, 2) != 0) {
		const struct rwi_deadline slice = rwi_deadline_in(SLEEP_NS_MAX);

		rwi_park(&lock->state, 2, RWI_CLASS_ANY, &slice);
	}
}

void rwi_spin_unlock_slow(struct rwi_spinlock *lock)
{
	rwi_unpark(&lock->state, 1, RWI_CLASS_ANY);
}
