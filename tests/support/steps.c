/* SPDX-License-Identifier: MIT */
#include "support/steps.h"

#include "port/port.h"
#include "support/t.h"

#include <string.h>

enum { ACTS_MAX = 4 };

static _Thread_local struct {
	const char *step;
	void (*act)(void *);
	void *arg;
} acts[ACTS_MAX];

static void hook(struct rwi_point *point)
{
	for (int i = 0; i < ACTS_MAX; i++) {
		if (!acts[i].step || strcmp(acts[i].step, point->name) != 0)
			continue;
		acts[i].step = NULL;
		acts[i].act(acts[i].arg);
		return;
	}
}

void t_at_step(const char *step, void (*act)(void *), void *arg)
{
	t_store_release(&rwi_step_hook, hook);
	for (int i = 0; i < ACTS_MAX; i++) {
		if (acts[i].step)
			continue;
		acts[i].step = step;
		acts[i].act = act;
		acts[i].arg = arg;
		return;
	}
	t_fail("more than %d acts at once", ACTS_MAX);
}

void t_all_steps_taken(void)
{
	for (int i = 0; i < ACTS_MAX; i++)
		if (acts[i].step)
			t_fail("never came to %s", acts[i].step);
}
