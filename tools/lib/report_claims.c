/* SPDX-License-Identifier: MIT */
/* The claims of a record of rwsem bench, as chapters of a page. */
#include "tools/lib/report.h"

#include "tools/lib/bench_claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void spread(struct rwi_page *page, struct rwi_summary s)
{
	rwi_page_spread(page, s.rounds, s.median, s.min, s.max, 1);
}

/* How many of a list hold, do not, and were not measured. */
struct tally {
	unsigned yes, no, unknown;
};

static struct tally count(const struct rwi_results *r,
			  const struct rwi_claim *list)
{
	struct tally t = { 0, 0, 0 };

	for (const struct rwi_claim *c = list; c->lock; c++) {
		const struct rwi_summary s = rwi_claim_measured(r, c);

		if (!s.rounds)
			t.unknown++;
		else if (rwi_claim_holds(c, s))
			t.yes++;
		else
			t.no++;
	}
	return t;
}

/* ---- Ours ---- */

static void own_row(struct rwi_page *page, const struct rwi_results *r,
		    const struct rwi_claim *c)
{
	static const char *const senses[] = { "at least", "at most", "level:" };
	const struct rwi_summary s = rwi_claim_measured(r, c);
	char limit[RWI_FIGURE_SIZE], text[RWI_CHART_TEXT];
	const bool holds = rwi_claim_holds(c, s);

	if (!s.rounds)
		return;
	snprintf(text, sizeof text, "%s %s %s", senses[c->sense],
		 rwi_figure(c->limit, limit), c->what);
	rwi_page_row(page, false, c->test);
	rwi_page_verdict(page, holds, holds ? "met" : "missed");
	rwi_page_cell(page, 'l', text);
	spread(page, s);
}

static void own(struct rwi_page *page, const struct rwi_results *r)
{
	const struct tally t = count(r, rwi_own_claims);

	rwi_page_chapter(page, "What this project claims");
	rwi_page_paragraph(page, "lead",
			   "%u of %u claims measured here are met.", t.yes,
			   t.yes + t.no);
	rwi_page_paragraph(page, "note",
			   "Limits were set on two CPUs.  A claim to be level "
			   "is met if the spread reaches it.  Not measured "
			   "here: %u.",
			   t.unknown);
	rwi_page_table(page, "Claims about rwsem");
	rwi_page_head(page, 'l', "test");
	rwi_page_head(page, 'l', "verdict");
	rwi_page_head(page, 'l', "claim");
	rwi_page_head(page, 'r', "measured");
	for (const struct rwi_claim *c = rwi_own_claims; c->lock; c++)
		own_row(page, r, c);
	rwi_page_table_end(page);
}

static void behind(struct rwi_page *page, const struct rwi_results *r)
{
	const size_t ours = rwi_results_lock(r, rwi_own_claims[0].lock);
	bool any = false;

	for (size_t test = 0; test < r->tests_count; test++) {
		const size_t cell[] = { test, ours };
		const size_t best[] = { test, rwi_best_peer(r, test) };
		struct rwi_summary s;

		if (best[1] == r->locks_count)
			continue;
		s = rwi_ratio(r, rwi_test_metric(r, test), cell, best);
		if (!s.rounds || s.max >= 1)
			continue;
		if (!any) {
			rwi_page_table(page, "Where a sleeping lock of others "
					     "is faster in every round");
			rwi_page_head(page, 'l', "test");
			rwi_page_head(page, 'l', "fastest");
			rwi_page_head(page, 'r', "rwsem in multiples of it");
		}
		any = true;
		rwi_page_row(page, false, rwi_text(rwi_test(r, test), "name"));
		rwi_page_cell(page, 'l',
			      rwi_text(rwi_lock(r, best[1]), "name"));
		spread(page, s);
	}
	if (any)
		rwi_page_table_end(page);
	else
		rwi_page_paragraph(page, "note",
				   "No sleeping lock of others is faster than "
				   "rwsem in every round of any test.");
}

