/* SPDX-License-Identifier: MIT */
/*
 * A record of rwsem bench as a page: bars for the tests of 2001, lines over
 * threads and over loads, waits, what was claimed, and all tables.
 */
#include "tools/lib/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The locks that charts show; a lock has its colour in all of them. */
struct cast {
	const struct rwi_results *r;
	size_t locks[RWI_CHART_SERIES];
	size_t count;
};

enum { REFERENCE = RWI_CHART_SERIES - 1 }; /* the last colour: no lock */

static const char *name_of(const struct rwi_results *r, size_t test)
{
	return rwi_text(rwi_test(r, test), "name");
}

/* ---- Who is shown ---- */

static bool is_in(const struct cast *cast, size_t lock)
{
	for (size_t i = 0; i < cast->count; i++)
		if (cast->locks[i] == lock)
			return true;
	return false;
}

/* The last place is the floor's, or that of the loop without a lock. */
static void add(struct cast *cast, size_t lock)
{
	if (lock < cast->r->locks_count && cast->count < REFERENCE &&
	    lock != cast->r->floor && lock != cast->r->lockless &&
	    !is_in(cast, lock))
		cast->locks[cast->count++] = lock;
}

/* Ours and who it is compared with; then peers, and what else there is. */
static void choose(struct cast *cast, const struct rwi_results *r)
{
	*cast = (struct cast){ .r = r };
	add(cast, rwi_results_lock(r, "rwsem"));
	add(cast, rwi_results_lock(r, "rwsem-inline"));
	add(cast, r->rival);
	add(cast, r->baseline);
	add(cast, rwi_results_lock(r, "mutex"));
	for (size_t i = 0; i < r->locks_count; i++)
		if (!rwi_is(rwi_lock(r, i), "own") &&
		    rwi_is(rwi_lock(r, i), "sleeps"))
			add(cast, i);
	for (size_t i = 0; i < r->locks_count; i++)
		add(cast, i);
}

/* The series of all, and of the reference if there is one, by its place. */
static void add_series(const struct cast *cast, size_t reference,
		       struct rwi_chart *chart)
{
	for (size_t i = 0; i < cast->count; i++)
		rwi_chart_series(
		    chart, rwi_text(rwi_lock(cast->r, cast->locks[i]), "name"),
		    (unsigned)i);
	if (reference < cast->r->locks_count)
		rwi_chart_series(chart,
				 rwi_text(rwi_lock(cast->r, reference), "name"),
				 REFERENCE);
}

static size_t lock_of(const struct cast *cast, size_t series, size_t reference)
{
	return series < cast->count ? cast->locks[series] : reference;
}

/* What a test has of a metric at this x, for each series. */
static void add_points(const struct cast *cast, size_t reference,
		       enum rwi_metric metric, size_t test, double x,
		       struct rwi_chart *chart)
{
	const double unit = rwi_metric_forms[metric].unit;

	for (size_t i = 0; i < chart->series_count; i++) {
		const struct rwi_summary s = rwi_value(
		    cast->r, metric, test, lock_of(cast, i, reference));

		if (s.rounds)
			rwi_chart_point(chart, &chart->series[i], x,
					s.median / unit, s.min / unit,
					s.max / unit);
	}
}

/* ---- Rates over threads ---- */

static bool is_plain(const struct rwi_results *r, size_t test)
{
	const json_t *t = rwi_test(r, test);

	return !rwi_whole(t, "mixed") && !rwi_is(t, "waits") &&
	       !json_is_string(json_object_get(t, "lone"));
}

enum kind { READERS, WRITERS, HALVES, KINDS };

/* Of which kind it is, or KINDS. */
static enum kind kind_of(const struct rwi_results *r, size_t test)
{
	const json_t *t = rwi_test(r, test);
	const intmax_t readers = rwi_whole(t, "readers");
	const intmax_t writers = rwi_whole(t, "writers");

	if (!is_plain(r, test) || rwi_is(t, "shared_counters") ||
	    rwi_is(t, "yield"))
		return KINDS;
	if (!writers)
		return READERS;
	if (!readers)
		return WRITERS;
	return readers == writers ? HALVES : KINDS;
}

static size_t members(const struct rwi_results *r, enum kind kind)
{
	size_t n = 0;

	for (size_t test = 0; test < r->tests_count; test++)
		n += kind_of(r, test) == kind;
	return n;
}

static intmax_t threads_of(const struct rwi_results *r, size_t test)
{
	const json_t *t = rwi_test(r, test);

	return rwi_whole(t, "readers") + rwi_whole(t, "writers") +
	       rwi_whole(t, "mixed");
}

