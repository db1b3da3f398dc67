/* SPDX-License-Identifier: MIT */
/*
 * Tables with a row for each lock.  A kind of test has a list of columns;
 * everything that is printed is in the record.
 */
#include "tools/lib/bench.h"

#include "tools/lib/bench_results.h"
#include "tools/lib/cli.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64, HEADING_SIZE = 64 };

struct column {
	char heading[HEADING_SIZE];
	enum rwi_metric metric;
	size_t test;
	size_t to;   /* a ratio to this lock, or locks_count */
	bool spread; /* median with minimum and maximum; else alone */
};

struct columns {
	const struct rwi_results *r;
	struct column list[COLUMNS_MAX];
	size_t count;
};

/* ---- Columns ---- */

static struct column *add(struct columns *c, enum rwi_metric metric,
			  size_t test)
{
	struct column *column = &c->list[c->count++];

	*column = (struct column){ .metric = metric,
				   .test = test,
				   .to = c->r->locks_count };
	strcpy(column->heading, rwi_metric_forms[metric].name);
	return column;
}

static void add_spread(struct columns *c, enum rwi_metric metric, size_t test)
{
	add(c, metric, test)->spread = true;
}

/* Nothing if that lock was not measured. */
static void add_ratio(struct columns *c, enum rwi_metric metric, size_t test,
		      size_t to, const char *word)
{
	struct column *column;

	if (to == c->r->locks_count)
		return;
	column = add(c, metric, test);
	column->to = to;
	column->spread = true;
	snprintf(column->heading, HEADING_SIZE, "%s %s", word,
		 rwi_text(rwi_lock(c->r, to), "name"));
}

/* Rates, and what they are in multiples of others'. */
static void add_rates(struct columns *c, size_t test)
{
	const struct rwi_results *r = c->r;
	const bool reads = rwi_test_has(r, test, RWI_READ);
	const bool writes = rwi_test_has(r, test, RWI_WRITE);
	const bool alone = rwi_test_is_alone(r, test);
	const enum rwi_metric sum = reads && writes ? RWI_PAIRS
				    : reads         ? RWI_READS
						    : RWI_WRITES;

	if (reads && writes) {
		add_spread(c, RWI_READS, test);
		add_spread(c, RWI_WRITES, test);
		add(c, RWI_SMALLER_SIDE, test);
	}
	add_spread(c, sum, test);
	add_ratio(c, sum, test, r->baseline, "x");
	/* The rival is the one to beat where threads meet. */
	if (!alone && r->rival != r->baseline)
		add_ratio(c, sum, test, r->rival, "x");
	/* The floor says something about one thread alone. */
	if (alone)
		add_ratio(c, sum, test, r->floor, "of");
	if (rwi_is(rwi_test(r, test), "oversubscribed"))
		add(c, RWI_PER_CPU, test);
}

static void add_lone(struct columns *c, size_t test)
{
	const char *side = rwi_text(rwi_test(c->r, test), "lone");
	const bool reads = !strcmp(side, "read");
	const size_t first = c->count;

	add_spread(c, RWI_LONE, test);
	add_spread(c, RWI_CROWD, test);
	add(c, RWI_CROWD_KEEPS, test);
	snprintf(c->list[first].heading, HEADING_SIZE, "k %ss/s", side);
	snprintf(c->list[first + 1].heading, HEADING_SIZE, "k %s/s",
		 reads ? "writes" : "reads");
}

static void add_waits(struct columns *c, size_t test, enum rwi_side side)
{
	static const enum rwi_metric first[] = { RWI_READ_P50, RWI_WRITE_P50 };
	const bool counts_threads =
	    rwi_whole(rwi_test(c->r, test),
		      side == RWI_READ ? "readers" : "writers") > 1;

	add(c, first[side], test);
	add(c, first[side] + 1, test);
	add(c, first[side] + 2, test);
	add_spread(c, first[side] + 3, test);
	if (counts_threads) {
		add(c, first[side] + 4, test);
		add(c, first[side] + 5, test);
	}
}

/* ---- A table ---- */

static bool is_measured(const struct columns *c, size_t lock)
{
	for (size_t i = 0; i < c->count; i++)
		if (rwi_value(c->r, c->list[i].metric, c->list[i].test, lock)
			.rounds)
			return true;
	return false;
}

static void cell(const struct columns *c, const struct column *column,
		 size_t lock, struct rwi_table *table)
{
	const size_t here[] = { column->test, lock };
	const size_t there[] = { column->test, column->to };
	const bool ratio = column->to != c->r->locks_count;
	const double unit = ratio ? 1 : rwi_metric_forms[column->metric].unit;
	const struct rwi_summary s =
	    ratio ? rwi_ratio(c->r, column->metric, here, there)
		  : rwi_value(c->r, column->metric, column->test, lock);
	char text[RWI_NUMBER_SIZE];

	if (column->spread)
		rwi_summary_cell(table, s, unit);
	else
		rwi_table_cell(table, "%s",
			       s.rounds ? rwi_number(s.median / unit, text)
					: "-");
}

