/* SPDX-License-Identifier: MIT */
/*
 * rwsem torture: what the kernel's locktorture does, for the locks here.
 *
 * One lock after the other; lib/torture.c does the work.
 */
#include "tools/lib/cli.h"

#include "bench/locks.h"
#include "bench/machine.h"
#include "bench/workload.h"
#include "tools/lib/progress.h"
#include "tools/lib/table.h"
#include "tools/lib/torture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LOCKS_MAX = 256 };

struct options {
	const struct rwi_design *locks[LOCKS_MAX];
	unsigned locks_count;
	struct rwi_torture torture; /* all but the design */
	bool progress;
	const char *json;
	struct rwi_progress shown;
	unsigned done; /* locks */
};

enum {
	OPT_SECONDS = 256,
	OPT_READERS,
	OPT_WRITERS,
	OPT_STUCK,
	OPT_NO_SIGNALS,
	OPT_NO_MOVES,
	OPT_SEED,
	OPT_JSON,
	OPT_PROGRESS,
};

static const struct argp_option arguments[] = {
	{ "locks", 'l', "NAME,...", 0,
	  "Locks to torture, one after another (default: rwsem)", 1 },
	{ "seconds", OPT_SECONDS, "S", 0, "Torture each for S (default: 10)",
	  1 },
	{ "readers", OPT_READERS, "N", 0,
	  "Reading threads (default: as many as CPUs, at least 2)", 1 },
	{ "writers", OPT_WRITERS, "N", 0, "Writing threads (the same)", 1 },
	{ "stuck", OPT_STUCK, "S", 0,
	  "Call a thread stuck when it does not get in within S although "
	  "nobody else wants to (default: 3)",
	  1 },
	{ "no-signals", OPT_NO_SIGNALS, NULL, 0, "Send no signals", 2 },
	{ "no-moves", OPT_NO_MOVES, NULL, 0, "Do not bind threads to CPUs", 2 },
	{ "seed", OPT_SEED, "N", 0,
	  "Begin random numbers with this one (default: 1)", 2 },
	{ "json", OPT_JSON, "FILE", 0,
	  "Write results to FILE; '-' is standard output, instead of tables",
	  3 },
	{ "progress", OPT_PROGRESS, NULL, 0,
	  "Show progress even if standard error is not a terminal", 3 },
	{ 0 },
};

static void add_lock(void *input, char *word)
{
	struct options *o = input;
	const struct rwi_design *design = rwi_lock_named(word);

	if (design->traits & RWI_NO_EXCLUSION)
		rwi_usage("--locks: '%s' excludes nobody, so nothing can be "
			  "wrong with it",
			  word);
	if (o->locks_count == LOCKS_MAX)
		rwi_usage("--locks: more than %d locks", LOCKS_MAX);
	o->locks[o->locks_count++] = design;
}