/* The test of that kind with the fewest threads above so many, or the count. */
static size_t next_by_threads(const struct rwi_results *r, enum kind kind,
			      intmax_t above)
{
	size_t next = r->tests_count;

	for (size_t i = 0; i < r->tests_count; i++)
		if (kind_of(r, i) == kind && threads_of(r, i) > above &&
		    (next == r->tests_count ||
		     threads_of(r, i) < threads_of(r, next)))
			next = i;
	return next;
}

static void over_threads(struct rwi_page *page, const struct cast *cast,
			 enum kind kind)
{
	static const char *const titles[KINDS] = {
		"Readers alone", "Writers alone", "Half readers, half writers"
	};
	static const char *const names[KINDS] = { "threads-readers",
						  "threads-writers",
						  "threads-halves" };
	const struct rwi_results *r = cast->r;
	struct rwi_chart *chart =
	    rwi_chart_new(RWI_LINES, names[kind], titles[kind]);
	intmax_t above = 0;
	size_t test;

	chart->log_x = true;
	snprintf(chart->x_label, RWI_CHART_TEXT, "threads");
	snprintf(chart->y_label, RWI_CHART_TEXT, "million pairs a second");
	add_series(cast, r->floor, chart);
	while ((test = next_by_threads(r, kind, above)) < r->tests_count) {
		above = threads_of(r, test);
		add_points(cast, r->floor, RWI_PAIRS, test, (double)above,
			   chart);
	}
	rwi_page_figure(page, chart, "more is better");
	free(chart);
}

/* ---- Rates as bars ---- */

enum { BARS_AT_ONCE = 8 };

/* In the order of the first chart of this kind, of 2001. */
static const char *const tests_2001[] = { "rw", "r1", "r2",   "ro",
					  "w1", "wo", "worm", "xx" };
enum { TESTS_2001 = sizeof tests_2001 / sizeof *tests_2001 };

static bool is_of_2001(const struct rwi_results *r, size_t test)
{
	for (size_t i = 0; i < TESTS_2001; i++)
		if (!strcmp(name_of(r, test), tests_2001[i]))
			return true;
	return false;
}

/* What is in no other chart. */
static bool wants_bar(const struct rwi_results *r, size_t test)
{
	return is_plain(r, test) && !is_of_2001(r, test) &&
	       (kind_of(r, test) == KINDS || members(r, kind_of(r, test)) < 3);
}

static struct rwi_chart *bar_chart(const struct cast *cast, const char *name,
				   const char *title)
{
	struct rwi_chart *chart = rwi_chart_new(RWI_BARS, name, title);

	snprintf(chart->y_label, RWI_CHART_TEXT, "million pairs a second");
	add_series(cast, cast->r->floor, chart);
	return chart;
}

static void bars_of_2001(struct rwi_page *page, const struct cast *cast)
{
	const struct rwi_results *r = cast->r;
	struct rwi_chart *chart =
	    bar_chart(cast, "rates-2001", "The tests of 2001");
	double x = 0;

	for (size_t i = 0; i < TESTS_2001; i++) {
		const size_t test = rwi_results_test(r, tests_2001[i]);

		if (test == r->tests_count)
			continue;
		rwi_chart_group(chart, tests_2001[i]);
		add_points(cast, r->floor, RWI_PAIRS, test, x++, chart);
	}
	rwi_page_figure(page, chart, "more is better");
	free(chart);
}

static void bars(struct rwi_page *page, const struct cast *cast)
{
	const struct rwi_results *r = cast->r;
	size_t test = 0;

	bars_of_2001(page, cast);
	for (unsigned place = 1; test < r->tests_count; place++) {
		char name[RWI_CHART_TEXT];
		struct rwi_chart *chart;
		double x = 0;

		snprintf(name, sizeof name, "rates-%u", place);
		chart = bar_chart(cast, name,
				  "Other numbers of readers and writers");
		for (; test < r->tests_count && x < (double)BARS_AT_ONCE;
		     test++) {
			if (!wants_bar(r, test))
				continue;
			rwi_chart_group(chart, name_of(r, test));
			add_points(cast, r->floor, RWI_PAIRS, test, x++, chart);
		}
		rwi_page_figure(page, chart, "more is better");
		free(chart);
	}
}

static void rates(struct rwi_page *page, const struct cast *cast)
{
	const struct rwi_results *r = cast->r;
	bool any = false;

	for (size_t test = 0; test < r->tests_count; test++)
		any |= is_plain(r, test);
	if (!any)
		return;
	rwi_page_chapter(page, "Rates");
	rwi_page_paragraph(page, "",
			   "Pairs of acquire and release, of all threads "
			   "together; a lone thread by its CPU time.  Marks "
			   "are medians over %zu round%s; thin bars and bands "
			   "reach from the least to the most.",
			   r->rounds, r->rounds == 1 ? "" : "s");
	rwi_page_figures(page);
	bars(page, cast);
	for (enum kind kind = READERS; kind < KINDS; kind++)
		if (members(r, kind) >= 3)
			over_threads(page, cast, kind);
	rwi_page_figures_end(page);
}

