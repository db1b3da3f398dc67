/* SPDX-License-Identifier: MIT */
/*
 * How long a waiter waits amid a crowd, against ten times the bound that
 * rwsem.h states.
 *
 * Two terms of it belong to the machine and are measured during the run: H,
 * the longest hold, and L, the longest time from a wake-up to running, by a
 * thread that does nothing but sleep and look at the clock.  So a busy machine
 * makes the bound longer, as it should, and not the test fail.
 */
#ifndef T_BOUNDS_H
#define T_BOUNDS_H

#include "support/designs.h"

struct t_crowd {
	const struct rwi_design *design;
	void *lock;
	unsigned readers, writers; /* without a pause between two holds */
	unsigned hold_us;
	bool sleep; /* hold by sleeping, else by working */
};

/*
 * One more thread acquires `times` times amid the crowd.  `extra_ns` is what a
 * policy adds for its side.
 */
void t_within_bound(const struct t_crowd *crowd, bool write, unsigned times,
		    uint64_t extra_ns);

#endif