static void check(struct options *o)
{
	const struct rwi_torture *t = &o->torture;

	if (t->readers + t->writers == 0)
		rwi_usage("--readers, --writers: no thread at all");
	if (!o->locks_count)
		o->locks[o->locks_count++] = rwi_lock_named("rwsem");
	for (unsigned i = 0; i < o->locks_count; i++)
		if (!rwi_lock_serves(o->locks[i], t->readers, t->writers))
			rwi_usage("--locks: '%s' has one side only",
				  o->locks[i]->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct rwi_torture *t = &o->torture;

	switch (key) {
	case 'l':
		o->locks_count = 0;
		rwi_words("locks", arg, add_lock, o);
		return 0;
	case OPT_SECONDS:
		t->seconds = rwi_seconds("seconds", arg, 0.1, 1e7);
		return 0;
	case OPT_READERS:
		t->readers =
		    (unsigned)rwi_count("readers", arg, 0, RWI_THREADS_MAX);
		return 0;
	case OPT_WRITERS:
		t->writers =
		    (unsigned)rwi_count("writers", arg, 0, RWI_THREADS_MAX);
		return 0;
	case OPT_STUCK:
		t->stuck_s = rwi_seconds("stuck", arg, 0.1, 1e6);
		return 0;
	case OPT_NO_SIGNALS:
		t->signals = false;
		return 0;
	case OPT_NO_MOVES:
		t->moves = false;
		return 0;
	case OPT_SEED:
		t->seed = rwi_count("seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_JSON:
		o->json = arg;
		return 0;
	case OPT_PROGRESS:
		o->progress = true;
		return 0;
	case ARGP_KEY_ARG:
		rwi_usage("torture: unexpected argument '%s'", arg);
	case ARGP_KEY_END:
		check(o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool go_on(void *context, double done_s)
{
	struct options *o = context;

	rwi_progress_update(&o->shown, o->done + done_s / o->torture.seconds,
			    o->locks_count, o->torture.design->name);
	return !rwi_interrupted();
}

static bool is_wrong(const struct rwi_torture_result *r)
{
	for (int f = 0; f < RWI_FAULTS; f++)
		if (r->faults[f])
			return true;
	return false;
}

/* ---- The record ---- */

static json_t *describe_side(const struct rwi_torture_side *side,
			     unsigned threads)
{
	json_t *askings = json_object();

	for (int k = 0; k < RWI_ASKINGS; k++)
		json_object_set_new(askings, rwi_asking_names[k],
				    json_pack("{s:I, s:I}", "asked",
					      (json_int_t)side->asked[k], "got",
					      (json_int_t)side->got[k]));
	return json_pack("{s:i, s:I, s:I, s:I, s:f, s:o}", "threads",
			 (int)threads, "total", (json_int_t)side->total, "max",
			 (json_int_t)side->max, "min", (json_int_t)side->min,
			 "longest_wait", side->longest_wait_s, "calls",
			 askings);
}

static json_t *describe(const struct options *o,
			const struct rwi_torture_result *r)
{
	json_t *faults = json_object();

	for (int f = 0; f < RWI_FAULTS; f++)
		if (r->faults[f])
			json_object_set_new(
			    faults, rwi_fault_names[f],
			    json_integer((json_int_t)r->faults[f]));
	return json_pack(
	    "{s:s, s:f, s:o, s:o, s:I, s:I, s:I, s:f, s:b, s:o, s:s?}", "lock",
	    o->torture.design->name, "seconds", r->seconds, "reads",
	    describe_side(&r->sides[0], o->torture.readers), "writes",
	    describe_side(&r->sides[1], o->torture.writers), "downgrades",
	    (json_int_t)r->downgrades, "signals", (json_int_t)r->signals,
	    "stops", (json_int_t)r->stops, "longest_stop", r->longest_stop_s,
	    "success", !is_wrong(r), "faults", faults, "stuck", r->stuck);
}

static json_t *describe_all(const struct options *o, json_t *locks)
{
	json_t *parameters = json_pack(
	    "{s:f, s:i, s:i, s:f, s:b, s:b, s:I}", "seconds",
	    o->torture.seconds, "readers", (int)o->torture.readers, "writers",
	    (int)o->torture.writers, "stuck", o->torture.stuck_s, "signals",
	    o->torture.signals, "moves", o->torture.moves, "seed",
	    (json_int_t)o->torture.seed);

	return json_pack("{s:s, s:i, s:o, s:o, s:o, s:O}", "format",
			 "rwsem-torture", "format_version", 1, "program",
			 rwi_json_program(), "machine", rwi_json_machine(),
			 "parameters", parameters, "locks", locks);
}

/* ---- The report, from the record ---- */

static double real(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static intmax_t whole(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void side_row(struct rwi_table *table, const json_t *lock,
		     const char *key)
{
	const json_t *side = json_object_get(lock, key);
	const json_t *calls = json_object_get(side, "calls");
	const intmax_t max = whole(side, "max"), min = whole(side, "min");

	if (!whole(side, "threads"))
		return;
	rwi_table_cell(table, "%s", key);
	rwi_table_cell(table, "%jd", whole(side, "total"));
	/* The kernel's alarm: somebody got less than half. */
	rwi_table_cell(table, "%jd/%jd%s", max, min,
		       max / 2 > min ? " ???" : "");
	rwi_table_cell(table, "%.3f ms", 1e3 * real(side, "longest_wait"));
	for (int k = 0; k < RWI_ASKINGS; k++) {
		const json_t *c = json_object_get(calls, rwi_asking_names[k]);

		if (whole(c, "asked"))
			rwi_table_cell(table, "%jd/%jd", whole(c, "got"),
				       whole(c, "asked"));
		else
			rwi_table_cell(table, "-");
	}
	rwi_table_row(table);
}

static void report(json_t *lock)
{
	json_t *faults = json_object_get(lock, "faults"), *count;
	const char *stuck = json_string_value(json_object_get(lock, "stuck"));
	struct rwi_table *table = rwi_table_new("lr");
	const char *fault;

	printf("\n%s%s%s: %.1f s\n", rwi_style(stdout, RWI_BOLD),
	       json_string_value(json_object_get(lock, "lock")),
	       rwi_style(stdout, RWI_PLAIN), real(lock, "seconds"));
	rwi_table_cell(table, "side");
	rwi_table_cell(table, "total");
	rwi_table_cell(table, "max/min");
	rwi_table_cell(table, "longest wait");
	for (int k = 0; k < RWI_ASKINGS; k++)
		rwi_table_cell(table, "%s", rwi_asking_names[k]);
	rwi_table_row(table);
	side_row(table, lock, "reads");
	side_row(table, lock, "writes");
	rwi_table_print(table, stdout);
	printf("  %jd downgrades, %jd signals, %jd stops (longest %.3f ms)\n",
	       whole(lock, "downgrades"), whole(lock, "signals"),
	       whole(lock, "stops"), 1e3 * real(lock, "longest_stop"));
	json_object_foreach(faults, fault, count) printf(
	    "  %s%s%s: %jd\n", rwi_style(stdout, RWI_RED), fault,
	    rwi_style(stdout, RWI_PLAIN), (intmax_t)json_integer_value(count));
	if (stuck)
		fputs(stuck, stdout);
	fflush(stdout);
}

/* ---- The command ---- */

/* Returns an exit code; appends to `records`. */
static int torture_one(struct options *o, json_t *records)
{
	struct rwi_torture_result result;
	int error = rwi_torture_run(&o->torture, &result);
	json_t *record;

	rwi_progress_end(&o->shown);
	if (error) {
		rwi_error("cannot torture %s: %s", o->torture.design->name,
			  strerror(error));
		return RWI_EXIT_SYSTEM;
	}
	record = describe(o, &result);
	free(result.stuck);
	json_array_append_new(records, record);
	if (!o->json || strcmp(o->json, "-"))
		report(record);
	return is_wrong(&result) ? RWI_EXIT_WRONG : RWI_EXIT_OK;
}

static void verdict(int code)
{
	const bool good = code == RWI_EXIT_OK, bad = code == RWI_EXIT_WRONG;

	printf("\n%s%s%s\n", rwi_style(stdout, good ? RWI_GREEN : RWI_RED),
	       good  ? "SUCCESS"
	       : bad ? "FAILURE"
		     : "INTERRUPTED",
	       rwi_style(stdout, RWI_PLAIN));
}

static void set_defaults(struct options *o)
{
	int cpus[RWI_CPUS_MAX];
	unsigned cores, n = rwi_machine_cpus(cpus, &cores);

	n = n < 2 ? 2 : n;
	o->torture = (struct rwi_torture){
		.readers = n,
		.writers = n,
		.seconds = 10,
		.stuck_s = 3,
		.seed = 1,
		.signals = true,
		.moves = true,
		.go_on = go_on,
		.context = o,
	};
}

int rwi_torture(int argc, char **argv)
{
	static const struct argp argp = {
		.options = arguments,
		.parser = parse,
		.doc = "Try to make a lock fail: many threads use it in every "
		       "way it has, disturbed by signals, migrations and "
		       "pauses.\vExit status: 0, or 1 if a lock did wrong, 2 "
		       "for bad arguments, 3 if the system refused something, "
		       "130 if interrupted before anything was found.",
	};
	static struct options o;
	char time[RWI_DURATION_SIZE];
	json_t *records = json_array(), *record;
	int code = RWI_EXIT_OK;

	set_defaults(&o);
	rwi_parse(&argp, argc, argv, 0, &o);
	fprintf(stderr,
		"rwsem torture: readers %u, writers %u, locks %u, seed %ju: at "
		"most %s\n",
		o.torture.readers, o.torture.writers, o.locks_count,
		(uintmax_t)o.torture.seed,
		rwi_duration(o.locks_count *
				 (o.torture.seconds + o.torture.stuck_s),
			     time));
	rwi_catch_interrupts();
	rwi_progress_start(&o.shown, o.progress);
	for (; o.done < o.locks_count && code != RWI_EXIT_SYSTEM &&
	       !rwi_interrupted();
	     o.done++) {
		int one;

		o.torture.design = o.locks[o.done];
		one = torture_one(&o, records);
		code = one ? one : code;
	}
	if (rwi_interrupted() && code == RWI_EXIT_OK)
		code = RWI_EXIT_INTERRUPTED;
	record = describe_all(&o, records);
	if (o.json)
		rwi_json_write(record, o.json);
	if ((!o.json || strcmp(o.json, "-")) && code != RWI_EXIT_SYSTEM)
		verdict(code);
	json_decref(records);
	json_decref(record);
	return code;
}
