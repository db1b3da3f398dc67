/* SPDX-License-Identifier: MIT */
/*
 * Designs that keep something by CPU share a number of indices: the one too
 * many is refused, what is destroyed can be had again, and locks at once do not
 * meet in each other's cells.
 */
#include "support/designs.h"

#include "designs/parts/percpu.h"

#include <errno.h>

static unsigned char locks[RWI_PERCPU_LOCKS + 1][RWI_LOCK_SIZE_MAX]
    __attribute__((aligned(64)));

static const char *const names[] = { "heo-2005-v1", "heo-2005-v2",
				     "piggin-2005", "zijlstra-2020-percpu" };
enum { NAMES = sizeof names / sizeof *names };

static const struct rwi_design *kind_of(int i)
{
	return rwi_design_find(names[i % NAMES]);
}

T_TEST(indices)
{
	const int all = RWI_PERCPU_LOCKS;

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < all; i++) {
			t_eq(kind_of(i)->init(locks[i]), 0);
			if (i % 3 == 0)
				kind_of(i)->down_read(locks[i]);
		}
		for (int i = 0; i < NAMES; i++)
			t_eq(kind_of(i)->init(locks[all]), EAGAIN);
		for (int i = 0; i < all; i++) {
			if (i % 3 != 0)
				kind_of(i)->down_write(locks[i]);
		}
		for (int i = 0; i < all; i++) {
			if (i % 3 == 0)
				kind_of(i)->up_read(locks[i]);
			else
				kind_of(i)->up_write(locks[i]);
			kind_of(i)->destroy(locks[i]);
		}
	}
}