/* ---- Mixes over loads ---- */

static bool is_mix(const struct rwi_results *r, size_t test)
{
	return rwi_whole(rwi_test(r, test), "mixed") > 0;
}

static bool is_same_mix(const struct rwi_results *r, size_t a, size_t b)
{
	const json_t *x = rwi_test(r, a), *y = rwi_test(r, b);

	return is_mix(r, a) && is_mix(r, b) &&
	       rwi_whole(x, "mixed") == rwi_whole(y, "mixed") &&
	       json_equal(json_object_get(x, "turn"),
			  json_object_get(y, "turn"));
}

static bool is_first_of_mix(const struct rwi_results *r, size_t test)
{
	for (size_t i = 0; i < test; i++)
		if (is_same_mix(r, i, test))
			return false;
	return is_mix(r, test);
}

static void mix(struct rwi_page *page, const struct cast *cast, size_t first)
{
	const struct rwi_results *r = cast->r;
	const json_t *t = rwi_test(r, first);
	const json_t *turn = json_object_get(t, "turn");
	char title[RWI_CHART_TEXT], name[RWI_CHART_TEXT];
	struct rwi_chart *chart;

	snprintf(title, sizeof title, "%jd threads, reads to writes %jd:%jd",
		 rwi_whole(t, "mixed"),
		 (intmax_t)json_integer_value(json_array_get(turn, RWI_READ)),
		 (intmax_t)json_integer_value(json_array_get(turn, RWI_WRITE)));
	snprintf(name, sizeof name, "mix-%zu", first + 1);
	chart = rwi_chart_new(RWI_LINES, name, title);
	snprintf(chart->x_label, RWI_CHART_TEXT, "load, in pauses");
	snprintf(chart->y_label, RWI_CHART_TEXT, "ms for a million pairs");
	add_series(cast, r->floor, chart);
	for (size_t test = first; test < r->tests_count; test++)
		if (is_same_mix(r, first, test))
			add_points(
			    cast, r->floor, RWI_MS, test,
			    (double)rwi_whole(rwi_test(r, test), "amount"),
			    chart);
	rwi_page_figure(page, chart, "less is better");
	free(chart);
}

static void mixes(struct rwi_page *page, const struct cast *cast)
{
	const struct rwi_results *r = cast->r;
	bool any = false;

	for (size_t test = 0; test < r->tests_count; test++) {
		if (!is_first_of_mix(r, test))
			continue;
		if (!any) {
			rwi_page_chapter(page, "Mixes");
			rwi_page_paragraph(page, "",
					   "All threads read so many times, "
					   "then write so many times, and hold "
					   "the lock for a number of pause "
					   "instructions: the load.");
			rwi_page_figures(page);
		}
		any = true;
		mix(page, cast, test);
	}
	if (any)
		rwi_page_figures_end(page);
}

/* ---- Waits ---- */

/* How many waits were in each octave, of all rounds; the sum. */
static double octaves_of(const struct rwi_results *r, size_t test, size_t lock,
			 enum rwi_side side, double octaves[RWI_CHART_POINTS])
{
	const json_t *windows = json_object_get(r->record, "windows");
	const char *key = side == RWI_READ ? "read_waits" : "write_waits";
	double sum = 0;
	json_t *window;
	size_t i;

	memset(octaves, 0, RWI_CHART_POINTS * sizeof *octaves);
	json_array_foreach(windows, i, window)
	{
		const json_t *list =
		    json_object_get(json_object_get(window, key), "octaves_ns");

		if (rwi_results_test(r, rwi_text(window, "test")) != test ||
		    rwi_results_lock(r, rwi_text(window, "lock")) != lock)
			continue;
		for (size_t k = 0;
		     k < json_array_size(list) && k < RWI_CHART_POINTS; k++) {
			const double n =
			    json_number_value(json_array_get(list, k));

			octaves[k] += n;
			sum += n;
		}
	}
	return sum;
}

/* How many waited longer than this: where a line ends is the longest wait. */
static void wait_line(const struct cast *cast, size_t test, enum rwi_side side,
		      size_t series, struct rwi_chart *chart)
{
	double octaves[RWI_CHART_POINTS];
	const double sum =
	    octaves_of(cast->r, test, lock_of(cast, series, cast->r->lockless),
		       side, octaves);
	double left = sum;

	for (size_t k = 0; k < RWI_CHART_POINTS && left > 0; k++) {
		left -= octaves[k];
		if (left < sum && left > 0)
			rwi_chart_point(chart, &chart->series[series],
					1e-9 * exp2((double)k),
					100 * left / sum, NAN, NAN);
	}
}

