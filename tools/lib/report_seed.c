/* SPDX-License-Identifier: MIT */
/*
 * A record of rwsem seed as a page: each message's measurement with its charts,
 * there and here, what was claimed, and the tables.
 */
#include "tools/lib/report_seed.h"

#include "tools/lib/cli.h"
#include "tools/lib/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the record that is understood here; docs/benchmarking.md has it. */
enum { FORMAT_VERSION = 1 };

/* ---- Reading ---- */

static bool has_text(const json_t *object, const char *key)
{
	return json_is_string(json_object_get(object, key));
}

static bool has_list(const json_t *object, const char *key)
{
	return json_is_array(json_object_get(object, key));
}

bool rwi_part_read(struct rwi_part *p, const json_t *json)
{
	if (!has_text(json, "name") || !has_text(json, "title") ||
	    !has_text(json, "message") || !has_list(json, "values") ||
	    !has_list(json, "cells") || !has_list(json, "locks") ||
	    !has_list(json, "results") || !has_list(json, "figures") ||
	    !has_list(json, "claims"))
		return false;
	*p = (struct rwi_part){ .json = json,
				.cells = json_object_get(json, "cells"),
				.locks = json_object_get(json, "locks"),
				.values = json_object_get(json, "values"),
				.less = rwi_is(json, "less_is_better") };
	p->cells_count = json_array_size(p->cells);
	p->locks_count = json_array_size(p->locks);
	return json_array_size(p->values) > 0;
}

const char *rwi_part_cell(const struct rwi_part *p, size_t cell)
{
	return rwi_text(json_array_get(p->cells, cell), "name");
}

const char *rwi_part_lock(const struct rwi_part *p, size_t lock)
{
	const char *name = json_string_value(json_array_get(p->locks, lock));

	return name ? name : "?";
}

const char *rwi_part_value(const struct rwi_part *p, size_t value)
{
	const char *name = json_string_value(json_array_get(p->values, value));

	return name ? name : "?";
}

static bool is_about(const json_t *item, const char *cell, const char *lock)
{
	return !strcmp(rwi_text(item, "cell"), cell) &&
	       !strcmp(rwi_text(item, "lock"), lock);
}

/* Several numbers of the same kind are several tries: their mean. */
static struct rwi_summary figure(const struct rwi_part *p, const char *cell,
				 const char *lock, const char *value)
{
	json_t *list = json_object_get(p->json, "figures"), *item;
	struct rwi_summary s = {
		.rounds = 0, .median = 0, .min = INFINITY, .max = -INFINITY
	};
	size_t i;

	json_array_foreach(list, i, item)
	{
		const double x =
		    json_number_value(json_object_get(item, "number"));

		if (!is_about(item, cell, lock) ||
		    strcmp(rwi_text(item, "value"), value) != 0)
			continue;
		s.rounds++;
		s.median += x;
		s.min = fmin(s.min, x);
		s.max = fmax(s.max, x);
	}
	if (s.rounds)
		s.median /= (double)s.rounds;
	return s;
}

struct rwi_summary rwi_part_summary(const json_t *numbers)
{
	struct rwi_summary s = { .rounds = 0 };
	json_t *median = json_object_get(numbers, "median");

	if (!json_is_number(median))
		return s;
	s.rounds = (size_t)rwi_whole(numbers, "rounds");
	s.median = s.min = s.max = json_number_value(median);
	if (json_is_number(json_object_get(numbers, "min")))
		s.min = json_number_value(json_object_get(numbers, "min"));
	if (json_is_number(json_object_get(numbers, "max")))
		s.max = json_number_value(json_object_get(numbers, "max"));
	return s;
}

struct rwi_summary rwi_part_number(const struct rwi_part *p,
				   enum rwi_origin origin, const char *cell,
				   const char *lock, const char *value)
{
	json_t *list = json_object_get(p->json, "results"), *item;
	size_t i;

	if (origin == RWI_THERE)
		return figure(p, cell, lock, value);
	json_array_foreach(list, i, item)
	{
		if (is_about(item, cell, lock))
			return rwi_part_summary(json_object_get(
			    json_object_get(item, "values"), value));
	}
	return (struct rwi_summary){ .rounds = 0 };
}

