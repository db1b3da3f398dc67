/* SPDX-License-Identifier: MIT */
/*
 * A window: one lock under one workload for a short time.
 *
 * Everything that is published is made of windows.  They are short, so that
 * those of all locks can alternate and meet the same weather.
 */
#ifndef RWI_WINDOW_H
#define RWI_WINDOW_H

#include "bench/section.h"
#include "bench/waits.h"
#include "bench/workload.h"
#include "designs/design.h"

struct rwi_window {
	const struct rwi_design *design;
	const struct rwi_workload *test;
	const struct rwi_section *section;
	bool shared_counters; /* each pair counts as the tests of 2001 did */
	bool yield;           /* each section gives its CPU away */
	const int *cpus;      /* thread n runs on cpus[n]; null: anywhere */
	double warmup_s;
	double measured_s;
};

struct rwi_outcome {
	double seconds;            /* until the last thread had finished */
	double cpu_seconds;        /* of all threads together */
	uint64_t pairs[RWI_SIDES]; /* acquired and released */
	uint64_t checked;          /* pairs that checked the lock, ever */
	uint64_t wrong;            /* checks that failed, and lost writes */
	struct rwi_wait_summary waits[RWI_SIDES];
	uint64_t by_thread[]; /* pairs; readers, then writers, then others */
};

/*
 * Run a window.  *outcome is allocated, and to be freed.  Returns 0, EINTR if a
 * signal handler ran in the calling thread (the outcome is dropped then),
 * EDEADLK if a thread does not come out of the lock for ten seconds, or another
 * errno.
 */
int rwi_window_run(const struct rwi_window *window,
		   struct rwi_outcome **outcome);

/* How many pairs a thread runs between two looks at the time. */
unsigned rwi_window_batch(const struct rwi_workload *test);

#endif
