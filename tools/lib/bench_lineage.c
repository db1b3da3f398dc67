/* SPDX-License-Identifier: MIT */
/*
 * What the authors of the designs said of them, beside what is measured here.
 *
 * A claim agrees if the median of the ratio is on the side that they said.
 * Nothing is made to agree: machine, kernel and programs were others, and where
 * it is known beforehand that this can matter, the reason stands with the
 * claim.
 */
#include "tools/lib/bench_claims.h"

#include "tools/lib/cli.h"

#include <string.h>

/* ---- Sources ---- */

#define ONLY_LOCKING "a whole program there, threads that only lock here"

static const struct rwi_source arcangeli = {
	"Arcangeli, linux-kernel, 2001-04-22",
	"rwsem-test on two Pentium II of 450 MHz", 2, NULL
};

static const struct rwi_source heo = {
	"Heo, linux-kernel, 2005-09-25", "dd with writes of 32 bytes, one CPU",
	0, "one CPU there, on which an rwsem needs no locked instruction"
};

static const struct rwi_source heo_idea = {
	"Heo, linux-kernel, 2005-09-25 and 2005-10-28",
	"what it is for; not measured", 0, NULL
};

static const struct rwi_source patocka = {
	"Patocka, Linux, 2012: Documentation/percpu-rw-semaphore.txt",
	"what it is for; not measured", 0, NULL
};

static const struct rwi_source lespinasse = {
	"Lespinasse, linux-kernel, 2013-05; measured by Bueso",
	"pgbench on a laptop with four cores", 4, ONLY_LOCKING
};

static const struct rwi_source chen = {
	"Chen, linux-kernel, 2013-06-21; measured by Bueso", "AIM7 on 80 cores",
	80, ONLY_LOCKING
};

static const struct rwi_source chen_v8 = { "Chen, linux-mm, 2013-10-02",
					   "exim on 40 cores", 40,
					   ONLY_LOCKING };

static const struct rwi_source long_2014 = {
	"Long, linux-kernel, 2014-08-04",
	"two or ten cores of a socket of a Westmere-EX", 10, NULL
};

static const struct rwi_source long_2019 = {
	"Long, linux-kernel, 2019-05-20",
	"readers and writers by halves, up to eight sockets", 80,
	"steps within one series there; the lock before the series here"
};

static const struct rwi_source long_2020 = { "Long, linux-kernel, 2020-11",
					     "no figures published with it", 0,
					     NULL };

/* ---- Claims ---- */

/* clang-format off */
#define CLAIM(from, test, metric, lock, what, to, sense, limit, there, why)    \
	{ lock, test, metric, RWI_LOCK, to, sense, limit, what, from, there, why }
#define FASTER(from, test, lock, to, there, why)                               \
	CLAIM(from, test, RWI_PAIRS, lock, "faster than", to, RWI_AT_LEAST, 1, \
	      there, why)
#define SLOWER(from, test, lock, to, there, why)                               \
	CLAIM(from, test, RWI_PAIRS, lock, "slower than", to, RWI_AT_MOST, 1,  \
	      there, why)

/*
 * Pairs in five seconds (rw: reads and writes in fifty), means of two runs, in
 * thousands.  Where threads meet, all counted in shared memory; forms that
 * differ in where the fast path stands are told apart by direct calls only,
 * without counting.
 */
