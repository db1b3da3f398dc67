/* SPDX-License-Identifier: MIT */
#include "bench/canary.h"

#include "bench/window.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* ---- Designs that only the bench knows ---- */

static _Thread_local _Alignas(128) atomic_int flag;
static _Alignas(128) atomic_int writer;

static void raise_flag(void *lock)
{
	(void)lock;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	(void)atomic_load_explicit(&writer, memory_order_acquire);
}

static void lower_flag(void *lock)
{
	(void)lock;
	atomic_store_explicit(&flag, 0, memory_order_release);
}

static void read_pairs(void *lock, uint64_t pairs)
{
	while (pairs--) {
		raise_flag(lock);
		lower_flag(lock);
	}
}

static const struct rwi_design flags = {
	.name = "flags",
	.traits = RWI_NO_EXCLUSION,
	.down_read = raise_flag,
	.up_read = lower_flag,
	.read_pairs = read_pairs,
};

static void nothing(void *lock)
{
	(void)lock;
}

const struct rwi_design rwi_lockless = {
	.name = "lockless",
	.summary = "no lock at all: what the scheduler does by itself",
	.origin = "this project",
	.traits = RWI_NO_EXCLUSION,
	.down_read = nothing,
	.up_read = nothing,
	.down_write = nothing,
	.up_write = nothing,
};

/* ---- The canary ---- */

/* Pairs a second of so many readers. */
static int rate(unsigned readers, const int *cpus, double *pairs_s)
{
	const struct rwi_workload test = { .readers = readers };
	const struct rwi_section section = { .name = "empty" };
	const struct rwi_window window = {
		.design = &flags,
		.test = &test,
		.section = &section,
		.cpus = cpus,
		.warmup_s = 0.002,
		.measured_s = 0.02,
	};
	struct rwi_outcome *out;
	const int error = rwi_window_run(&window, &out);
	double seconds;

	if (error)
		return error;
	seconds = readers == 1 ? out->cpu_seconds : out->seconds;
	*pairs_s = seconds > 0 ? (double)out->pairs[RWI_READ] / seconds : NAN;
	free(out);
	return 0;
}

int rwi_canary(const int *cpus, unsigned cores, double *ratio)
{
	double one, two;
	int error;

	*ratio = NAN;
	if (cores < 2)
		return 0;
	error = rate(1, cpus, &one);
	if (!error)
		error = rate(2, cpus, &two);
	if (!error)
		*ratio = two / one;
	return error;
}
