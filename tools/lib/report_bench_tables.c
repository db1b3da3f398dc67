/* SPDX-License-Identifier: MIT */
/* The tables of a record of rwsem bench: one or more for each test. */
#include "tools/lib/report.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 10 };

struct column {
	char heading[RWI_CHART_TEXT];
	enum rwi_metric metric;
	size_t to; /* a ratio to this lock, or locks_count */
};

struct columns {
	const struct rwi_results *r;
	size_t test, count;
	struct column list[COLUMNS_MAX];
};

/* ---- Columns ---- */

static struct column *add(struct columns *c, enum rwi_metric metric)
{
	struct column *column = &c->list[c->count++];

	column->metric = metric;
	column->to = c->r->locks_count;
	snprintf(column->heading, sizeof column->heading, "%s",
		 rwi_metric_forms[metric].name);
	return column;
}

/* Nothing if that lock was not measured. */
static void add_ratio(struct columns *c, enum rwi_metric metric, size_t to)
{
	struct column *column;

	if (to == c->r->locks_count)
		return;
	column = add(c, metric);
	column->to = to;
	snprintf(column->heading, sizeof column->heading, "\xc3\x97 %s",
		 rwi_text(rwi_lock(c->r, to), "name"));
}

static void add_rates(struct columns *c)
{
	const struct rwi_results *r = c->r;
	const bool both = rwi_test_has(r, c->test, RWI_READ) &&
			  rwi_test_has(r, c->test, RWI_WRITE);
	const json_t *t = rwi_test(r, c->test);

	if (both) {
		add(c, RWI_READS);
		add(c, RWI_WRITES);
		add(c, RWI_SMALLER_SIDE);
	}
	add(c, rwi_whole(t, "mixed") ? RWI_MS : RWI_PAIRS);
	add_ratio(c, RWI_PAIRS, r->baseline);
	if (rwi_test_is_alone(r, c->test))
		add_ratio(c, RWI_PAIRS, r->floor);
	else if (r->rival != r->baseline)
		add_ratio(c, RWI_PAIRS, r->rival);
	if (rwi_is(t, "oversubscribed"))
		add(c, RWI_PER_CPU);
}

static void add_lone(struct columns *c)
{
	add(c, RWI_LONE);
	add(c, RWI_CROWD);
	add(c, RWI_CROWD_KEEPS);
}

static void add_waits(struct columns *c, enum rwi_side side)
{
	const enum rwi_metric first =
	    side == RWI_READ ? RWI_READ_P50 : RWI_WRITE_P50;
	const bool many =
	    rwi_whole(rwi_test(c->r, c->test),
		      side == RWI_READ ? "readers" : "writers") > 1;

	for (enum rwi_metric i = 0; i < (many ? 6 : 4); i++)
		add(c, first + i);
}

/* ---- A table ---- */

static struct rwi_summary value(const struct columns *c, size_t column,
				size_t lock)
{
	const struct column *k = &c->list[column];
	const size_t here[] = { c->test, lock }, there[] = { c->test, k->to };

	return k->to == c->r->locks_count
		   ? rwi_value(c->r, k->metric, c->test, lock)
		   : rwi_ratio(c->r, k->metric, here, there);
}

static void row(const struct columns *c, size_t lock, struct rwi_page *page)
{
	const struct rwi_results *r = c->r;
	bool known = false;

	for (size_t i = 0; i < c->count; i++)
		known |= value(c, i, lock).rounds > 0;
	if (!known)
		return;
	rwi_page_row(page, rwi_is(rwi_lock(r, lock), "own"),
		     rwi_text(rwi_lock(r, lock), "name"));
	for (size_t i = 0; i < c->count; i++) {
		const struct column *k = &c->list[i];
		const struct rwi_summary s = value(c, i, lock);

		rwi_page_spread(page, s.rounds, s.median, s.min, s.max,
				k->to == r->locks_count
				    ? rwi_metric_forms[k->metric].unit
				    : 1);
	}
	if (r->wrong[c->test * r->locks_count + lock])
		rwi_page_verdict(page, false, "wrong result");
}

static void table(const struct columns *c, const char *caption,
		  struct rwi_page *page)
{
	rwi_page_table(page, caption);
	rwi_page_head(page, 'l', "lock");
	for (size_t i = 0; i < c->count; i++)
		rwi_page_head(page, 'r', c->list[i].heading);
	for (size_t lock = 0; lock < c->r->locks_count; lock++)
		row(c, lock, page);
	rwi_page_table_end(page);
}

/* ---- Tests ---- */

static void part(const json_t *test, const char *key, const char *one,
		 char *text, size_t size)
{
	const intmax_t n = rwi_whole(test, key);
	const size_t used = strlen(text);

	if (n)
		snprintf(text + used, size - used, "%s%jd %s%s",
			 used ? ", " : "", n, one, n == 1 ? "" : "s");
}

static void caption(const struct rwi_results *r, size_t test, char *text,
		    size_t size)
{
	const json_t *t = rwi_test(r, test);
	size_t used;

	*text = '\0';
	part(t, "readers", "reader", text, size);
	part(t, "writers", "writer", text, size);
	part(t, "mixed", "thread", text, size);
	used = strlen(text);
	snprintf(text + used, size - used, "; %s%s; section: %s; %s",
		 rwi_is(t, "pinned") ? "pinned" : "not pinned",
		 rwi_is(t, "oversubscribed")
		     ? ", oversubscribed (more threads than CPUs)"
		     : "",
		 rwi_text(t, "section"),
		 rwi_whole(t, "mixed") ? "ms for a million pairs: less is "
					 "better"
		 : rwi_test_is_alone(r, test)
		     ? "rates by CPU time: more is better"
		     : "rates: more is better");
}

static void left_out(const struct rwi_results *r, const char *test,
		     struct rwi_page *page)
{
	json_t *list = json_object_get(r->record, "left_out"), *entry;
	size_t i;

	json_array_foreach(list, i, entry)
	{
		if (!strcmp(rwi_text(entry, "test"), test))
			rwi_page_paragraph(page, "note", "Left out: %s: %s.",
					   rwi_text(entry, "lock"),
					   rwi_text(entry, "why"));
	}
}

static void test_tables(struct rwi_page *page, const struct rwi_results *r,
			size_t test)
{
	struct columns c = { .r = r, .test = test };
	const json_t *t = rwi_test(r, test);
	char text[256];

	rwi_page_heading(page, rwi_text(t, "name"));
	caption(r, test, text, sizeof text);
	if (json_is_string(json_object_get(t, "lone")))
		add_lone(&c);
	else
		add_rates(&c);
	table(&c, text, page);
	for (enum rwi_side side = RWI_READ; side < RWI_SIDES; side++) {
		if (!rwi_is(t, "waits") || !rwi_test_has(r, test, side))
			continue;
		c.count = 0;
		add_waits(&c, side);
		table(&c,
		      side == RWI_READ ? "Waits of readers: less is better"
				       : "Waits of writers: less is better",
		      page);
	}
	left_out(r, rwi_text(t, "name"), page);
}

void rwi_report_tables(struct rwi_page *page, const struct rwi_results *r)
{
	rwi_page_chapter(page, "All tests");
	rwi_page_paragraph(page, "note",
			   "Median, then the least and the most of all rounds. "
			   " A ratio is formed within a round, and its median "
			   "taken.");
	for (size_t test = 0; test < r->tests_count; test++)
		test_tables(page, r, test);
}