bool rwi_part_family(const char *cell, char family[RWI_FAMILY_SIZE], double *x)
{
	const char *dash = strrchr(cell, '-');
	char *end = NULL;

	snprintf(family, RWI_FAMILY_SIZE, "%s", cell);
	if (!dash || dash == cell || (size_t)(dash - cell) >= RWI_FAMILY_SIZE)
		return false;
	*x = strtod(dash + 1, &end);
	if (end == dash + 1 || *end || !isfinite(*x) || *x <= 0)
		return false;
	family[dash - cell] = '\0';
	return true;
}

/* ---- Claims ---- */

/* Whose ratio it is: "one to two in r1". */
static void ratio_of(const json_t *claim, char *text, size_t size)
{
	const char *cell_a = rwi_text(claim, "cell_a");
	const char *cell_b = rwi_text(claim, "cell_b");
	const char *lock_a = rwi_text(claim, "lock_a");
	const char *lock_b = rwi_text(claim, "lock_b");

	if (!strcmp(cell_a, cell_b))
		snprintf(text, size, "%s to %s in %s", lock_a, lock_b, cell_a);
	else
		snprintf(text, size, "%s in %s to %s in %s", lock_a, cell_a,
			 lock_b, cell_b);
}

static void claim_row(struct rwi_page *page, const json_t *claim)
{
	const struct rwi_summary here =
	    rwi_part_summary(json_object_get(claim, "here"));
	const double there = json_number_value(json_object_get(claim, "there"));
	const char *verdict = rwi_text(claim, "verdict");
	const char *reason =
	    json_string_value(json_object_get(claim, "reason"));
	const bool agrees = !strcmp(verdict, "agree");
	const bool differs = !strcmp(verdict, "differ");
	char text[RWI_CHART_TEXT * 2];

	rwi_page_row(page, false, rwi_text(claim, "says"));
	if (agrees || differs)
		rwi_page_verdict(page, agrees, verdict);
	else
		rwi_page_cell(page, 'l', verdict);
	rwi_page_number(page, there > 0, there);
	rwi_page_spread(page, here.rounds, here.median, here.min, here.max, 1);
	ratio_of(claim, text, sizeof text);
	rwi_page_cell(page, 'l', text);
	rwi_page_cell(page, 'l', reason && differs ? reason : "");
}

static void claims(struct rwi_page *page, const struct rwi_part *p)
{
	json_t *list = json_object_get(p->json, "claims"), *claim;
	size_t i;

	if (!json_array_size(list))
		return;
	rwi_page_paragraph(page, "note",
			   "Claims are ratios of the first value, there and "
			   "here.  One agrees if both are on the same side of "
			   "1; nothing is tuned to agree.");
	rwi_page_table(page, "What the message claims");
	rwi_page_head(page, 'l', "claim");
	rwi_page_head(page, 'l', "verdict");
	rwi_page_head(page, 'r', "there");
	rwi_page_head(page, 'r', "here");
	rwi_page_head(page, 'l', "ratio");
	rwi_page_head(page, 'l', "reason, if known");
	json_array_foreach(list, i, claim) claim_row(page, claim);
	rwi_page_table_end(page);
}

/* ---- Parts ---- */

static void faults(struct rwi_page *page, const struct rwi_part *p)
{
	json_t *list = json_object_get(p->json, "runs"), *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (json_is_string(json_object_get(item, "fault")))
			rwi_page_paragraph(
			    page, "warn", "WRONG RESULT: %s in %s: %s.",
			    rwi_text(item, "lock"), rwi_text(item, "cell"),
			    rwi_text(item, "fault"));
	}
	list = json_object_get(p->json, "left_out");
	json_array_foreach(list, i, item)
	{
		rwi_page_paragraph(page, "note", "Left out: %s: %s.",
				   rwi_text(item, "lock"),
				   rwi_text(item, "why"));
	}
}

