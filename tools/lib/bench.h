/* SPDX-License-Identifier: MIT */
/*
 * rwsem bench in parts: what is to be measured, measuring it into a record,
 * and everything that is printed from records.
 */
#ifndef RWI_BENCH_H
#define RWI_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/section.h"
#include "bench/workload.h"
#include "designs/design.h"

enum { RWI_BENCH_MAX = 256 }; /* of tests, and of locks */

struct rwi_bench {
	struct rwi_workload tests[RWI_BENCH_MAX];
	const struct rwi_design *locks[RWI_BENCH_MAX];
	unsigned tests_count, locks_count;
	const struct rwi_design *baseline;
	struct rwi_section section;
	const char *set; /* by name, or custom */
	/* Whether the set has this lock in this test; null: it has all. */
	bool (*wants)(const char *test, const char *lock);
	unsigned rounds;
	double seconds, warmup; /* of a window; negative: by its test */
	uint64_t seed;
	bool shared_counters, yield, no_pin;
	bool all_spinners; /* also with more threads than CPUs */
	bool progress;
};

/*
 * Announce it, measure, and return the record.  *code becomes the exit code if
 * that is worse than success; the record then has what was measured until
 * something went wrong.
 */
json_t *rwi_bench_measure(const struct rwi_bench *bench, int *code);

#define RWI_BENCH_FORMAT         "rwsem-bench"
#define RWI_BENCH_FORMAT_VERSION 1

/* Print all tables.  rwi_usage() if this is no record. */
void rwi_bench_report(const json_t *record, FILE *file);

/* Print what changed from one record to another. */
void rwi_bench_compare(const json_t *old, const json_t *new, FILE *file);

#endif
