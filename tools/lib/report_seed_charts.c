/* SPDX-License-Identifier: MIT */
/*
 * The charts of a part of rwsem seed.  Cells whose names differ in the last
 * number only make lines over that number; all others make bars.  What the
 * message has stands before what was measured here, drawn in the same way.
 */
#include "tools/lib/report_seed.h"

#include "tools/lib/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE_MIN = 3, /* cells that are worth a line */
	BARS_AT_ONCE = 10,
	REFERENCE = RWI_CHART_SERIES - 1 /* the last colour: without a lock */
};

/* Locks with their colours; and all cells, measured and published. */
struct cast {
	const struct rwi_part *p;
	const char *name; /* of the part */
	const char *locks[RWI_CHART_SERIES];
	unsigned colours[RWI_CHART_SERIES];
	size_t count;
	bool is_cut;
	struct rwi_names cells;
};

/* ---- Who is shown ---- */

static void add(struct cast *cast, const char *lock)
{
	const bool none = !strcmp(lock, "none");
	unsigned next = strcmp(lock, "rwsem") ? 1 : 0;

	for (size_t i = 0; i < cast->count; i++) {
		if (!strcmp(cast->locks[i], lock))
			return;
		if (cast->colours[i] >= next && cast->colours[i] != REFERENCE)
			next = cast->colours[i] + 1;
	}
	if (!none && next >= REFERENCE) {
		cast->is_cut = true;
		return;
	}
	cast->locks[cast->count] = lock;
	cast->colours[cast->count++] = none ? REFERENCE : next;
}

static void choose(struct cast *cast, const struct rwi_part *p)
{
	struct rwi_names locks = { .count = 0 };

	*cast = (struct cast){ .p = p, .name = rwi_text(p->json, "name") };
	rwi_part_names(p, RWI_HERE, "lock", &locks);
	for (size_t i = 0; i < locks.count; i++)
		if (!strcmp(locks.list[i], "rwsem"))
			add(cast, locks.list[i]);
	/* Then what both have, so that most can be compared. */
	rwi_part_names(p, RWI_THERE, "lock", &locks);
	for (size_t i = 0; i < locks.count; i++)
		add(cast, locks.list[i]);
	rwi_part_names(p, RWI_HERE, "cell", &cast->cells);
	rwi_part_names(p, RWI_THERE, "cell", &cast->cells);
}

/* ---- Charts ---- */

static struct rwi_chart *new_chart(const struct cast *cast,
				   enum rwi_chart_form form, const char *what,
				   enum rwi_origin origin, const char *value)
{
	char name[RWI_CHART_TEXT], title[RWI_CHART_TEXT],
	    words[RWI_FAMILY_SIZE];
	const bool here = origin == RWI_HERE;
	struct rwi_chart *chart;

	snprintf(name, sizeof name, "%s-%s-%s", cast->name, what,
		 here ? "here" : "there");
	snprintf(title, sizeof title, "%s%s%s", what, *what ? ", " : "",
		 here    ? *what ? "here" : "Here"
		 : *what ? "as the message has it"
			 : "As the message has it");
	chart = rwi_chart_new(form, name, title);
	snprintf(chart->y_label, RWI_CHART_TEXT, "%s",
		 rwi_value_words(value, words));
	for (size_t i = 0; i < cast->count; i++)
		rwi_chart_series(chart, cast->locks[i], cast->colours[i]);
	return chart;
}

/* True if any lock had a number. */
static bool add_points(const struct cast *cast, enum rwi_origin origin,
		       const char *cell, const char *value, double x,
		       struct rwi_chart *chart)
{
	bool any = false;

	for (size_t i = 0; i < chart->series_count; i++) {
		const struct rwi_summary s = rwi_part_number(
		    cast->p, origin, cell, cast->locks[i], value);

		if (!s.rounds)
			continue;
		any = true;
		rwi_chart_point(chart, &chart->series[i], x, s.median, s.min,
				s.max);
	}
	return any;
}

/* A part says it of its first value; acquisitions go without saying. */
static const char *better(const struct rwi_part *p, const char *value)
{
	if (!strcmp(value, "reads") || !strcmp(value, "writes"))
		return "more is better";
	if (strcmp(value, rwi_part_value(p, 0)) != 0)
		return "";
	return p->less ? "less is better" : "more is better";
}