#define NO_CLI  "no interrupts to switch off here"
#define WHEN_DUE "gave its CPU away only when that was due there"
#define UNCOUNTED "counted in shared memory there"
#define ARCANGELI_2001                                                         \
	FASTER(&arcangeli, "r1", "arcangeli-2001", "howells-2001-spinlock",    \
	       15211.0 / 13092, NO_CLI),                                       \
	FASTER(&arcangeli, "2001/r2", "arcangeli-2001",                        \
	       "howells-2001-spinlock", 5093.0 / 3907, NO_CLI),                \
	FASTER(&arcangeli, "2001/ro", "arcangeli-2001",                        \
	       "howells-2001-spinlock", 4277.0 / 3006, NO_CLI),                \
	FASTER(&arcangeli, "w1", "arcangeli-2001", "howells-2001-spinlock",    \
	       14716.0 / 12576, NO_CLI),                                       \
	FASTER(&arcangeli, "2001/wo", "arcangeli-2001",                        \
	       "howells-2001-spinlock", 1777.0 / 1353, NO_CLI),                \
	FASTER(&arcangeli, "2001/rw-aa", "arcangeli-2001",                     \
	       "howells-2001-spinlock", 9790.0 / 8920, WHEN_DUE),              \
	SLOWER(&arcangeli, "r1", "arcangeli-2001", "howells-2001-xadd",        \
	       15211.0 / 16933, NULL),                                         \
	SLOWER(&arcangeli, "2001/r2", "arcangeli-2001", "howells-2001-xadd",   \
	       5093.0 / 5649, NULL),                                           \
	SLOWER(&arcangeli, "2001/ro", "arcangeli-2001", "howells-2001-xadd",   \
	       4277.0 / 4955, NULL),                                           \
	SLOWER(&arcangeli, "w1", "arcangeli-2001", "howells-2001-xadd",        \
	       14716.0 / 15421, NULL),                                         \
	CLAIM(&arcangeli, "2001/wo", RWI_PAIRS, "arcangeli-2001",              \
	      "twice as fast as", "howells-2001-xadd", RWI_AT_LEAST, 2,        \
	      1777.0 / 815, NULL),                                             \
	FASTER(&arcangeli, "2001/rw-aa", "arcangeli-2001",                     \
	       "howells-2001-xadd", 9790.0 / 8769, WHEN_DUE),                  \
	FASTER(&arcangeli, "r1", "arcangeli-2001", "arcangeli-2001-call",      \
	       15211.0 / 14102, NULL),                                         \
	FASTER(&arcangeli, "r2", "arcangeli-2001", "arcangeli-2001-call",      \
	       5093.0 / 4005, UNCOUNTED),                                      \
	FASTER(&arcangeli, "ro", "arcangeli-2001", "arcangeli-2001-call",      \
	       4277.0 / 4150, UNCOUNTED),                                      \
	FASTER(&arcangeli, "w1", "arcangeli-2001", "arcangeli-2001-call",      \
	       14716.0 / 13647, NULL),                                         \
	FASTER(&arcangeli, "wo", "arcangeli-2001", "arcangeli-2001-call",      \
	       1777.0 / 1758, UNCOUNTED),                                      \
	SLOWER(&arcangeli, "r1", "arcangeli-2001-padded", "arcangeli-2001", 0, \
	       NULL),                                                          \
	SLOWER(&arcangeli, "wo", "arcangeli-2001-padded", "arcangeli-2001", 0, \
	       UNCOUNTED)

/* Milliseconds for a million pairs of each thread, for loads of 1, 5 and 10. */
#define LOAD(test, to, before, after)                                          \
	FASTER(&long_2014, test, "long-2014", to, (before) / (after), NULL)
#define LOADS(threads, turns, to, b1, b5, b10, a1, a5, a10)                    \
	LOAD("mix/" threads "/1/" turns, to, b1, a1),                          \
	LOAD("mix/" threads "/5/" turns, to, b5, a5),                          \
	LOAD("mix/" threads "/10/" turns, to, b10, a10)
#define BEFORE(threads, turns, b1, b5, b10, a1, a5, a10)                       \
	LOADS(threads, turns, "bueso-2014", b1, b5, b10, a1, a5, a10)
#define MUTEX_2(turns, a1, a5, a10)                                            \
	LOADS("2", turns, "long-2014-mutex", 530.7, 406.0, 472.7, a1, a5, a10)
#define MUTEX_10(turns, a1, a5, a10)                                           \
	LOADS("10", turns, "long-2014-mutex", 1848., 2046., 4394., a1, a5, a10)

/* Thousand operations a second, in all; before and after a step. */
#define SERIES_2019(test, before, after)                                       \
	FASTER(&long_2019, test, "long-2019", "bueso-2014",                    \
	       (double)(after) / (before), NULL)

