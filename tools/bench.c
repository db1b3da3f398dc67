/* SPDX-License-Identifier: MIT */
/*
 * rwsem bench: locks side by side.
 *
 * What is measured goes into a JSON record, and the tables are made from that
 * record alone, now or later.
 */
#include "tools/lib/bench.h"

#include "bench/locks.h"
#include "tools/lib/bench_claims.h"
#include "tools/lib/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What runs together by default: tests, locks, and the claims at the end. */
struct set {
	const char *name;
	const char *summary;
	void (*add_tests)(struct rwi_bench *);
	void (*add_locks)(struct rwi_bench *);
	bool (*wants)(const char *test, const char *lock);
};

struct options {
	struct rwi_bench bench;
	const char *json, *show;
	const char *old, *new; /* to compare */
	const struct set *set;
};

/* Measured unless others are named; those this build lacks are left out. */
static const char *const default_locks[] = {
	"rwsem",
	"rwsem-inline",
	"parking-lot",
	"glibc",
	"glibc-prefer-writers",
	"mutex",
	"std-shared-mutex",
	"rmw-pair",
};

/* ---- Arguments ---- */

enum {
	OPT_SET = 256,
	OPT_FULL,
	OPT_SECONDS,
	OPT_WARMUP,
	OPT_ROUNDS,
	OPT_BASELINE,
	OPT_SECTION,
	OPT_SHARED_COUNTERS,
	OPT_YIELD,
	OPT_NO_PIN,
	OPT_SEED,
	OPT_JSON,
	OPT_SHOW,
	OPT_COMPARE,
	OPT_PROGRESS,
	OPT_LIST,
};

static const struct argp_option arguments[] = {
	{ "tests", 't', "NAME,...", 0,
	  "Tests or groups of tests to run (default: headline)", 1 },
	{ "locks", 'l', "NAME,...", 0,
	  "Locks to measure; 'rwsem list' names them, 'all' is all but broken "
	  "ones",
	  1 },
	{ "set", OPT_SET, "NAME", 0,
	  "Tests, their locks, and claims to check: headline (default), full, "
	  "lineage",
	  1 },
	{ "full", OPT_FULL, NULL, 0,
	  "All tests with all locks: short for --set full", 1 },
	{ "list", OPT_LIST, NULL, 0,
	  "Name the sets, tests, groups and sections, and exit", 1 },
	{ "baseline", OPT_BASELINE, "LOCK", 0,
	  "Show ratios to this lock (default: glibc)", 2 },
	{ "section", OPT_SECTION, "NAME", 0,
	  "What is done while the lock is held, by tests that do not say it "
	  "themselves (default: empty)",
	  2 },
	{ "shared-counters", OPT_SHARED_COUNTERS, NULL, 0,
	  "Count in shared memory while the lock is held, as in 2001", 2 },
	{ "yield", OPT_YIELD, NULL, 0,
	  "Call sched_yield(2) while the lock is held", 2 },
	{ "rounds", OPT_ROUNDS, "N", 0, "Rounds over everything (default: 5)",
	  2 },
	{ "seconds", OPT_SECONDS, "S", 0,
	  "Measure each lock in each test and round for S (default: 0.15, "
	  "waits 0.4, mix 0.1)",
	  2 },
	{ "warmup", OPT_WARMUP, "S", 0,
	  "Run for S before measuring (default: a tenth of that)", 2 },
	{ "seed", OPT_SEED, "N", 0,
	  "Order the locks by this number (default: 1)", 2 },
	{ "no-pin", OPT_NO_PIN, NULL, 0,
	  "Let the system place threads even if there are enough CPUs", 2 },
	{ "json", OPT_JSON, "FILE", 0,
	  "Write the record to FILE; '-' is standard output, instead of tables",
	  3 },
	{ "show", OPT_SHOW, "FILE", 0,
	  "Measure nothing; print the tables of a record", 3 },
	{ "compare", OPT_COMPARE, "OLD", 0,
	  "Measure nothing; print what changed from the record OLD to NEW", 3 },
	{ "progress", OPT_PROGRESS, NULL, 0,
	  "Show progress even if standard error is not a terminal", 3 },
	{ 0 },
};

static bool has_test(const struct rwi_bench *b, const char *name)
{
	for (unsigned i = 0; i < b->tests_count; i++)
		if (!strcmp(b->tests[i].name, name))
			return true;
	return false;
}

static void add_test(struct rwi_bench *b, const char *name)
{
	if (b->tests_count == RWI_BENCH_MAX)
		rwi_usage("--tests: more than %d tests", RWI_BENCH_MAX);
	if (!rwi_workload_parse(name, &b->tests[b->tests_count]))
		rwi_usage("--tests: '%s' is no test of 1 to %d threads; "
			  "'rwsem bench --list' shows their forms",
			  name, RWI_THREADS_MAX);
	b->tests_count++;
}

