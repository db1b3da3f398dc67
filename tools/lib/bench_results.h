/* SPDX-License-Identifier: MIT */
/*
 * The numbers in a record of `rwsem bench`.
 *
 * Each window gives one value for each metric.  Medians are taken over rounds;
 * ratios are formed within each round, where both windows met the same
 * conditions, and then their median is taken: it is steadier than the ratio of
 * two medians.
 *
 * A lone thread never waits, so its rates are by the CPU time it had: then it
 * does not matter who else used its CPU.  With company, waiting is part of the
 * result, and rates are by the clock.
 */
#ifndef RWI_BENCH_RESULTS_H
#define RWI_BENCH_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/workload.h"
#include "tools/lib/table.h"

enum rwi_metric {
	RWI_READS, /* a second */
	RWI_WRITES,
	RWI_PAIRS, /* both */
	RWI_SMALLER_SIDE,
	RWI_PER_CPU,
	RWI_MS,
	RWI_OF_PAUSES,
	RWI_LONE, /* of a lone test */
	RWI_CROWD,
	RWI_CROWD_KEEPS,
	RWI_LONGEST,  /* of both sides; in a lone test, of the one */
	RWI_READ_P50, /* from here on: the same for readers, then writers */
	RWI_READ_P99,
	RWI_READ_P999,
	RWI_READ_MAX,
	RWI_READ_LEAST,
	RWI_READ_MOST,
	RWI_WRITE_P50,
	RWI_WRITE_P99,
	RWI_WRITE_P999,
	RWI_WRITE_MAX,
	RWI_WRITE_LEAST,
	RWI_WRITE_MOST,
	RWI_METRICS
};

struct rwi_metric_form {
	const char *name; /* with its unit */
	double unit;
	bool lower; /* is better */
};
extern const struct rwi_metric_form rwi_metric_forms[RWI_METRICS];

struct rwi_cell {
	double values[RWI_METRICS]; /* NAN: not measured */
};

struct rwi_results {
	const json_t *record, *tests, *locks;
	size_t tests_count, locks_count, rounds;
	/* A lock's place, or locks_count. */
	size_t baseline, rival, floor, lockless;
	struct rwi_cell *cells;      /* by test, lock and round */
	bool *wrong;                 /* by test and lock */
	double *canaries, *pause_ns; /* by test and round */
	double *scratch;             /* one value a test and round */
};

/* Values over rounds. */
struct rwi_summary {
	size_t rounds; /* that had a value */
	double median, min, max;
};

/* rwi_usage() if this is no record. */
void rwi_results_read(struct rwi_results *results, const json_t *record);
void rwi_results_free(struct rwi_results *results);

/* Places by name, or the count if there is none. */
size_t rwi_results_test(const struct rwi_results *r, const char *name);
size_t rwi_results_lock(const struct rwi_results *r, const char *name);

/* What the record says of them. */
const json_t *rwi_test(const struct rwi_results *r, size_t test);
const json_t *rwi_lock(const struct rwi_results *r, size_t lock);
const char *rwi_text(const json_t *object, const char *key);
intmax_t rwi_whole(const json_t *object, const char *key);
bool rwi_is(const json_t *object, const char *key);

/* Does this test have threads that do this? */
bool rwi_test_has(const struct rwi_results *r, size_t test, enum rwi_side side);
bool rwi_test_is_alone(const struct rwi_results *r, size_t test);
/* The one by which locks are compared in this test. */
enum rwi_metric rwi_test_metric(const struct rwi_results *r, size_t test);

struct rwi_summary rwi_value(const struct rwi_results *r,
			     enum rwi_metric metric, size_t test, size_t lock);

/* The same as multiples of what lock `to` has in test `to_test`. */
struct rwi_summary rwi_ratio(const struct rwi_results *r,
			     enum rwi_metric metric, const size_t cell[2],
			     const size_t to[2]);

/* The canary before a test; of all tests, if it is tests_count. */
struct rwi_summary rwi_canaries(const struct rwi_results *r, size_t test,
				size_t *disturbed);

/* "1.93 (1.90..1.97)" into a table; "-" without a value. */
void rwi_summary_cell(struct rwi_table *table, struct rwi_summary s,
		      double unit);

/* Lines about the program and the machine, and about the canary. */
void rwi_machine_line(const struct rwi_results *r, FILE *file);
void rwi_canary_line(const struct rwi_results *r, size_t test, FILE *file);

/* What this project claims, as far as the record has it. */
void rwi_claims_report(const struct rwi_results *r, FILE *file);

#endif