const struct rwi_claim rwi_lineage_claims[] = {
	ARCANGELI_2001,

	/* What the lock added to a write of 0.6 us. */
	SLOWER(&heo, "r1", "heo-2005-v1", "howells-2001-xadd", 58. / 297, NULL),
	FASTER(&heo_idea, "r2", "heo-2005-v1", "howells-2001-xadd", 0, NULL),
	FASTER(&heo_idea, "r2", "heo-2005-v2", "howells-2001-xadd", 0, NULL),

	FASTER(&patocka, "r2", "zijlstra-2020-percpu", "long-2020", 0, NULL),
	SLOWER(&patocka, "w1", "zijlstra-2020-percpu", "long-2020", 0, NULL),

	/* Transactions a second; 160 MB, then 7.6 GB. */
	FASTER(&lespinasse, "mix/20/10/10:1", "lespinasse-2013-fast",
	       "shi-2013", 31343. / 26940, NULL),
	FASTER(&lespinasse, "mix/50/10/10:1", "lespinasse-2013-fast",
	       "shi-2013", 25925. / 17115, NULL),
	FASTER(&lespinasse, "wo8", "lespinasse-2013-fast", "shi-2013", 0,
	       NULL),
	CLAIM(&lespinasse, "rw8", RWI_READS, "lespinasse-2013-readers",
	      "reads more than", "lespinasse-2013", RWI_AT_LEAST, 1, 0, NULL),

	/* Jobs a minute: alltests. */
	FASTER(&chen, "wo32", "chen-2013", "lespinasse-2013-fast", 1.145, NULL),
	FASTER(&chen, "wo32", "chen-2013-preread", "lespinasse-2013-fast", 0,
	       NULL),
	FASTER(&chen, "wo32", "chen-2013-spin", "lespinasse-2013-fast", 0,
	       NULL),
	SLOWER(&chen_v8, "wo32", "lespinasse-2013-fast", "long-2014-mutex",
	       0.92, NULL),
	FASTER(&chen_v8, "wo32", "bueso-2014", "lespinasse-2013-fast", 1.048,
	       NULL),
	FASTER(&chen_v8, "wo32", "bueso-2014", "chen-2013", 1.05, NULL),

	BEFORE("2", "0:1", 339.4, 368.9, 394.0, 161.1, 244.4, 271.4),
	BEFORE("2", "1:1", 2915., 2621., 2764., 188.8, 212.4, 312.9),
	BEFORE("2", "10:1", 891.2, 779.2, 827.2, 168.8, 179.5, 209.8),
	BEFORE("10", "0:1", 5618., 5722., 5683., 1306., 1733., 1998.),
	BEFORE("10", "1:1", 14562., 14561., 14770., 1512., 1602., 2093.),
	BEFORE("10", "10:1", 5914., 5971., 5912., 1267., 1458., 2233.),
	MUTEX_2("0:1", 161.1, 244.4, 271.4),
	MUTEX_2("1:1", 188.8, 212.4, 312.9),
	MUTEX_2("10:1", 168.8, 179.5, 209.8),
	MUTEX_10("0:1", 1306., 1733., 1998.),
	MUTEX_10("1:1", 1512., 1602., 2093.),
	MUTEX_10("10:1", 1267., 1458., 2233.),

	/* Timed spinning on readers; waking all readers at sixteen threads. */
	SERIES_2019("rw2", 1759, 6684),
	SERIES_2019("rw8", 1074, 7222),
	SERIES_2019("rw16", 564, 924),
	SERIES_2019("rw32", 458, 7316),
	SERIES_2019("rw64", 208, 520),
	/* The hand-off: operations of the poorest of 240 writers, and of all. */
	CLAIM(&long_2019, "waits/wo32", RWI_WRITE_LEAST, "long-2019",
	      "fairer to the poorest than", "bueso-2014", RWI_AT_LEAST, 1,
	      (5842. / 6542) / (1. / 7792), "240 writers there, 32 here"),
	SLOWER(&long_2019, "waits/wo32", "long-2019", "bueso-2014",
	       6542. / 7792, "240 writers there, 32 here"),

	/* Readers that spin break up groups of readers; so they steal instead. */
	CLAIM(&long_2020, "rw32", RWI_READS, "long-2020", "reads more than",
	      "long-2019", RWI_AT_LEAST, 1, 0, NULL),

	{ .lock = NULL },
};
/* clang-format on */