/* A group has its tests once, whatever was named before. */
static void add_group(struct rwi_bench *b, const char *members)
{
	while (*members) {
		const size_t length = strcspn(members, ",");
		char name[RWI_WORKLOAD_NAME];

		snprintf(name, sizeof name, "%.*s", (int)length, members);
		if (!has_test(b, name))
			add_test(b, name);
		members += length + (members[length] == ',');
	}
}

static void add_tests(void *input, char *word)
{
	const struct rwi_workload_group *group = rwi_workload_group(word);
	struct rwi_bench *b = input;

	if (group)
		add_group(b, group->members);
	else if (has_test(b, word))
		rwi_usage("--tests: '%s' appears twice", word);
	else
		add_test(b, word);
}

static void add_lock(struct rwi_bench *b, const struct rwi_design *design)
{
	if (b->locks_count == RWI_BENCH_MAX)
		rwi_usage("--locks: more than %d locks", RWI_BENCH_MAX);
	for (unsigned i = 0; i < b->locks_count; i++)
		if (b->locks[i] == design)
			rwi_usage("--locks: '%s' appears twice", design->name);
	b->locks[b->locks_count++] = design;
}

static void add_all_locks(struct rwi_bench *b)
{
	const struct rwi_design *design;

	for (size_t i = 0; (design = rwi_lock_at(i)); i++)
		if (!(design->traits & RWI_BROKEN))
			add_lock(b, design);
}

static void add_locks(void *input, char *word)
{
	struct rwi_bench *b = input;

	if (!strcmp(word, "all")) {
		add_all_locks(b);
		return;
	}
	b->all_spinners = true;
	add_lock(b, rwi_lock_named(word));
}

/* ---- Sets ---- */

static void add_headline(struct rwi_bench *b)
{
	add_group(b, rwi_workload_group("headline")->members);
}

static void add_full(struct rwi_bench *b)
{
	add_group(b, rwi_workload_group("full")->members);
}

static void add_default_locks(struct rwi_bench *b)
{
	const size_t n = sizeof default_locks / sizeof *default_locks;

	for (size_t i = 0; i < n; i++)
		if (rwi_lock_find(default_locks[i]))
			add_lock(b, rwi_lock_find(default_locks[i]));
}

/* Both locks of the claim are in this build. */
static bool can_check(const struct rwi_claim *c)
{
	return rwi_lock_find(c->lock) && rwi_lock_find(c->to);
}

static void add_lineage(struct rwi_bench *b)
{
	for (const struct rwi_claim *c = rwi_lineage_claims; c->lock; c++)
		if (can_check(c) && !has_test(b, c->test))
			add_test(b, c->test);
}

static bool lineage_wants(const char *test, const char *lock)
{
	for (const struct rwi_claim *c = rwi_lineage_claims; c->lock; c++)
		if (can_check(c) && !strcmp(c->test, test) &&
		    (!strcmp(c->lock, lock) || !strcmp(c->to, lock)))
			return true;
	return false;
}

/* In the order of the list, not of the claims. */
static void add_lineage_locks(struct rwi_bench *b)
{
	const struct rwi_design *design;

	for (size_t i = 0; (design = rwi_lock_at(i)); i++)
		for (unsigned t = 0; t < b->tests_count; t++)
			if (lineage_wants(b->tests[t].name, design->name)) {
				add_lock(b, design);
				break;
			}
}

static const struct set sets[] = {
	{ "headline", "what runs by default, and what is claimed of rwsem",
	  add_headline, add_default_locks, NULL },
	{ "full", "all tests with all locks", add_full, add_all_locks, NULL },
	{ "lineage", "what the authors of the designs claimed of them",
	  add_lineage, add_lineage_locks, lineage_wants },
};
enum { SETS = sizeof sets / sizeof *sets };

static const struct set *set_named(const char *name)
{
	for (size_t i = 0; i < SETS; i++)
		if (!strcmp(sets[i].name, name))
			return &sets[i];
	rwi_usage("--set: no set is called '%s'; 'rwsem bench --list' names "
		  "them",
		  name);
}

/* ---- Options ---- */

static _Noreturn void list_and_exit(void)
{
	printf("Sets:\n");
	for (size_t i = 0; i < SETS; i++)
		printf("  %-15s %s\n", sets[i].name, sets[i].summary);
	printf("Tests:\n");
	for (const struct rwi_workload_form *f = rwi_workload_forms; f->form;
	     f++)
		printf("  %-15s %s\n", f->form, f->summary);
	printf("Groups of tests:\n");
	for (const struct rwi_workload_group *g = rwi_workload_groups; g->name;
	     g++)
		printf("  %-15s %s\n", g->name, g->summary);
	printf("Sections:\n");
	for (const struct rwi_section_form *f = rwi_section_forms; f->form; f++)
		printf("  %-15s %s\n", f->form, f->summary);
	exit(RWI_EXIT_OK);
}

