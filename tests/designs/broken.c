/* SPDX-License-Identifier: MIT */
/* The mix of all operations catches every lock that is broken on purpose. */
#include "support/mix.h"

enum { THREADS = 3, ROUNDS = 20, MIXES = 400 };

/* Short mixes, for some flaws show only when nobody is left to heal them. */
static void mix_once(const struct rwi_design *design, void *lock, bool signals)
{
	t_mix(design, lock, THREADS, ROUNDS, signals);
	t_true(design->down_read_trylock(lock));
	t_up_read(design, lock);
}

T_DESIGNS(short_mixes, T_TRY)
{
	for (unsigned i = 0; i < t_rounds(MIXES); i++)
		mix_once(design, lock, i % 2);
}

T_CATCHES(short_mixes, exclusion, "busted-exclusion");
T_CATCHES(short_mixes, wakeup, "busted-wakeup");
T_CATCHES(short_mixes, handoff, "busted-handoff");

/* The list above is complete. */
T_TEST(all_are_named)
{
	unsigned broken = 0;

	for (const struct rwi_design *const *d = rwi_designs; *d; d++)
		broken += ((*d)->traits & RWI_BROKEN) != 0;
	t_eq(broken, 3);
}