static bool is_wrong(const struct columns *c, size_t lock)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->r->wrong[c->list[i].test * c->r->locks_count + lock])
			return true;
	return false;
}

static void print(const struct columns *c, FILE *file)
{
	struct rwi_table *table = rwi_table_new("lr");

	rwi_table_cell(table, "lock");
	for (size_t i = 0; i < c->count; i++)
		rwi_table_cell(table, "%s", c->list[i].heading);
	rwi_table_row(table);
	for (size_t lock = 0; lock < c->r->locks_count; lock++) {
		if (!is_measured(c, lock))
			continue;
		rwi_table_cell(table, "%s",
			       rwi_text(rwi_lock(c->r, lock), "name"));
		for (size_t i = 0; i < c->count; i++)
			cell(c, &c->list[i], lock, table);
		if (is_wrong(c, lock))
			rwi_table_cell(table, "WRONG RESULT");
		rwi_table_row(table);
	}
	rwi_table_print(table, file);
}

/* ---- What stands around it ---- */

static void threads(const json_t *test, const char *key, const char *one,
		    const char **before, FILE *file)
{
	const intmax_t n = rwi_whole(test, key);

	if (!n)
		return;
	fprintf(file, "%s%jd %s%s", *before, n, one, n > 1 ? "s" : "");
	*before = ", ";
}

static void title(const struct rwi_results *r, size_t test, FILE *file)
{
	const json_t *t = rwi_test(r, test);
	const char *before = "";

	fprintf(file, "\n%s%s: ", rwi_style(file, RWI_BOLD),
		rwi_text(t, "name"));
	threads(t, "readers", "reader", &before, file);
	threads(t, "writers", "writer", &before, file);
	threads(t, "mixed", "thread", &before, file);
	fprintf(file, "; %s%s%s\n",
		rwi_is(t, "pinned") ? "pinned" : "not pinned",
		rwi_is(t, "oversubscribed") ? ", oversubscribed" : "",
		rwi_style(file, RWI_PLAIN));
}

static void conditions(const struct rwi_results *r, size_t test,
		       const char *section, FILE *file)
{
	const json_t *t = rwi_test(r, test);
	const json_t *p = json_object_get(r->record, "parameters");

	fprintf(file,
		"  median (min..max); rounds: %zu, each %g s; section: "
		"%s%s%s%s\n",
		r->rounds, json_number_value(json_object_get(t, "seconds")),
		section,
		rwi_is(p, "yield") || rwi_is(t, "yield") ? " and yield" : "",
		rwi_is(p, "shared_counters") || rwi_is(t, "shared_counters")
		    ? ", shared counters"
		    : "",
		rwi_test_is_alone(r, test) ? "; rates by CPU time" : "");
	rwi_machine_line(r, file);
	rwi_canary_line(r, test, file);
}

/* The locks that are not in the table, with the reason. */
static void left_out(const struct rwi_results *r, const char *test, FILE *file)
{
	const json_t *list = json_object_get(r->record, "left_out");
	json_t *entry;
	size_t i;

	json_array_foreach(list, i,
			   entry) if (!strcmp(rwi_text(entry, "test"), test))
	    fprintf(file, "  left out: %s: %s\n", rwi_text(entry, "lock"),
		    rwi_text(entry, "why"));
}

/* ---- One test ---- */

static void waits_table(struct columns *c, size_t test, enum rwi_side side,
			FILE *file)
{
	c->count = 0;
	add_waits(c, test, side);
	fprintf(file, "  waits of %s:\n",
		side == RWI_READ ? "readers" : "writers");
	print(c, file);
}

static void test_table(const struct rwi_results *r, size_t test, FILE *file)
{
	const json_t *t = rwi_test(r, test);
	struct columns c = { .r = r };

	title(r, test, file);
	conditions(r, test, rwi_text(t, "section"), file);
	left_out(r, rwi_text(t, "name"), file);
	if (json_is_string(json_object_get(t, "lone")))
		add_lone(&c, test);
	else
		add_rates(&c, test);
	print(&c, file);
	if (!rwi_is(t, "waits"))
		return;
	for (enum rwi_side side = RWI_READ; side < RWI_SIDES; side++)
		if (rwi_test_has(r, test, side))
			waits_table(&c, test, side, file);
}

/* ---- Mixes: the loads side by side ---- */

static bool is_same_mix(const struct rwi_results *r, size_t a, size_t b)
{
	const json_t *x = rwi_test(r, a), *y = rwi_test(r, b);

	return rwi_whole(x, "mixed") == rwi_whole(y, "mixed") &&
	       json_equal(json_object_get(x, "turn"),
			  json_object_get(y, "turn"));
}

static bool is_mix(const struct rwi_results *r, size_t test)
{
	return rwi_whole(rwi_test(r, test), "mixed") > 0;
}