static error_t parse_measuring(int key, char *arg, struct rwi_bench *b)
{
	switch (key) {
	case 't':
		b->tests_count = 0;
		rwi_words("tests", arg, add_tests, b);
		return 0;
	case 'l':
		b->locks_count = 0;
		rwi_words("locks", arg, add_locks, b);
		return 0;
	case OPT_BASELINE:
		b->baseline = rwi_lock_named(arg);
		return 0;
	case OPT_SECTION:
		if (!rwi_section_parse(arg, &b->section))
			rwi_usage("--section: no section is called '%s'", arg);
		return 0;
	case OPT_SHARED_COUNTERS:
		b->shared_counters = true;
		return 0;
	case OPT_YIELD:
		b->yield = true;
		return 0;
	case OPT_ROUNDS:
		b->rounds = (unsigned)rwi_count("rounds", arg, 1, 10000);
		return 0;
	case OPT_SECONDS:
		b->seconds = rwi_seconds("seconds", arg, 0.001, 3600);
		return 0;
	case OPT_WARMUP:
		b->warmup = rwi_seconds("warmup", arg, 0, 3600);
		return 0;
	case OPT_SEED:
		b->seed = rwi_count("seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_NO_PIN:
		b->no_pin = true;
		return 0;
	case OPT_PROGRESS:
		b->progress = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_SET:
		o->set = set_named(arg);
		return 0;
	case OPT_FULL:
		o->set = set_named("full");
		return 0;
	case OPT_LIST:
		list_and_exit();
	case OPT_JSON:
		o->json = arg;
		return 0;
	case OPT_SHOW:
		o->show = arg;
		return 0;
	case OPT_COMPARE:
		o->old = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (!o->old || o->new)
			rwi_usage("bench: unexpected argument '%s'", arg);
		o->new = arg;
		return 0;
	case ARGP_KEY_END:
		if (o->old && !o->new)
			rwi_usage("--compare: a second record is needed");
		return 0;
	default:
		return parse_measuring(key, arg, &o->bench);
	}
}

static void fill_in_defaults(struct rwi_bench *b, const struct set *set)
{
	bool found = false;

	/* What the claims are about, and no more. */
	b->set = b->tests_count || b->locks_count || b->section.read ||
			 b->shared_counters || b->yield || b->no_pin
		     ? "custom"
		     : set->name;
	if (!b->tests_count && !b->locks_count)
		b->wants = set->wants;
	if (!b->tests_count)
		set->add_tests(b);
	if (!b->locks_count)
		set->add_locks(b);
	if (!b->tests_count || !b->locks_count)
		rwi_usage("--set: this build has none of its locks");
	for (unsigned i = 0; i < b->locks_count; i++)
		found |= b->locks[i] == b->baseline;
	/* Ratios to a lock that is not measured: only if not asked for. */
	if (b->baseline && !found)
		rwi_usage("--baseline: '%s' is not among the locks measured",
			  b->baseline->name);
	if (!b->baseline)
		b->baseline = rwi_lock_of_libc();
}

static int compare(const struct options *o)
{
	json_t *old = rwi_json_read(o->old), *new = rwi_json_read(o->new);

	rwi_bench_compare(old, new, stdout);
	json_decref(old);
	json_decref(new);
	return RWI_EXIT_OK;
}

int rwi_bench(int argc, char **argv)
{
	static const struct argp argp = {
		.options = arguments,
		.parser = parse,
		.args_doc = "[NEW]",
		.doc = "Measure locks side by side.\vExit status: 0, or 1 if a "
		       "lock gave a wrong result, 2 for bad arguments, 3 if "
		       "the system refused something, 130 if interrupted; "
		       "what was measured until then is reported.",
	};
	struct options o = { .bench = { .section = { .name = "empty" },
					.rounds = 5,
					.seconds = -1,
					.warmup = -1,
					.seed = 1 },
			     .set = set_named("headline") };
	int code = RWI_EXIT_OK;
	json_t *record;

	rwi_parse(&argp, argc, argv, 0, &o);
	if (o.old)
		return compare(&o);
	if (o.show) {
		record = rwi_json_read(o.show);
	} else {
		fill_in_defaults(&o.bench, o.set);
		record = rwi_bench_measure(&o.bench, &code);
	}
	if (code == RWI_EXIT_WRONG)
		rwi_error("results are wrong; the record has them as such");
	if (o.json)
		rwi_json_write(record, o.json);
	if (!o.json || strcmp(o.json, "-"))
		rwi_bench_report(record, stdout);
	json_decref(record);
	return code;
}
