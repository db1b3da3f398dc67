/* SPDX-License-Identifier: MIT */
/* AIM7 in user space, with the locks it takes in a kernel. */
#ifndef RWI_AIM7_H
#define RWI_AIM7_H

#include "bench/seeds/aim7_mixes.h"
#include "bench/seeds/aim7_objects.h"
#include "bench/seeds/seed.h"
#include "designs/design.h"

#include <stdbool.h>
#include <stdint.h>

struct rwi_aim7_load {
	const struct rwi_aim7_mix *mix;
	unsigned users;
	unsigned shorter; /* do one so-manieth of every job, and sleep so */
	/*
	 * Above 0: divide by this what users do apart from each other, as if
	 * there were so many times as many CPUs for it.
	 */
	double squeeze;
	uint64_t random; /* seed of the order of jobs */
};

struct rwi_aim7_result {
	uint64_t jobs;       /* all users' together */
	double elapsed_s;    /* until the last user has finished */
	double jobs_per_min; /* as whole jobs; squeezed ones count as whole */
	double mean_s, sd_s; /* of when users finish */
	struct rwi_aim7_use use;
};

/*
 * Run it with one thread for each user.  Returns null, or what was wrong; if
 * threads are *stuck, memory they use is not freed.
 */
const char *rwi_aim7_run(const struct rwi_aim7_load *load,
			 const struct rwi_design *design,
			 struct rwi_aim7_result *result, bool *stuck);

extern const struct rwi_seed_part rwi_seed_part_2013_spin;
extern const struct rwi_seed_part rwi_seed_part_aim7_2014;

#endif