static void finish(struct rwi_page *page, const char *better,
		   struct rwi_chart *chart)
{
	rwi_chart_scale(chart);
	rwi_page_figure(page, chart, better);
	free(chart);
}

/* ---- Lines ---- */

static bool is_in(const struct cast *cast, size_t cell, const char *family,
		  double *x)
{
	char own[RWI_FAMILY_SIZE];

	return rwi_part_family(cast->cells.list[cell], own, x) &&
	       !strcmp(own, family);
}

static bool is_line(const struct cast *cast, const char *family)
{
	size_t n = 0;
	double x;

	for (size_t i = 0; i < cast->cells.count; i++)
		n += is_in(cast, i, family, &x);
	return n >= LINE_MIN;
}

/* What the number is, if it is known: cells say how many threads they have. */
static bool counts_threads(const struct cast *cast, const char *family)
{
	double x;

	for (size_t i = 0; i < cast->p->cells_count; i++)
		if (is_in(cast, i, family, &x) &&
		    rwi_whole(json_array_get(cast->p->cells, i), "threads") !=
			(intmax_t)x)
			return false;
	return true;
}

static void logarithms(const struct cast *cast, enum rwi_origin origin,
		       const char *family, const char *value,
		       struct rwi_chart *chart)
{
	const double wide_x = 8, wide_y = 50;
	double x, x_min = INFINITY, x_max = 0, y_min = INFINITY, y_max = 0;

	for (size_t i = 0; i < cast->cells.count; i++) {
		if (!is_in(cast, i, family, &x))
			continue;
		x_min = fmin(x_min, x);
		x_max = fmax(x_max, x);
		for (size_t k = 0; k < cast->count; k++) {
			const struct rwi_summary s = rwi_part_number(
			    cast->p, origin, cast->cells.list[i],
			    cast->locks[k], value);

			if (s.rounds && s.median > 0) {
				y_min = fmin(y_min, s.median);
				y_max = fmax(y_max, s.median);
			}
		}
	}
	chart->log_x = x_max >= wide_x * x_min;
	chart->log_y = y_max >= wide_y * y_min;
}

static void line(struct rwi_page *page, const struct cast *cast,
		 const char *family, enum rwi_origin origin)
{
	const char *value = rwi_part_value(cast->p, 0);
	const bool threads = counts_threads(cast, family);
	char what[RWI_FAMILY_SIZE + 2];
	struct rwi_chart *chart;
	double x;

	snprintf(what, sizeof what, "%s-%s", family, threads ? "N" : "x");
	chart = new_chart(cast, RWI_LINES, what, origin, value);
	snprintf(chart->x_label, RWI_CHART_TEXT, "%s",
		 threads ? "threads (N)" : "x");
	logarithms(cast, origin, family, value, chart);
	for (size_t i = 0; i < cast->cells.count; i++)
		if (is_in(cast, i, family, &x))
			add_points(cast, origin, cast->cells.list[i], value, x,
				   chart);
	rwi_chart_sort(chart);
	finish(page, better(cast->p, value), chart);
}

/* Was there an earlier cell of this family? */
static bool is_first(const struct cast *cast, size_t cell, const char *family)
{
	double x;

	for (size_t i = 0; i < cell; i++)
		if (is_in(cast, i, family, &x))
			return false;
	return true;
}

static void lines(struct rwi_page *page, const struct cast *cast)
{
	char family[RWI_FAMILY_SIZE];
	double x;

	for (size_t i = 0; i < cast->cells.count; i++) {
		if (!rwi_part_family(cast->cells.list[i], family, &x) ||
		    !is_line(cast, family) || !is_first(cast, i, family))
			continue;
		line(page, cast, family, RWI_THERE);
		line(page, cast, family, RWI_HERE);
	}
}

/* ---- Bars ---- */

static bool has(const struct cast *cast, enum rwi_origin origin,
		const char *cell, const char *value)
{
	for (size_t i = 0; i < cast->count; i++)
		if (rwi_part_number(cast->p, origin, cell, cast->locks[i],
				    value)
			.rounds)
			return true;
	return false;
}

