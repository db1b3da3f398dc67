/* SPDX-License-Identifier: MIT */
/*
 * rwsem seed in parts: what is to be measured, measuring it into a record, and
 * everything that is printed from records.
 *
 * A record is JSON; docs/benchmarking.md has its members.
 */
#ifndef RWI_SEED_TOOL_H
#define RWI_SEED_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/seeds/seed.h"
#include "tools/lib/bench_results.h"

enum { RWI_SEED_PARTS_MAX = 32, RWI_SEED_LOCKS_MAX = 256 };

/* Runs without a lock have its name; their design is null. */
#define RWI_SEED_NO_LOCK "none"

struct rwi_seed {
	const struct rwi_seed_part *parts[RWI_SEED_PARTS_MAX];
	unsigned parts_count;
	/* Names; none: each part's own. */
	const char *locks[RWI_SEED_LOCKS_MAX];
	unsigned locks_count;
	unsigned rounds; /* 0: each part's own */
	/* A squeeze of 0: each part's own. */
	struct rwi_seed_options options;
	bool progress;
};

/*
 * Announce it, measure, and return the record.  *code becomes the exit code if
 * that is worse than success; the record then has what was measured until it
 * ended.
 */
json_t *rwi_seed_measure(const struct rwi_seed *seed, int *code);

#define RWI_SEED_FORMAT         "rwsem-seed"
#define RWI_SEED_FORMAT_VERSION 1

/* ---- What a part of a record says ---- */

/* The runs of a cell with a lock: one value of each.  Without runs NAN. */
struct rwi_summary rwi_seed_value(const json_t *part, const char *cell,
				  const char *lock, const char *value);

/* The first value of a to that of b, round by round. */
struct rwi_summary rwi_seed_ratio(const json_t *part, const char *cell_a,
				  const char *lock_a, const char *cell_b,
				  const char *lock_b);

/* Put "results" and the verdicts on "claims" into it. */
void rwi_seed_conclude(json_t *part);

/* "agree", or "differ: ...", with the reasons, in the buffer. */
enum { RWI_SEED_VERDICT_SIZE = 320 };
char *rwi_seed_verdict(const json_t *claim, char text[RWI_SEED_VERDICT_SIZE]);

/*
 * The message's numbers of a kind, its tries in order, into `numbers`; returns
 * how many there are, which can be more than fit.
 */
size_t rwi_seed_figures(const json_t *part, const char *cell, const char *lock,
			const char *value, double *numbers, size_t room);

/* Bars of a part whose figures and values are counts of the same. */
void rwi_seed_chart(const json_t *part, FILE *file);

/* Conclude anew, and print all tables.  rwi_usage() if this is no record. */
void rwi_seed_report(json_t *record, FILE *file);

#endif
