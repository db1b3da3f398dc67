/* SPDX-License-Identifier: MIT */
/*
 * rwsem bench: locks side by side under the tests of 2001.
 *
 * Rounds over tests over locks, in a new order of locks each time: what is
 * compared ran within seconds of each other.  Every window goes into a JSON
 * record, and the tables are made from that record alone, now or later.
 */
#define _GNU_SOURCE /* strdup */

#include "tools/lib/cli.h"

#include "bench/locks.h"
#include "bench/machine.h"
#include "bench/window.h"
#include "tools/lib/bench_report.h"
#include "tools/lib/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIST_MAX = 256 };

struct options {
	struct rwi_workload tests[LIST_MAX];
	const struct rwi_design *locks[LIST_MAX];
	unsigned tests_count, locks_count;
	const struct rwi_design *baseline;
	const struct rwi_section *section;
	unsigned rounds;
	double seconds, warmup;
	uint64_t seed;
	bool no_pin, progress;
	const char *json, *show;
};

/* Measured unless others are named; those this build lacks are left out. */
static const char *const default_locks[] = {
	"rwsem", "rwsem-inline",     "glibc",    "glibc-prefer-writers",
	"mutex", "std-shared-mutex", "rmw-pair",
};

/* ---- Arguments ---- */

enum {
	OPT_SECONDS = 256,
	OPT_WARMUP,
	OPT_ROUNDS,
	OPT_BASELINE,
	OPT_SECTION,
	OPT_NO_PIN,
	OPT_SEED,
	OPT_JSON,
	OPT_SHOW,
	OPT_PROGRESS,
	OPT_LIST,
};

static const struct argp_option arguments[] = {
	{ "tests", 't', "NAME,...", 0,
	  "Tests to run, by name or as READERS:WRITERS (default: all six)", 1 },
	{ "locks", 'l', "NAME,...", 0,
	  "Locks to measure; 'rwsem list' names them", 1 },
	{ "list", OPT_LIST, NULL, 0, "Name the tests and sections, and exit",
	  1 },
	{ "baseline", OPT_BASELINE, "LOCK", 0,
	  "Show ratios to this lock (default: glibc)", 2 },
	{ "section", OPT_SECTION, "NAME", 0,
	  "What is done while the lock is held (default: empty)", 2 },
	{ "rounds", OPT_ROUNDS, "N", 0, "Rounds over everything (default: 5)",
	  2 },
	{ "seconds", OPT_SECONDS, "S", 0,
	  "Measure each lock in each test and round for S (default: 0.2)", 2 },
	{ "warmup", OPT_WARMUP, "S", 0,
	  "Run for S before measuring (default: a tenth of --seconds)", 2 },
	{ "seed", OPT_SEED, "N", 0,
	  "Order the locks by this number (default: 1)", 2 },
	{ "no-pin", OPT_NO_PIN, NULL, 0,
	  "Let the system place threads even if there are enough CPUs", 2 },
	{ "json", OPT_JSON, "FILE", 0,
	  "Write the record to FILE; '-' is standard output, instead of tables",
	  3 },
	{ "show", OPT_SHOW, "FILE", 0,
	  "Measure nothing; print the tables of a record", 3 },
	{ "progress", OPT_PROGRESS, NULL, 0,
	  "Show progress even if standard error is not a terminal", 3 },
	{ 0 },
};

static void add_test(void *input, char *word)
{
	struct options *o = input;

	if (o->tests_count == LIST_MAX)
		rwi_usage("--tests: more than %d tests", LIST_MAX);
	if (!rwi_workload_parse(word, &o->tests[o->tests_count++]))
		rwi_usage("--tests: '%s' is neither a test nor READERS:WRITERS "
			  "with 1 to %d threads",
			  word, RWI_THREADS_MAX);
	for (unsigned i = 0; i + 1 < o->tests_count; i++)
		if (!strcmp(o->tests[i].name, word))
			rwi_usage("--tests: '%s' appears twice", word);
}

