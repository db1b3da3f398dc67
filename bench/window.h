/* SPDX-License-Identifier: MIT */
/*
 * A window: one lock under one workload for a short time.
 *
 * Everything that is published is made of windows.  They are short, so that
 * those of all locks can alternate and meet the same weather.
 */
#ifndef RWI_WINDOW_H
#define RWI_WINDOW_H

#include "bench/workload.h"
#include "designs/design.h"

struct rwi_window {
	const struct rwi_design *design;
	const struct rwi_section *section;
	unsigned readers;
	unsigned writers;
	const int *cpus; /* thread n runs on cpus[n]; null: anywhere */
	double warmup_s;
	double measured_s;
};

/* What one thread did in the measured time. */
struct rwi_seat {
	uint64_t operations;
	int cpu; /* -1: not pinned */
	bool writes;
};

struct rwi_outcome {
	double seconds;     /* until the last thread had finished */
	double cpu_seconds; /* of all threads together */
	uint64_t reads;     /* acquired and released */
	uint64_t writes;    /* acquired and released */
	uint64_t checked;   /* pairs that checked the lock, in all the time */
	uint64_t wrong;     /* reads of half a write, and lost writes */
	struct rwi_seat seats[];
};

/*
 * Run a window.  *outcome is allocated, with a seat for each thread, readers
 * first, and to be freed.  Returns 0, EINTR if a signal handler ran in the
 * calling thread (the outcome is dropped then), EDEADLK if a thread does not
 * come out of the lock for ten seconds, or another errno.
 */
int rwi_window_run(const struct rwi_window *window,
		   struct rwi_outcome **outcome);

/*
 * How many pairs a thread runs between two looks at the time, when there are
 * this many of them.
 */
unsigned rwi_window_batch(unsigned threads);

#endif
