/* SPDX-License-Identifier: MIT */
/* All operations together, with and without signals, keep every promise of the
 * lock. */
#include "support/mix.h"

enum { ROUNDS = 8000, SPIN_BUSY = 20, OTHERS = 8 };

/*
 * Most for our own.  Where waiters spin in turn, each turn can take the time
 * slices of others.
 */
static unsigned rounds(const struct rwi_design *design, unsigned count)
{
	if (!t_is_rwsem(design))
		count /= OTHERS;
	if (t_busy && design->traits & RWI_SPINS)
		count /= SPIN_BUSY;
	return t_rounds(count);
}

T_DESIGNS(four_threads, T_ANY)
{
	t_mix(design, lock, 4, rounds(design, ROUNDS), true);
	t_mix(design, lock, 4, rounds(design, ROUNDS), false);
}

T_DESIGNS(two_threads, T_ANY)
{
	t_mix(design, lock, 2, rounds(design, 2 * ROUNDS), true);
	t_mix(design, lock, 2, rounds(design, 2 * ROUNDS), false);
}