static void add_lock(void *input, char *word)
{
	struct options *o = input;
	const struct rwi_design *design = rwi_lock_named(word);

	if (o->locks_count == LIST_MAX)
		rwi_usage("--locks: more than %d locks", LIST_MAX);
	for (unsigned i = 0; i < o->locks_count; i++)
		if (o->locks[i] == design)
			rwi_usage("--locks: '%s' appears twice", word);
	o->locks[o->locks_count++] = design;
}

static _Noreturn void list_and_exit(void)
{
	printf("Tests:\n");
	for (const struct rwi_workload *w = rwi_workloads; w->name; w++)
		printf("  %-6s %s\n", w->name, w->summary);
	printf("Sections:\n");
	for (const struct rwi_section *s = rwi_sections; s->name; s++)
		printf("  %-6s %s\n", s->name, s->summary);
	exit(RWI_EXIT_OK);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 't':
		o->tests_count = 0;
		rwi_words("tests", arg, add_test, o);
		return 0;
	case 'l':
		o->locks_count = 0;
		rwi_words("locks", arg, add_lock, o);
		return 0;
	case OPT_LIST:
		list_and_exit();
	case OPT_BASELINE:
		o->baseline = rwi_lock_named(arg);
		return 0;
	case OPT_SECTION:
		o->section = rwi_section_find(arg);
		if (!o->section)
			rwi_usage("--section: no section is called '%s'", arg);
		return 0;
	case OPT_ROUNDS:
		o->rounds = (unsigned)rwi_count("rounds", arg, 1, 10000);
		return 0;
	case OPT_SECONDS:
		o->seconds = rwi_seconds("seconds", arg, 0.001, 3600);
		return 0;
	case OPT_WARMUP:
		o->warmup = rwi_seconds("warmup", arg, 0, 3600);
		return 0;
	case OPT_SEED:
		o->seed = rwi_count("seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_NO_PIN:
		o->no_pin = true;
		return 0;
	case OPT_JSON:
		o->json = arg;
		return 0;
	case OPT_SHOW:
		o->show = arg;
		return 0;
	case OPT_PROGRESS:
		o->progress = true;
		return 0;
	case ARGP_KEY_ARG:
		rwi_usage("bench: unexpected argument '%s'", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void fill_in_defaults(struct options *o)
{
	bool found = false;

	if (!o->tests_count)
		while (rwi_workloads[o->tests_count].name) {
			o->tests[o->tests_count] =
			    rwi_workloads[o->tests_count];
			o->tests_count++;
		}
	if (!o->locks_count)
		for (size_t i = 0;
		     i < sizeof default_locks / sizeof *default_locks; i++) {
			o->locks[o->locks_count] =
			    rwi_lock_find(default_locks[i]);
			o->locks_count += o->locks[o->locks_count] != NULL;
		}
	for (unsigned i = 0; i < o->locks_count; i++)
		found |= o->locks[i] == o->baseline;
	/* Ratios to a lock that is not measured: only if not asked for. */
	if (o->baseline && !found)
		rwi_usage("--baseline: '%s' is not among the locks measured",
			  o->baseline->name);
	if (!o->baseline)
		o->baseline = rwi_lock_of_libc();
	if (o->warmup < 0)
		o->warmup = o->seconds / 10;
}

/* ---- The record ---- */

struct plan {
	const struct options *options;
	json_t *record;
	json_t *windows;
	int cpus[RWI_CPUS_MAX];
	unsigned cpus_count;
};

static bool pinned(const struct plan *plan, const struct rwi_workload *test)
{
	return !plan->options->no_pin &&
	       test->readers + test->writers <= plan->cpus_count;
}

static json_t *describe_tests(const struct plan *plan)
{
	const struct options *o = plan->options;
	json_t *tests = json_array();

	for (unsigned i = 0; i < o->tests_count; i++) {
		const struct rwi_workload *t = &o->tests[i];
		const unsigned threads = t->readers + t->writers;

		json_array_append_new(
		    tests,
		    json_pack("{s:s, s:s, s:i, s:i, s:b, s:b, s:i}", "name",
			      t->name, "summary", t->summary, "readers",
			      (int)t->readers, "writers", (int)t->writers,
			      "pinned", pinned(plan, t), "oversubscribed",
			      threads > plan->cpus_count, "batch",
			      (int)rwi_window_batch(threads)));
	}
	return tests;
}

static json_t *describe_locks(const struct options *o)
{
	json_t *locks = json_array();

	for (unsigned i = 0; i < o->locks_count; i++)
		json_array_append_new(
		    locks,
		    json_pack("{s:s, s:s, s:i, s:b}", "name", o->locks[i]->name,
			      "origin", o->locks[i]->origin, "bytes",
			      (int)o->locks[i]->lock_size, "checked",
			      !(o->locks[i]->traits & RWI_NO_EXCLUSION)));
	return locks;
}

static void start_record(struct plan *plan)
{
	const struct options *o = plan->options;
	json_t *parameters = json_pack(
	    "{s:i, s:f, s:f, s:I, s:s, s:s, s:s, s:b}", "rounds",
	    (int)o->rounds, "seconds", o->seconds, "warmup", o->warmup, "seed",
	    (json_int_t)o->seed, "baseline", o->baseline->name, "floor",
	    "rmw-pair", "section", o->section->name, "pin", !o->no_pin);

	plan->windows = json_array();
	plan->record = json_pack(
	    "{s:s, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:O}", "format",
	    RWI_BENCH_FORMAT, "format_version", RWI_BENCH_FORMAT_VERSION,
	    "complete", 0, "started", rwi_json_now(), "program",
	    rwi_json_program(), "machine", rwi_json_machine(), "parameters",
	    parameters, "tests", describe_tests(plan), "locks",
	    describe_locks(o), "windows", plan->windows);
	if (!plan->record)
		rwi_fatal("cannot make the record");
}

static void record_window(struct plan *plan, unsigned round,
			  const struct rwi_workload *test,
			  const struct rwi_design *design,
			  const struct rwi_outcome *out)
{
	json_t *threads = json_array();

	for (unsigned i = 0; i < test->readers + test->writers; i++)
		json_array_append_new(
		    threads, json_pack("{s:s, s:i, s:I}", "side",
				       out->seats[i].writes ? "write" : "read",
				       "cpu", out->seats[i].cpu, "operations",
				       (json_int_t)out->seats[i].operations));
	json_array_append_new(
	    plan->windows,
	    json_pack("{s:i, s:s, s:s, s:f, s:f, s:I, s:I, s:I, s:I, s:o}",
		      "round", (int)round, "test", test->name, "lock",
		      design->name, "seconds", out->seconds, "cpu_seconds",
		      out->cpu_seconds, "reads", (json_int_t)out->reads,
		      "writes", (json_int_t)out->writes, "checked",
		      (json_int_t)out->checked, "wrong", (json_int_t)out->wrong,
		      "threads", threads));
}

/* ---- Measuring ---- */

/* Another order of the locks for each test and round (Fisher, Yates). */
static void shuffle(const struct rwi_design **locks, unsigned count,
		    uint64_t *state)
{
	for (unsigned i = count; i > 1; i--) {
		unsigned k = (unsigned)(rwi_random(state) % i);
		const struct rwi_design *other = locks[k];

		locks[k] = locks[i - 1];
		locks[i - 1] = other;
	}
}

/*
 * Measure one window into the record.  *code becomes the exit code if it is
 * worse than success.  False if it makes no sense to go on.
 */
static bool measure_one(struct plan *plan, unsigned round,
			const struct rwi_workload *test,
			const struct rwi_design *design, int *code)
{
	const struct options *o = plan->options;
	const struct rwi_window window = {
		.design = design,
		.section = o->section,
		.readers = test->readers,
		.writers = test->writers,
		.cpus = pinned(plan, test) ? plan->cpus : NULL,
		.warmup_s = o->warmup,
		.measured_s = o->seconds,
	};
	struct rwi_outcome *out = NULL;
	int error;

	/* What a lock cannot do is left out of the record. */
	if (!rwi_lock_serves(design, test->readers, test->writers))
		return true;
	error = rwi_interrupted() ? EINTR : rwi_window_run(&window, &out);
	if (!error) {
		record_window(plan, round, test, design, out);
		if (out->wrong)
			*code = RWI_EXIT_WRONG;
	} else if (error == EINTR) {
		*code = RWI_EXIT_INTERRUPTED;
	} else if (error == EDEADLK) {
		rwi_error("%s: a thread does not come out of it in test %s",
			  design->name, test->name);
		*code = RWI_EXIT_WRONG;
	} else {
		rwi_error("cannot run test %s: %s", test->name,
			  strerror(error));
		*code = RWI_EXIT_SYSTEM;
	}
	free(out);
	return !error;
}

/* False if it ended early. */
static bool measure_all(struct plan *plan, int *code)
{
	const struct options *o = plan->options;
	const struct rwi_design *order[LIST_MAX];
	const unsigned total = o->rounds * o->tests_count * o->locks_count;
	uint64_t state = o->seed;
	struct rwi_progress progress;
	bool going = true;

	memcpy(order, o->locks, sizeof order);
	rwi_progress_start(&progress, o->progress);
	for (unsigned done = 0; going && done < total; done++) {
		const unsigned lock = done % o->locks_count;
		const unsigned test = done / o->locks_count % o->tests_count;
		const unsigned round = done / o->locks_count / o->tests_count;

		if (lock == 0)
			shuffle(order, o->locks_count, &state);
		rwi_progress_update(&progress, done, total,
				    o->tests[test].name);
		going = measure_one(plan, round, &o->tests[test], order[lock],
				    code);
	}
	rwi_progress_end(&progress);
	return going;
}

static void announce(const struct options *o)
{
	unsigned windows = 0;
	char time[RWI_DURATION_SIZE];

	for (unsigned t = 0; t < o->tests_count; t++)
		for (unsigned l = 0; l < o->locks_count; l++)
			windows +=
			    rwi_lock_serves(o->locks[l], o->tests[t].readers,
					    o->tests[t].writers);
	windows *= o->rounds;
	fprintf(stderr,
		"rwsem bench: tests %u, locks %u, rounds %u, windows of %g s: "
		"about %s\n",
		o->tests_count, o->locks_count, o->rounds, o->seconds,
		rwi_duration(windows * (o->seconds + o->warmup + 0.002), time));
}

static json_t *load_record(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	json_error_t error;
	json_t *record;

	if (!file)
		rwi_usage("%s: %s", path, strerror(errno));
	record = json_loadf(file, 0, &error);
	if (!record)
		rwi_usage("%s: line %d: %s", path, error.line, error.text);
	if (file != stdin)
		fclose(file);
	return record;
}

int rwi_bench(int argc, char **argv)
{
	static const struct argp argp = {
		.options = arguments,
		.parser = parse,
		.doc = "Measure locks side by side.\vExit status: 0, or 1 if a "
		       "lock gave a wrong result, 2 for bad arguments, 3 if "
		       "the system refused something, 130 if interrupted; "
		       "what was measured until then is reported.",
	};
	struct options o = { .section = &rwi_sections[0],
			     .rounds = 5,
			     .seconds = 0.2,
			     .warmup = -1,
			     .seed = 1 };
	struct plan plan = { .options = &o };
	unsigned cores;
	bool complete;
	int code = RWI_EXIT_OK;

	rwi_parse(&argp, argc, argv, 0, &o);
	if (o.show) {
		plan.record = load_record(o.show);
	} else {
		fill_in_defaults(&o);
		plan.cpus_count = rwi_machine_cpus(plan.cpus, &cores);
		announce(&o);
		rwi_catch_interrupts();
		start_record(&plan);
		complete = measure_all(&plan, &code);
		json_object_set_new(plan.record, "complete",
				    json_boolean(complete));
	}
	if (code == RWI_EXIT_WRONG)
		rwi_error("results are wrong; the record has them as such");
	if (o.json)
		rwi_json_write(plan.record, o.json);
	if (!o.json || strcmp(o.json, "-"))
		rwi_bench_report(plan.record, stdout);
	json_decref(plan.windows);
	json_decref(plan.record);
	return code;
}
