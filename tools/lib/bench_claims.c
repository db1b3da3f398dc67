/* SPDX-License-Identifier: MIT */
/*
 * What this project claims of its lock, so that anybody can see on their own
 * machine whether it holds: docs/benchmarking.md says where and why.
 */
#include "tools/lib/bench_claims.h"

#include "tools/lib/cli.h"

#include <string.h>

#define OURS  "rwsem"
#define RIVAL "parking-lot"

/* clang-format off */
#define CLAIM(test, metric, against, to, sense, limit, what)                   \
	{ OURS, test, metric, against, to, sense, limit, what, NULL, 0, NULL }
#define READERS(test)                                                          \
	CLAIM(test, RWI_PAIRS, RWI_LOCK, RIVAL, RWI_AT_LEAST, 1.2,             \
	      "x " RIVAL),                                                     \
	CLAIM(test, RWI_PAIRS, RWI_LOCK, "glibc", RWI_AT_LEAST, 2, "x glibc")
#define WRITERS(test, of_one)                                                  \
	CLAIM(test, RWI_PAIRS, RWI_LOCK, RIVAL, RWI_LEVEL, 1, "x " RIVAL),     \
	CLAIM(test, RWI_PAIRS, RWI_OWN_TEST, "w1", RWI_AT_LEAST, of_one,       \
	      "of w1")
#define BOTH(test)                                                             \
	CLAIM(test, RWI_PAIRS, RWI_LOCK, RIVAL, RWI_LEVEL, 1, "x " RIVAL),     \
	CLAIM(test, RWI_SMALLER_SIDE, RWI_NOTHING, "", RWI_AT_LEAST, 20,       \
	      "% for the smaller side")
#define PEERS(test)                                                            \
	CLAIM(test, RWI_PAIRS, RWI_BEST, "", RWI_LEVEL, 1,                     \
	      "x best sleeping peer")
#define PEERS_BY_LOAD(threads, turns)                                          \
	PEERS("mix/" threads "/1/" turns), PEERS("mix/" threads "/5/" turns),  \
	PEERS("mix/" threads "/10/" turns)
#define MIX(threads, of_pauses)                                                \
	CLAIM("mix/" threads "/10/0:1", RWI_OF_PAUSES, RWI_NOTHING, "",        \
	      RWI_AT_MOST, of_pauses, "x the pauses"),                         \
	PEERS("mix/" threads "/1/0:1"), PEERS("mix/" threads "/5/0:1"),        \
	PEERS_BY_LOAD(threads, "1:1"), PEERS_BY_LOAD(threads, "10:1")
#define LONGEST(test, us)                                                      \
	CLAIM(test, RWI_LONGEST, RWI_NOTHING, "", RWI_AT_MOST, us,             \
	      "us longest wait")
#define LONE(test)                                                             \
	CLAIM(test, RWI_LONE, RWI_NOTHING, "", RWI_AT_LEAST, 100, "k/s"),      \
	LONGEST(test, 5000),                                                   \
	CLAIM(test, RWI_CROWD_KEEPS, RWI_NOTHING, "", RWI_AT_LEAST, 0.8,       \
	      "of the others' rate alone")
#define THRIFTY(test)                                                          \
	CLAIM(test, RWI_PER_CPU, RWI_LOCK, "mutex", RWI_LEVEL, 1,              \
	      "x mutex by CPU time")
/* clang-format on */

const struct rwi_claim rwi_own_claims[] = {
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
	LONGEST("waits/wo8", 5000),
	LONGEST("waits/rw8", 6000),
	THRIFTY("ro8"),
	THRIFTY("ro32"),
	THRIFTY("wo8"),
	THRIFTY("wo32"),
	THRIFTY("rw8"),
	THRIFTY("rw32"),
	{ .lock = NULL },
};
enum { CLAIMS = sizeof rwi_own_claims / sizeof *rwi_own_claims - 1 };

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
size_t rwi_best_peer(const struct rwi_results *r, size_t test)
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

