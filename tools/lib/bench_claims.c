/* SPDX-License-Identifier: MIT */
/*
 * What this project claims of its lock, so that anybody can see on their own
 * machine whether it holds: docs/benchmarking.md says where and why.
 */
#include "tools/lib/bench_results.h"
#include "tools/lib/cli.h"

#include <string.h>

/* With what a value is compared, in the same round. */
enum against {
	NOTHING,
	LOCK,     /* this lock in this test */
	OWN_TEST, /* our lock in this test */
	BEST      /* the fastest of the other locks that sleep */
};

enum sense { AT_LEAST, AT_MOST, LEVEL /* at least, or within the spread */ };

struct claim {
	const char *test;
	enum rwi_metric metric;
	enum against against;
	const char *to;
	enum sense sense;
	double limit; /* in the metric's unit, unless it is a ratio */
	const char *what;
};

#define OURS  "rwsem"
#define RIVAL "parking-lot"

#define READERS(test)                                                          \
	{ test, RWI_PAIRS, LOCK, RIVAL, AT_LEAST, 1.2, "x " RIVAL },           \
	{                                                                      \
		test, RWI_PAIRS, LOCK, "glibc", AT_LEAST, 2, "x glibc"         \
	}
#define WRITERS(test, of_one)                                                  \
	{ test, RWI_PAIRS, LOCK, RIVAL, LEVEL, 1, "x " RIVAL },                \
	{                                                                      \
		test, RWI_PAIRS, OWN_TEST, "w1", AT_LEAST, of_one, "of w1"     \
	}
#define BOTH(test)                                                             \
	{ test, RWI_PAIRS, LOCK, RIVAL, LEVEL, 1, "x " RIVAL },                \
	{                                                                      \
		test, RWI_SMALLER_SIDE, NOTHING, "", AT_LEAST, 20,             \
		    "% for the smaller side"                                   \
	}
#define PEERS(test)                                                            \
	{                                                                      \
		test, RWI_PAIRS, BEST, "", LEVEL, 1, "x best sleeping peer"    \
	}
#define PEERS_BY_LOAD(threads, turns)                                          \
	PEERS("mix/" threads "/1/" turns), PEERS("mix/" threads "/5/" turns),  \
	    PEERS("mix/" threads "/10/" turns)
#define MIX(threads, of_pauses)                                                \
	{ "mix/" threads "/10/0:1",                                            \
	  RWI_OF_PAUSES,                                                       \
	  NOTHING,                                                             \
	  "",                                                                  \
	  AT_MOST,                                                             \
	  of_pauses,                                                           \
	  "x the pauses" },                                                    \
	    PEERS("mix/" threads "/1/0:1"), PEERS("mix/" threads "/5/0:1"),    \
	    PEERS_BY_LOAD(threads, "1:1"), PEERS_BY_LOAD(threads, "10:1")
#define LONE(test)                                                                \
	{ test, RWI_LONE, NOTHING, "", AT_LEAST, 100, "k/s" },                    \
	    { test, RWI_LONGEST, NOTHING, "", AT_MOST, 5000, "us longest wait" }, \
	{                                                                         \
		test, RWI_CROWD_KEEPS, NOTHING, "", AT_LEAST, 0.8,                \
		    "of the others' rate alone"                                   \
	}
#define THRIFTY(test)                                                          \
	{                                                                      \
		test, RWI_PER_CPU, LOCK, "mutex", LEVEL, 1,                    \
		    "x mutex by CPU time"                                      \
	}

static const struct claim claims[] = {
	READERS("r2"),
	READERS("ro8"),
	READERS("ro32"),
	WRITERS("wo2", 0.6),
	WRITERS("wo8", 0.7),
	WRITERS("wo32", 0.7),
	BOTH("rw2"),
	BOTH("rw8"),
	BOTH("rw32"),
	MIX("2", 1.15),
	MIX("10", 1.1),
	LONE("writer"),
	LONE("reader"),
	{ "waits/wo8", RWI_LONGEST, NOTHING, "", AT_MOST, 5000,
	  "us longest wait" },
	{ "waits/rw8", RWI_LONGEST, NOTHING, "", AT_MOST, 6000,
	  "us longest wait" },
	THRIFTY("ro8"),
	THRIFTY("ro32"),
	THRIFTY("wo8"),
	THRIFTY("wo32"),
	THRIFTY("rw8"),
	THRIFTY("rw32"),
};
enum { CLAIMS = sizeof claims / sizeof *claims };

/* ---- Peers ---- */

/* A lock whose waiters sleep, of others, that starves neither side. */
static bool is_peer(const struct rwi_results *r, size_t test, size_t lock)
{
	const double served = 0.01;
	const json_t *l = rwi_lock(r, lock);

	if (rwi_is(l, "own") || !rwi_is(l, "sleeps") || !rwi_is(l, "excludes"))
		return false;
	return !rwi_test_has(r, test, RWI_READ) ||
	       !rwi_test_has(r, test, RWI_WRITE) ||
	       rwi_whole(rwi_test(r, test), "mixed") ||
	       rwi_value(r, RWI_SMALLER_SIDE, test, lock).median >= served;
}