/* ---- The lineage's ---- */

static void lineage_row(struct rwi_page *page, const struct rwi_results *r,
			const struct rwi_claim *c)
{
	const struct rwi_summary s = rwi_claim_measured(r, c);
	char text[RWI_CHART_TEXT], why[RWI_REASONS_SIZE] = "";
	const bool holds = rwi_claim_holds(c, s);

	snprintf(text, sizeof text, "%s %s %s", c->lock, c->what, c->to);
	rwi_page_row(page, false, c->test);
	rwi_page_cell(page, 'l', text);
	if (s.rounds)
		rwi_page_verdict(page, holds, holds ? "agree" : "differ");
	else
		rwi_page_cell(page, 'l', "not measured");
	rwi_page_number(page, c->there > 0, c->there);
	spread(page, s);
	if (s.rounds)
		rwi_claim_reasons(r, c, s, why);
	rwi_page_cell(page, 'l', why);
}

/* Ratios as published, beside those here: who has the same side of one? */
static void lineage_chart(struct rwi_page *page, const struct rwi_results *r,
			  const struct rwi_claim *c, unsigned place)
{
	const struct rwi_source *source = c->source;
	char name[RWI_CHART_TEXT], title[RWI_CHART_TEXT];
	struct rwi_chart *chart;
	struct rwi_chart_series *here, *there;
	const double few = 4; /* which a table shows better */
	double x = 0;

	snprintf(name, sizeof name, "claims-%u", place);
	snprintf(title, sizeof title, "Published and measured: %s",
		 source->who);
	chart = rwi_chart_new(RWI_DOTS, name, title);
	chart->log_y = true;
	chart->line_y = 1;
	snprintf(chart->y_label, RWI_CHART_TEXT, "first lock to the second");
	there = rwi_chart_series(chart, "as published", RWI_CHART_SERIES - 1);
	here = rwi_chart_series(chart, "as measured here", 0);
	for (; c->lock && c->source == source; c++) {
		const struct rwi_summary s = rwi_claim_measured(r, c);

		if (c->there <= 0 || !s.rounds ||
		    !rwi_chart_group(chart, c->test))
			continue;
		rwi_chart_point(chart, there, x, c->there, c->there, c->there);
		rwi_chart_point(chart, here, x, s.median, s.min, s.max);
		x++;
	}
	if (x >= few)
		rwi_page_figure(page, chart, "on the same side of 1 is agreed");
	free(chart);
}

static void lineage(struct rwi_page *page, const struct rwi_results *r)
{
	static const char *const columns[] = { "claim", "verdict", "there",
					       "here", "" };
	const struct tally t = count(r, rwi_lineage_claims);
	const struct rwi_claim *c = rwi_lineage_claims;

	rwi_page_chapter(page, "What authors claimed");
	rwi_page_paragraph(page, "lead",
			   "%u claims agree, %u differ, %u were not measured.",
			   t.yes, t.no, t.unknown);
	rwi_page_paragraph(page, "note",
			   "Ratios of the first lock to the second, as "
			   "published there and as measured here.  A claim "
			   "agrees if the median is on the side that was "
			   "claimed; nothing is made to agree.");
	for (unsigned place = 1; c->lock; place++) {
		const struct rwi_source *source = c->source;

		rwi_page_heading(page, source->who);
		lineage_chart(page, r, c, place);
		rwi_page_table(page, source->machine);
		rwi_page_head(page, 'l', "test");
		for (size_t i = 0; i < 5; i++)
			rwi_page_head(page, "llrrl"[i], columns[i]);
		for (; c->lock && c->source == source; c++)
			lineage_row(page, r, c);
		rwi_page_table_end(page);
	}
}

void rwi_report_claims(struct rwi_page *page, const struct rwi_results *r)
{
	if (rwi_record_has_lineage(r))
		lineage(page, r);
	if (rwi_record_has_own(r)) {
		own(page, r);
		behind(page, r);
	}
}
