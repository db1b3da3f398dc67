/* SPDX-License-Identifier: MIT */
/* A part of a record of rwsem seed, as its charts and tables ask for it. */
#ifndef RWI_REPORT_SEED_H
#define RWI_REPORT_SEED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "tools/lib/bench_results.h"
#include "tools/lib/report_page.h"

/* Where numbers come from. */
enum rwi_origin { RWI_THERE, RWI_HERE }; /* the message; this machine */

struct rwi_part {
	const json_t *json;
	const json_t *cells, *locks, *values; /* arrays; cells are objects */
	bool less; /* is better, of the first value */
	size_t cells_count, locks_count;
};

/* False if the JSON is no part. */
bool rwi_part_read(struct rwi_part *part, const json_t *json);

const char *rwi_part_cell(const struct rwi_part *part, size_t cell);
const char *rwi_part_lock(const struct rwi_part *part, size_t lock);
const char *rwi_part_value(const struct rwi_part *part, size_t value);

/* Median, minimum and maximum as the record has them; or without rounds. */
struct rwi_summary rwi_part_summary(const json_t *numbers);

/* All numbers under these names: rounds here, tries there. */
struct rwi_summary rwi_part_number(const struct rwi_part *part,
				   enum rwi_origin origin, const char *cell,
				   const char *lock, const char *value);

/*
 * A cell's name as a family with a number behind: "select-10" and 20.  False
 * if there is no number; then the family is the whole name.
 */
enum { RWI_FAMILY_SIZE = 64 };
bool rwi_part_family(const char *cell, char family[RWI_FAMILY_SIZE], double *x);

/* Names in order, each once. */
enum { RWI_NAMES_MAX = 256 };
struct rwi_names {
	size_t count;
	const char *list[RWI_NAMES_MAX];
};

/* Add those of "cell", "lock" or "value" that were measured, or published. */
void rwi_part_names(const struct rwi_part *part, enum rwi_origin origin,
		    const char *key, struct rwi_names *names);

/* "real_s" as "real s". */
char *rwi_value_words(const char *value, char words[RWI_FAMILY_SIZE]);

void rwi_part_charts(struct rwi_page *page, const struct rwi_part *part);
void rwi_part_tables(struct rwi_page *page, const struct rwi_part *part);

#endif