/* The place of the fastest, or locks_count. */
static size_t best_peer(const struct rwi_results *r, size_t test)
{
	const enum rwi_metric metric = rwi_test_metric(r, test);
	size_t best = r->locks_count;
	double most = 0;

	for (size_t lock = 0; lock < r->locks_count; lock++) {
		const struct rwi_summary s = rwi_value(r, metric, test, lock);

		if (s.rounds && s.median > most && is_peer(r, test, lock)) {
			most = s.median;
			best = lock;
		}
	}
	return best;
}

/* ---- Claims ---- */

/* In the unit of the claim; without rounds if the record does not have it. */
static struct rwi_summary measured(const struct rwi_results *r,
				   const struct claim *c)
{
	const size_t test = rwi_results_test(r, c->test);
	const size_t cell[] = { test, rwi_results_lock(r, OURS) };
	const double unit = rwi_metric_forms[c->metric].unit;
	size_t to[] = { cell[0], cell[1] };
	struct rwi_summary s = { .rounds = 0 };

	if (test == r->tests_count || cell[1] == r->locks_count)
		return s;
	if (c->against == LOCK)
		to[1] = rwi_results_lock(r, c->to);
	else if (c->against == OWN_TEST)
		to[0] = rwi_results_test(r, c->to);
	else if (c->against == BEST)
		to[1] = best_peer(r, test);
	if (to[0] == r->tests_count || to[1] == r->locks_count)
		return s;
	if (c->against != NOTHING)
		return rwi_ratio(r, c->metric, cell, to);
	s = rwi_value(r, c->metric, test, cell[1]);
	s.median /= unit;
	s.min /= unit;
	s.max /= unit;
	return s;
}

static bool holds(const struct claim *c, struct rwi_summary s)
{
	if (c->sense == AT_MOST)
		return s.median <= c->limit;
	return s.median >= c->limit || (c->sense == LEVEL && s.max >= c->limit);
}

static void claim_row(const struct claim *c, struct rwi_summary s,
		      struct rwi_table *table)
{
	static const char *const senses[] = { "at least", "at most", "level:" };
	char limit[RWI_NUMBER_SIZE];

	rwi_table_cell(table, "%s", c->test);
	rwi_table_cell(table, "%s %s %s", senses[c->sense],
		       rwi_number(c->limit, limit), c->what);
	rwi_summary_cell(table, s, 1);
	rwi_table_cell(table, "%s", holds(c, s) ? "met" : "MISSED");
	rwi_table_row(table);
}

static void claims_table(const struct rwi_results *r, FILE *file)
{
	struct rwi_table *table = rwi_table_new("llrl");
	unsigned met = 0, known = 0;

	rwi_table_cell(table, "test");
	rwi_table_cell(table, "claim");
	rwi_table_cell(table, "measured");
	rwi_table_cell(table, "verdict");
	rwi_table_row(table);
	for (size_t i = 0; i < CLAIMS; i++) {
		const struct rwi_summary s = measured(r, &claims[i]);

		if (!s.rounds)
			continue;
		known++;
		met += holds(&claims[i], s);
		claim_row(&claims[i], s, table);
	}
	fprintf(file,
		"\n%sClaims about " OURS ": %u met, %u missed, %u not "
		"measured%s\n",
		rwi_style(file, RWI_BOLD), met, known - met, CLAIMS - known,
		rwi_style(file, RWI_PLAIN));
	rwi_table_print(table, file);
}

/* ---- Where others lead ---- */

static void behind_table(const struct rwi_results *r, FILE *file)
{
	struct rwi_table *table = rwi_table_new("llr");
	const size_t ours = rwi_results_lock(r, OURS);

	rwi_table_cell(table, "test");
	rwi_table_cell(table, "fastest");
	rwi_table_cell(table, OURS " in multiples of it");
	rwi_table_row(table);
	for (size_t test = 0; test < r->tests_count; test++) {
		const size_t cell[] = { test, ours };
		const size_t best[] = { test, best_peer(r, test) };
		struct rwi_summary s;

		if (best[1] == r->locks_count)
			continue;
		s = rwi_ratio(r, rwi_test_metric(r, test), cell, best);
		if (!s.rounds || s.max >= 1)
			continue;
		rwi_table_cell(table, "%s",
			       rwi_text(rwi_test(r, test), "name"));
		rwi_table_cell(table, "%s",
			       rwi_text(rwi_lock(r, best[1]), "name"));
		rwi_summary_cell(table, s, 1);
		rwi_table_row(table);
	}
	fprintf(file,
		"\n%sWhere a sleeping lock of others is faster in every "
		"round%s\n",
		rwi_style(file, RWI_BOLD), rwi_style(file, RWI_PLAIN));
	rwi_table_print(table, file);
}

void rwi_claims_report(const struct rwi_results *r, FILE *file)
{
	const json_t *parameters = json_object_get(r->record, "parameters");

	if (!strcmp(rwi_text(parameters, "set"), "custom") ||
	    rwi_results_lock(r, OURS) == r->locks_count)
		return;
	behind_table(r, file);
	claims_table(r, file);
}