/* ---- The report ---- */

/* Are some rounds on the one side of the limit, some on the other? */
static bool is_split(const struct rwi_claim *c, struct rwi_summary s)
{
	return s.min < c->limit && s.max > c->limit;
}

/* Adds to the reasons in `text`. */
static void reason(char *text, size_t size, const char *words)
{
	if (*text)
		strncat(text, "; ", size - strlen(text) - 1);
	strncat(text, words, size - strlen(text) - 1);
}

void rwi_claim_reasons(const struct rwi_results *r, const struct rwi_claim *c,
		       struct rwi_summary s, char text[RWI_REASONS_SIZE])
{
	const size_t size = RWI_REASONS_SIZE;
	const intmax_t cpus =
	    rwi_whole(json_object_get(r->record, "machine"), "cpus");
	const json_t *test = rwi_test(r, rwi_results_test(r, c->test));
	const bool holds = rwi_claim_holds(c, s);
	char words[64];

	*text = '\0';
	if (is_split(c, s))
		reason(text, size,
		       holds ? "not in all rounds" : "in some rounds");
	if (holds)
		return;
	if (rwi_is(test, "oversubscribed") &&
	    (intmax_t)c->source->cpus > cpus) {
		snprintf(words, sizeof words, "%u CPUs there, %jd here",
			 c->source->cpus, cpus);
		reason(text, size, words);
	}
	if (c->why)
		reason(text, size, c->why);
	if (c->source->why)
		reason(text, size, c->source->why);
}

static void row(const struct rwi_results *r, const struct rwi_claim *c,
		struct rwi_table *table)
{
	const struct rwi_summary s = rwi_claim_measured(r, c);
	char number[RWI_NUMBER_SIZE], text[RWI_REASONS_SIZE];

	rwi_table_cell(table, "%s", c->test);
	rwi_table_cell(table, "%s %s %s", c->lock, c->what, c->to);
	rwi_table_cell(table, "%s",
		       c->there > 0 ? rwi_number(c->there, number) : "-");
	rwi_summary_cell(table, s, 1);
	if (s.rounds) {
		rwi_claim_reasons(r, c, s, text);
		rwi_table_cell(table, "%s%s%s",
			       rwi_claim_holds(c, s) ? "agree" : "differ",
			       *text ? ": " : "", text);
	} else {
		rwi_table_cell(table, "not measured");
	}
	rwi_table_row(table);
}

/* The claims from one source, which follow each other. */
static const struct rwi_claim *
source_table(const struct rwi_results *r, const struct rwi_claim *c, FILE *file)
{
	const struct rwi_source *source = c->source;
	struct rwi_table *table = rwi_table_new("llrrl");
	static const char *const columns[] = { "test", "claim", "there", "here",
					       "verdict" };

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		rwi_table_cell(table, "%s", columns[i]);
	rwi_table_row(table);
	for (; c->lock && c->source == source; c++)
		row(r, c, table);
	fprintf(file, "\n%s%s: %s%s\n", rwi_style(file, RWI_BOLD), source->who,
		source->machine, rwi_style(file, RWI_PLAIN));
	rwi_table_print(table, file);
	return c;
}

void rwi_lineage_report(const struct rwi_results *r, FILE *file)
{
	const struct rwi_claim *c;
	unsigned agree = 0, differ = 0, unknown = 0;

	for (c = rwi_lineage_claims; c->lock; c++) {
		const struct rwi_summary s = rwi_claim_measured(r, c);

		if (!s.rounds)
			unknown++;
		else if (rwi_claim_holds(c, s))
			agree++;
		else
			differ++;
	}
	fprintf(file,
		"\n%sClaims of the lineage: %u agree, %u differ, %u not "
		"measured%s\n"
		"  ratios of the first lock to the second, as published there "
		"and as measured here\n",
		rwi_style(file, RWI_BOLD), agree, differ, unknown,
		rwi_style(file, RWI_PLAIN));
	rwi_machine_line(r, file);
	rwi_canary_line(r, r->tests_count, file);
	for (c = rwi_lineage_claims; c->lock;)
		c = source_table(r, c, file);
}
