/* SPDX-License-Identifier: MIT */
/* What the port offers to tests; linked into test builds only. */
#include "port/port.h"

#define RWI_TUNABLE(name, value) .name = (value),
struct rwi_tunables rwi_tunables = {
#include "port/tunables.def"
};
#undef RWI_TUNABLE

uint64_t rwi_event_count[RWI_EVENTS];
void (*rwi_step_hook)(struct rwi_point *point);

void rwi_step_hit(struct rwi_point *point)
{
	void (*hook)(struct rwi_point *) =
	    __atomic_load_n(&rwi_step_hook, __ATOMIC_ACQUIRE);

	__atomic_fetch_add(&point->hits, 1, __ATOMIC_RELAXED);
	if (hook)
		hook(point);
}