/*
 * A group of bars is a cell's first value, published or else measured.  Where
 * reads and writes are counted apart, a cell may have both.
 */
static bool wants(const struct cast *cast, const char *cell, const char *value)
{
	const size_t values = json_array_size(cast->p->values);
	bool published = false;

	for (size_t i = 0; i < values; i++)
		published |=
		    has(cast, RWI_THERE, cell, rwi_part_value(cast->p, i));
	for (size_t i = 0; i < values; i++) {
		const char *first = rwi_part_value(cast->p, i);

		if (has(cast, published ? RWI_THERE : RWI_HERE, cell, first))
			return !strcmp(first, value) ||
			       (!strcmp(first, "reads") &&
				!strcmp(value, "writes") &&
				has(cast, published ? RWI_THERE : RWI_HERE,
				    cell, value));
	}
	return false;
}

/* Groups of one value, or of reads and writes, in charts of so many at once. */
struct bars {
	struct rwi_page *page;
	const struct cast *cast;
	enum rwi_origin origin;
	const char *better;
	struct rwi_chart *chart;
	unsigned charts;
	double x;
};

static void flush(struct bars *b)
{
	if (b->chart)
		finish(b->page, b->better, b->chart);
	b->chart = NULL;
}

static void add_bar(struct bars *b, const char *cell, const char *value,
		    const char *all, bool is_one_of_two)
{
	char what[RWI_FAMILY_SIZE] = "", label[RWI_CHART_TEXT];

	if (!has(b->cast, b->origin, cell, value))
		return;
	if (b->chart && b->x >= (double)BARS_AT_ONCE)
		flush(b);
	if (!b->chart) {
		if (b->charts++)
			snprintf(what, sizeof what, "%s %u", all, b->charts);
		b->chart = new_chart(b->cast, RWI_BARS, what, b->origin, all);
		b->x = 0;
	}
	snprintf(label, sizeof label, "%s%s%s", cell, is_one_of_two ? " " : "",
		 is_one_of_two ? value : "");
	rwi_chart_group(b->chart, label);
	add_points(b->cast, b->origin, cell, value, b->x++, b->chart);
}

static void add_cell(struct bars *b, const char *cell, const char *value)
{
	const bool reads = !strcmp(value, "reads");
	const char *all = reads ? "acquisitions" : value;
	const bool both = reads && wants(b->cast, cell, "reads") &&
			  wants(b->cast, cell, "writes");

	if (wants(b->cast, cell, value))
		add_bar(b, cell, value, all, both);
	if (reads && wants(b->cast, cell, "writes"))
		add_bar(b, cell, "writes", all, both);
}

static void bars(struct rwi_page *page, const struct cast *cast,
		 enum rwi_origin origin, size_t value)
{
	const char *name = rwi_part_value(cast->p, value);
	struct bars b = { .page = page,
			  .cast = cast,
			  .origin = origin,
			  .better = better(cast->p, name) };
	char family[RWI_FAMILY_SIZE];
	double x;

	for (size_t i = 0; i < value; i++)
		if (!strcmp(name, "writes") &&
		    !strcmp(rwi_part_value(cast->p, i), "reads"))
			return;
	for (size_t i = 0; i < cast->p->cells_count; i++) {
		const char *cell = rwi_part_cell(cast->p, i);

		if (!rwi_part_family(cell, family, &x) ||
		    !is_line(cast, family))
			add_cell(&b, cell, name);
	}
	flush(&b);
}

void rwi_part_charts(struct rwi_page *page, const struct rwi_part *p)
{
	struct cast cast;

	choose(&cast, p);
	rwi_page_figures(page);
	for (size_t i = 0; i < json_array_size(p->values); i++) {
		bars(page, &cast, RWI_THERE, i);
		bars(page, &cast, RWI_HERE, i);
	}
	lines(page, &cast);
	rwi_page_figures_end(page);
	if (cast.is_cut)
		rwi_page_paragraph(page, "note",
				   "Charts show the first %zu locks; the "
				   "tables have all.",
				   cast.count);
}