static void part(struct rwi_page *page, const struct rwi_part *p)
{
	const double squeeze =
	    json_number_value(json_object_get(p->json, "squeeze"));
	char title[RWI_CHART_TEXT];

	snprintf(title, sizeof title, "%s: %s", rwi_text(p->json, "name"),
		 rwi_text(p->json, "title"));
	rwi_page_chapter(page, title);
	rwi_page_paragraph(page, "note", "%s.", rwi_text(p->json, "message"));
	if (squeeze > 1)
		rwi_page_paragraph(page, "note",
				   "What is computed between locks is divided "
				   "by %g (squeeze), as if there were so many "
				   "times as many CPUs.",
				   squeeze);
	faults(page, p);
	rwi_part_charts(page, p);
	claims(page, p);
	rwi_part_tables(page, p);
}

/* Of one part. */
static unsigned verdicts(const json_t *json, const char *verdict)
{
	const json_t *list = json_object_get(json, "claims");
	unsigned n = 0;
	json_t *claim;
	size_t i;

	json_array_foreach(list, i, claim) n +=
	    !strcmp(rwi_text(claim, "verdict"), verdict);
	return n;
}

static void verdicts_table(struct rwi_page *page, const json_t *parts)
{
	static const char *const words[] = { "agree", "differ",
					     "not measured" };
	json_t *json;
	size_t i;

	rwi_page_table(page, "Claims of the messages: how many");
	rwi_page_head(page, 'l', "");
	for (size_t k = 0; k < 3; k++)
		rwi_page_head(page, 'r', words[k]);
	rwi_page_head(page, 'l', "message");
	json_array_foreach(parts, i, json)
	{
		char number[RWI_FIGURE_SIZE];

		rwi_page_row(page, false, rwi_text(json, "name"));
		for (size_t k = 0; k < 3; k++) {
			snprintf(number, sizeof number, "%u",
				 verdicts(json, words[k]));
			rwi_page_cell(page, 'r', number);
		}
		rwi_page_cell(page, 'l', rwi_text(json, "message"));
	}
	rwi_page_table_end(page);
}

static void summary(struct rwi_page *page, const json_t *record)
{
	const json_t *parts = json_object_get(record, "parts");
	const json_t *parameters = json_object_get(record, "parameters");
	unsigned agree = 0, differ = 0;
	json_t *json;
	size_t i;

	json_array_foreach(parts, i, json)
	{
		agree += verdicts(json, "agree");
		differ += verdicts(json, "differ");
	}
	rwi_page_chapter(page, "What was measured");
	rwi_page_paragraph(page, "lead",
			   "What the designs' authors measured, again: of "
			   "what they claim, %u agree and %u differ on this "
			   "machine.",
			   agree, differ);
	if (!rwi_is(record, "complete"))
		rwi_page_paragraph(page, "warn",
				   "Not complete: later runs are missing.");
	verdicts_table(page, parts);
	rwi_page_paragraph(page, "note", "Sizes and durations are %s.",
			   rwi_is(parameters, "full")
			       ? "the messages' own"
			       : "shorter than the messages'");
}

void rwi_report_seed(struct rwi_page *page, const json_t *record)
{
	json_t *parts = json_object_get(record, "parts"), *json;
	const intmax_t version = rwi_whole(record, "format_version");
	struct rwi_part p;
	size_t i;

	if (!json_is_array(parts))
		rwi_usage("this is no record of rwsem seed");
	if (version != FORMAT_VERSION)
		rwi_usage("the record has format version %jd, not %d", version,
			  FORMAT_VERSION);
	summary(page, record);
	json_array_foreach(parts, i, json)
	{
		if (!rwi_part_read(&p, json))
			rwi_usage("the record has a part that is none");
		page->spreads = rwi_whole(json, "rounds") > 1;
		part(page, &p);
	}
}
