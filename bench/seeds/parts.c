/* SPDX-License-Identifier: MIT */
/* All parts, in the order in which they run. */
#include "bench/seeds/seed.h"

#include <stddef.h>

extern const struct rwi_seed_part rwi_seed_part_2001;
extern const struct rwi_seed_part rwi_seed_part_mmap_2001;
extern const struct rwi_seed_part rwi_seed_part_2005;
extern const struct rwi_seed_part rwi_seed_part_2013_steal;
extern const struct rwi_seed_part rwi_seed_part_2013_spin;
extern const struct rwi_seed_part rwi_seed_part_2014;
extern const struct rwi_seed_part rwi_seed_part_aim7_2014;
extern const struct rwi_seed_part rwi_seed_part_mm;

const struct rwi_seed_part *const rwi_seed_parts[] = {
	&rwi_seed_part_2001,
	&rwi_seed_part_mmap_2001,
	&rwi_seed_part_2005,
	&rwi_seed_part_2013_steal,
	&rwi_seed_part_2013_spin,
	&rwi_seed_part_2014,
	&rwi_seed_part_aim7_2014,
	&rwi_seed_part_mm,
	NULL,
};
