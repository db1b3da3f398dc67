/* SPDX-License-Identifier: MIT */
/* All operations together, with and without signals, keep every promise of the
 * lock. */
#include "support/mix.h"

enum { ROUNDS = 8000 };

T_DESIGNS(four_threads, T_ANY)
{
	t_mix(design, lock, 4, t_rounds(ROUNDS), true);
	t_mix(design, lock, 4, t_rounds(ROUNDS), false);
}

T_DESIGNS(two_threads, T_ANY)
{
	t_mix(design, lock, 2, t_rounds(2 * ROUNDS), true);
	t_mix(design, lock, 2, t_rounds(2 * ROUNDS), false);
}