static void add_mix(struct columns *c, size_t test)
{
	const struct rwi_results *r = c->r;
	const size_t first = c->count;

	add_spread(c, RWI_MS, test);
	if (!rwi_test_has(r, test, RWI_READ) &&
	    rwi_whole(rwi_test(r, test), "amount"))
		add(c, RWI_OF_PAUSES, test);
	add_ratio(c, RWI_MS, test, r->rival, "x");
	snprintf(c->list[first].heading, HEADING_SIZE, "load %jd: ms/M",
		 rwi_whole(rwi_test(r, test), "amount"));
}

/* All tests that differ from this one, the first of them, in the load only. */
static void mix_table(const struct rwi_results *r, size_t test, FILE *file)
{
	enum { MIX_COLUMNS = 3 };
	struct columns c = { .r = r };
	const json_t *turn = json_object_get(rwi_test(r, test), "turn");

	title(r, test, file);
	fprintf(file,
		"  each reads %jd and writes %jd times in turn; ms for a "
		"million pairs, less is better\n",
		(intmax_t)json_integer_value(json_array_get(turn, RWI_READ)),
		(intmax_t)json_integer_value(json_array_get(turn, RWI_WRITE)));
	conditions(r, test, "load pauses", file);
	left_out(r, rwi_text(rwi_test(r, test), "name"), file);
	for (size_t i = test; i < r->tests_count; i++) {
		if (!is_mix(r, i) || !is_same_mix(r, i, test))
			continue;
		if (c.count + MIX_COLUMNS > COLUMNS_MAX) {
			print(&c, file);
			c.count = 0;
		}
		add_mix(&c, i);
	}
	print(&c, file);
}

/* Was it in the table of an earlier one? */
static bool is_printed(const struct rwi_results *r, size_t test)
{
	for (size_t i = 0; i < test; i++)
		if (is_mix(r, i) && is_same_mix(r, i, test))
			return true;
	return false;
}

/* ---- All tests: a row for each, so that many fit ---- */

enum { ROW_MAX = 8 };

static void ratio_row(const struct rwi_results *r, struct rwi_table *table,
		      size_t test, const size_t *locks, size_t to)
{
	const enum rwi_metric metric = rwi_test_metric(r, test);
	const size_t there[] = { test, to };
	char text[RWI_NUMBER_SIZE];

	rwi_table_cell(table, "%s", rwi_text(rwi_test(r, test), "name"));
	for (size_t i = 0; i < ROW_MAX && locks[i] < r->locks_count; i++) {
		const size_t here[] = { test, locks[i] };
		const struct rwi_summary s = rwi_ratio(r, metric, here, there);

		rwi_table_cell(table, "%s",
			       s.rounds ? rwi_number(s.median, text) : "-");
	}
	rwi_table_row(table);
}

/* The next locks for a row, and locks_count for those that lack. */
static size_t next_locks(const struct rwi_results *r, size_t from,
			 size_t locks[ROW_MAX])
{
	for (size_t i = 0; i < ROW_MAX; i++) {
		from += from == r->lockless && from < r->locks_count;
		locks[i] = from;
		from += from < r->locks_count;
	}
	return from;
}

static void ratio_table(const struct rwi_results *r, size_t to, FILE *file)
{
	size_t next = 0, locks[ROW_MAX];

	fprintf(file,
		"\n%sAll tests: rates as multiples of %s's (median over "
		"rounds)%s\n",
		rwi_style(file, RWI_BOLD), rwi_text(rwi_lock(r, to), "name"),
		rwi_style(file, RWI_PLAIN));
	rwi_machine_line(r, file);
	rwi_canary_line(r, r->tests_count, file);
	while (next = next_locks(r, next, locks), locks[0] < r->locks_count) {
		struct rwi_table *table = rwi_table_new("lr");

		rwi_table_cell(table, "test");
		for (size_t i = 0; i < ROW_MAX && locks[i] < r->locks_count;
		     i++)
			rwi_table_cell(table, "%s",
				       rwi_text(rwi_lock(r, locks[i]), "name"));
		rwi_table_row(table);
		for (size_t test = 0; test < r->tests_count; test++)
			ratio_row(r, table, test, locks, to);
		rwi_table_print(table, file);
	}
}

void rwi_bench_report(const json_t *record, FILE *file)
{
	struct rwi_results r;

	rwi_results_read(&r, record);
	if (!rwi_is(record, "complete"))
		fputs("\nNot complete: later rounds are missing.\n", file);
	for (size_t test = 0; test < r.tests_count; test++) {
		if (!is_mix(&r, test))
			test_table(&r, test, file);
		else if (!is_printed(&r, test))
			mix_table(&r, test, file);
	}
	if (r.baseline < r.locks_count && r.tests_count > 1)
		ratio_table(&r, r.baseline, file);
	if (r.rival < r.locks_count && r.rival != r.baseline &&
	    r.tests_count > 1)
		ratio_table(&r, r.rival, file);
	rwi_claims_report(&r, file);
	rwi_results_free(&r);
}
