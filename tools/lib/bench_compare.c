/* SPDX-License-Identifier: MIT */
/* Two records side by side: what got better, what got worse. */
#include "tools/lib/bench.h"

#include "tools/lib/bench_results.h"
#include "tools/lib/cli.h"

#include <math.h>
#include <string.h>

struct pair {
	const struct rwi_results *old, *new;
	size_t old_test, new_test, old_lock, new_lock;
	struct rwi_table *table;
};

/*
 * Changed, if each median is outside of what the other record had, and by
 * more than this.  Fewer rounds than these say nothing.
 */
#define SAME_WITHIN 0.05
enum { ROUNDS_MIN = 3 };

static const char *verdict(struct rwi_summary old, struct rwi_summary new,
			   bool lower)
{
	const double change = new.median / old.median - 1;

	if (old.rounds < ROUNDS_MIN || new.rounds < ROUNDS_MIN)
		return "too few rounds";
	if (isnan(change) || fabs(change) < SAME_WITHIN ||
	    (new.median >= old.min &&new.median <= old.max) ||
	    (old.median >= new.min &&old.median <= new.max))
		return "same";
	return (change < 0) == lower ? "better" : "worse";
}

static void row(const struct pair *p, enum rwi_metric metric)
{
	const struct rwi_metric_form *form = &rwi_metric_forms[metric];
	const struct rwi_summary old =
	    rwi_value(p->old, metric, p->old_test, p->old_lock);
	const struct rwi_summary new =
	    rwi_value(p->new, metric, p->new_test, p->new_lock);
	const double ratio = new.median / old.median;
	char text[RWI_NUMBER_SIZE];

	if (!old.rounds || !new.rounds)
		return;
	rwi_table_cell(p->table, "%s",
		       rwi_text(rwi_test(p->new, p->new_test), "name"));
	rwi_table_cell(p->table, "%s",
		       rwi_text(rwi_lock(p->new, p->new_lock), "name"));
	rwi_table_cell(p->table, "%s", form->name);
	rwi_summary_cell(p->table, old, form->unit);
	rwi_summary_cell(p->table, new, form->unit);
	rwi_table_cell(p->table, "%s",
		       isnan(ratio) ? "-" : rwi_number(ratio, text));
	rwi_table_cell(p->table, "%s", verdict(old, new, form->lower));
	rwi_table_row(p->table);
}

/* What each kind of test is about; a metric it has not gives no row. */
static void rows(const struct pair *p)
{
	static const enum rwi_metric mix[] = { RWI_MS };
	static const enum rwi_metric lone[] = { RWI_LONE, RWI_CROWD,
						RWI_LONGEST };
	static const enum rwi_metric roles[] = { RWI_READS, RWI_WRITES,
						 RWI_LONGEST };
	const json_t *test = rwi_test(p->new, p->new_test);
	const bool has_sides[] = { rwi_test_has(p->new, p->new_test, RWI_READ),
				   rwi_test_has(p->new, p->new_test,
						RWI_WRITE) };

	if (rwi_whole(test, "mixed")) {
		row(p, mix[0]);
		return;
	}
	for (size_t i = 0; i < 3; i++)
		if (json_is_string(json_object_get(test, "lone")))
			row(p, lone[i]);
		else if (i >= RWI_SIDES || has_sides[i])
			row(p, roles[i]);
}

/* Was the same thing measured, but for how long and how often? */
static bool is_comparable(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "section", "readers", "writers",
					    "mixed",   "turn",    "pinned",
					    "waits",   "batch" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!json_equal(json_object_get(a, keys[i]),
				json_object_get(b, keys[i])))
			return false;
	return true;
}

static void test_rows(struct pair *p, FILE *file)
{
	const json_t *test = rwi_test(p->new, p->new_test);

	p->old_test = rwi_results_test(p->old, rwi_text(test, "name"));
	if (p->old_test == p->old->tests_count)
		return;
	if (!is_comparable(rwi_test(p->old, p->old_test), test)) {
		fprintf(file, "  left out: %s: measured in different ways\n",
			rwi_text(test, "name"));
		return;
	}
	for (size_t lock = 0; lock < p->new->locks_count; lock++) {
		p->new_lock = lock;
		p->old_lock = rwi_results_lock(
		    p->old, rwi_text(rwi_lock(p->new, lock), "name"));
		if (p->old_lock < p->old->locks_count)
			rows(p);
	}
}

static void describe(const struct rwi_results *r, const char *which, FILE *file)
{
	fprintf(file, "%s, %s\n", which, rwi_text(r->record, "started"));
	rwi_machine_line(r, file);
	rwi_canary_line(r, r->tests_count, file);
}

static bool differs(const struct rwi_results *a, const struct rwi_results *b,
		    const char *key)
{
	return !json_equal(
	    json_object_get(json_object_get(a->record, "parameters"), key),
	    json_object_get(json_object_get(b->record, "parameters"), key));
}

void rwi_bench_compare(const json_t *old, const json_t *new, FILE *file)
{
	static const char *const columns[] = { "test",   "lock", "what",
					       "old",    "new",  "new/old",
					       "verdict" };
	struct rwi_results a, b;
	struct pair p = { .old = &a, .new = &b };

	rwi_results_read(&a, old);
	rwi_results_read(&b, new);
	if (differs(&a, &b, "yield") || differs(&a, &b, "shared_counters"))
		rwi_usage("--compare: the records differ in --yield or "
			  "--shared-counters");
	describe(&a, "Old", file);
	describe(&b, "New", file);
	p.table = rwi_table_new("lllrrrl");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		rwi_table_cell(p.table, "%s", columns[i]);
	rwi_table_row(p.table);
	for (p.new_test = 0; p.new_test < b.tests_count; p.new_test++)
		test_rows(&p, file);
	rwi_table_print(p.table, file);
	rwi_results_free(&a);
	rwi_results_free(&b);
}