static void wait_chart(struct rwi_page *page, const struct cast *cast,
		       size_t test, enum rwi_side side)
{
	const struct rwi_results *r = cast->r;
	const char *who = side == RWI_READ ? "readers" : "writers";
	char title[RWI_CHART_TEXT], name[RWI_CHART_TEXT];
	struct rwi_chart *chart;

	snprintf(title, sizeof title, "%s, waits of %s", name_of(r, test), who);
	snprintf(name, sizeof name, "waits-%s-%s", name_of(r, test), who);
	chart = rwi_chart_new(RWI_STEPS, name, title);
	chart->log_x = chart->log_y = chart->time_x = true;
	snprintf(chart->x_label, RWI_CHART_TEXT, "wait");
	snprintf(chart->y_label, RWI_CHART_TEXT,
		 "%% of waits that were longer");
	add_series(cast, r->lockless, chart);
	for (size_t i = 0; i < chart->series_count; i++)
		wait_line(cast, test, side, i, chart);
	rwi_page_figure(page, chart, "further left and lower is better");
	free(chart);
}

static void waits(struct rwi_page *page, const struct cast *cast)
{
	const struct rwi_results *r = cast->r;
	bool any = false;

	for (size_t test = 0; test < r->tests_count; test++)
		any |= rwi_is(rwi_test(r, test), "waits");
	if (!any)
		return;
	rwi_page_chapter(page, "Waits");
	rwi_page_paragraph(page, "",
			   "From the histograms of all rounds, by factors of "
			   "two.  A line ends at the longest wait: what is "
			   "down there is rare, and what users notice.");
	rwi_page_figures(page);
	for (size_t test = 0; test < r->tests_count; test++)
		for (enum rwi_side side = RWI_READ; side < RWI_SIDES; side++)
			if (rwi_is(rwi_test(r, test), "waits") &&
			    rwi_test_has(r, test, side))
				wait_chart(page, cast, test, side);
	rwi_page_figures_end(page);
}

/* ---- All ---- */

static void canary(struct rwi_page *page, const struct rwi_results *r)
{
	size_t disturbed;
	const struct rwi_summary s =
	    rwi_canaries(r, r->tests_count, &disturbed);
	char text[3][RWI_FIGURE_SIZE];

	if (!s.rounds)
		return;
	rwi_page_paragraph(
	    page, disturbed ? "warn" : "note",
	    "Two readers that share nothing did %s (%s to %s) times what one "
	    "of them did; 2 is undisturbed.  %zu of %zu tests and rounds were "
	    "disturbed by other programs or the machine's host: %s",
	    rwi_figure(s.median, text[0]), rwi_figure(s.min, text[1]),
	    rwi_figure(s.max, text[2]), disturbed, s.rounds,
	    disturbed ? "there ratios still mean something, rates and longest "
			"waits do not."
		      : "rates can be believed.");
}

/* Claims of authors have tests with a few locks each, and their own charts. */
static bool has_charts(const struct rwi_results *r)
{
	return strcmp(rwi_text(json_object_get(r->record, "parameters"), "set"),
		      "lineage") != 0;
}

static void summary(struct rwi_page *page, const struct cast *cast)
{
	const struct rwi_results *r = cast->r;

	rwi_page_chapter(page, "What was measured");
	rwi_page_paragraph(page, "lead",
			   "%zu lock%s in %zu test%s, %zu round%s.",
			   r->locks_count, r->locks_count == 1 ? "" : "s",
			   r->tests_count, r->tests_count == 1 ? "" : "s",
			   r->rounds, r->rounds == 1 ? "" : "s");
	if (!rwi_is(r->record, "complete"))
		rwi_page_paragraph(page, "warn",
				   "Not complete: later rounds are missing.");
	canary(page, r);
	for (size_t i = 0; i < r->tests_count * r->locks_count; i++)
		if (r->wrong[i])
			rwi_page_paragraph(
			    page, "warn", "WRONG RESULT: %s in test %s.",
			    rwi_text(rwi_lock(r, i % r->locks_count), "name"),
			    name_of(r, i / r->locks_count));
	if (has_charts(r) && cast->count + 2 < r->locks_count)
		rwi_page_paragraph(page, "note",
				   "Charts show %zu of the locks; the tables "
				   "have all.",
				   cast->count + 1);
}

void rwi_report_bench(struct rwi_page *page, const json_t *record)
{
	struct rwi_results r;
	struct cast cast;

	rwi_results_read(&r, record);
	choose(&cast, &r);
	page->spreads = r.rounds > 1;
	summary(page, &cast);
	if (has_charts(&r)) {
		rates(page, &cast);
		mixes(page, &cast);
		waits(page, &cast);
	}
	rwi_report_claims(page, &r);
	rwi_report_tables(page, &r);
	rwi_results_free(&r);
}