struct rwi_summary rwi_claim_measured(const struct rwi_results *r,
				      const struct rwi_claim *claim)
{
	const struct rwi_claim *c = claim;
	const size_t test = rwi_results_test(r, c->test);
	const size_t cell[] = { test, rwi_results_lock(r, c->lock) };
	const double unit = rwi_metric_forms[c->metric].unit;
	size_t to[] = { cell[0], cell[1] };
	struct rwi_summary s = { .rounds = 0 };

	if (test == r->tests_count || cell[1] == r->locks_count)
		return s;
	if (c->against == RWI_LOCK)
		to[1] = rwi_results_lock(r, c->to);
	else if (c->against == RWI_OWN_TEST)
		to[0] = rwi_results_test(r, c->to);
	else if (c->against == RWI_BEST)
		to[1] = rwi_best_peer(r, test);
	if (to[0] == r->tests_count || to[1] == r->locks_count)
		return s;
	if (c->against != RWI_NOTHING)
		return rwi_ratio(r, c->metric, cell, to);
	s = rwi_value(r, c->metric, test, cell[1]);
	s.median /= unit;
	s.min /= unit;
	s.max /= unit;
	return s;
}

bool rwi_claim_holds(const struct rwi_claim *claim, struct rwi_summary s)
{
	if (claim->sense == RWI_AT_MOST)
		return s.median <= claim->limit;
	return s.median >= claim->limit ||
	       (claim->sense == RWI_LEVEL && s.max >= claim->limit);
}

/*
 * Does the same loop without any lock miss it, too?  With more threads than
 * CPUs the scheduler alone makes long waits, and takes from a crowd.
 */
static bool missed_without_a_lock(const struct rwi_results *r,
				  const struct rwi_claim *c)
{
	struct rwi_claim loop = *c;
	struct rwi_summary s;

	if ((c->metric != RWI_LONGEST && c->metric != RWI_CROWD_KEEPS) ||
	    r->lockless == r->locks_count)
		return false;
	loop.lock = rwi_text(rwi_lock(r, r->lockless), "name");
	s = rwi_claim_measured(r, &loop);
	return s.rounds && !rwi_claim_holds(&loop, s);
}

static const char *verdict(const struct rwi_results *r,
			   const struct rwi_claim *c, struct rwi_summary s)
{
	if (rwi_claim_holds(c, s))
		return "met";
	return missed_without_a_lock(r, c) ? "missed, as without a lock"
					   : "MISSED";
}

static void claim_row(const struct rwi_results *r, const struct rwi_claim *c,
		      struct rwi_summary s, struct rwi_table *table)
{
	static const char *const senses[] = { "at least", "at most", "level:" };
	char limit[RWI_NUMBER_SIZE];

	rwi_table_cell(table, "%s", c->test);
	rwi_table_cell(table, "%s %s %s", senses[c->sense],
		       rwi_number(c->limit, limit), c->what);
	rwi_summary_cell(table, s, 1);
	rwi_table_cell(table, "%s", verdict(r, c, s));
	rwi_table_row(table);
}

static void claims_table(const struct rwi_results *r, FILE *file)
{
	struct rwi_table *table = rwi_table_new("llrl");
	unsigned met = 0, known = 0, beyond = 0;

	rwi_table_cell(table, "test");
	rwi_table_cell(table, "claim");
	rwi_table_cell(table, "measured");
	rwi_table_cell(table, "verdict");
	rwi_table_row(table);
	for (size_t i = 0; i < CLAIMS; i++) {
		const struct rwi_summary s =
		    rwi_claim_measured(r, &rwi_own_claims[i]);

		if (!s.rounds)
			continue;
		known++;
		if (rwi_claim_holds(&rwi_own_claims[i], s))
			met++;
		else
			beyond += missed_without_a_lock(r, &rwi_own_claims[i]);
		claim_row(r, &rwi_own_claims[i], s, table);
	}
	fprintf(file,
		"\n%sClaims about " OURS ": %u met, %u missed, %u that this "
		"machine misses without a lock, %u not measured%s\n",
		rwi_style(file, RWI_BOLD), met, known - met - beyond, beyond,
		CLAIMS - known, rwi_style(file, RWI_PLAIN));
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
		const size_t best[] = { test, rwi_best_peer(r, test) };
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

static const char *set_of(const struct rwi_results *r)
{
	return rwi_text(json_object_get(r->record, "parameters"), "set");
}

bool rwi_record_has_lineage(const struct rwi_results *r)
{
	return !strcmp(set_of(r), "lineage");
}

bool rwi_record_has_own(const struct rwi_results *r)
{
	return strcmp(set_of(r), "custom") && !rwi_record_has_lineage(r) &&
	       rwi_results_lock(r, OURS) < r->locks_count;
}

void rwi_claims_report(const struct rwi_results *r, FILE *file)
{
	if (rwi_record_has_lineage(r))
		rwi_lineage_report(r, file);
	if (!rwi_record_has_own(r))
		return;
	behind_table(r, file);
	claims_table(r, file);
}
