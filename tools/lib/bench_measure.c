/* SPDX-License-Identifier: MIT */
/*
 * Rounds over tests over locks, in a new order of locks each time: what is
 * compared ran within seconds of each other.  Every window goes into the
 * record, with a look at the canary before each test.
 */
#include "tools/lib/bench.h"

#include "bench/canary.h"
#include "bench/locks.h"
#include "bench/machine.h"
#include "bench/window.h"
#include "tools/lib/cli.h"
#include "tools/lib/progress.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A test with what runs in it. */
struct part {
	const struct rwi_workload *test;
	struct rwi_workload crowd; /* of a lone test */
	struct rwi_section section;
	const struct rwi_design *locks[RWI_BENCH_MAX + 1];
	unsigned locks_count;
	bool pinned, oversubscribed;
	double seconds, warmup; /* of a window */
	double crowd_s;         /* of the crowd alone */
	double lock_s;          /* a lock takes in a round, all in all */
};

struct plan {
	const struct rwi_bench *bench;
	struct part parts[RWI_BENCH_MAX];
	int cpus[RWI_CPUS_MAX];
	unsigned cpus_count, cores;
	json_t *record, *windows, *canaries, *left_out;
	struct rwi_progress progress;
	double done_s, total_s;
};

/* ---- Who runs in what, for how long ---- */

/*
 * How long a window is unless it is said: waits need time slices in numbers,
 * and the mix has many tests.
 */
static double usual_seconds(const struct rwi_workload *test)
{
	if (test->waits)
		return 0.4;
	return test->mixed ? 0.1 : 0.15;
}

/* Why a lock does not run in a test, or null. */
static const char *why_not(const struct plan *plan, const struct part *part,
			   const struct rwi_design *d)
{
	const struct rwi_workload *t = part->test;

	if (rwi_workload_has(t, RWI_READ) && !d->down_read)
		return "it has no readers";
	if (rwi_workload_has(t, RWI_WRITE) && !d->down_write)
		return "it has no writers";
	if (part->oversubscribed && !plan->bench->all_spinners &&
	    (d->traits & RWI_SPINS) && !(d->traits & RWI_YIELDS))
		return "it spins, and there are more threads than CPUs";
	return NULL;
}

static void admit(struct plan *plan, struct part *part)
{
	const struct rwi_bench *b = plan->bench;

	for (unsigned i = 0; i < b->locks_count; i++) {
		const struct rwi_design *d = b->locks[i];
		const char *why;

		if (b->wants && !b->wants(part->test->name, d->name))
			continue;
		why = why_not(plan, part, d);
		if (!why)
			part->locks[part->locks_count++] = d;
		else
			json_array_append_new(
			    plan->left_out, json_pack("{s:s, s:s, s:s}", "test",
						      part->test->name, "lock",
						      d->name, "why", why));
	}
	if (part->test->waits)
		part->locks[part->locks_count++] = &rwi_lockless;
}

static void plan_part(struct plan *plan, unsigned place)
{
	/* To create and join the threads. */
	const double window_s = 0.003;
	const struct rwi_bench *b = plan->bench;
	struct part *p = &plan->parts[place];
	const struct rwi_workload *t = p->test = &b->tests[place];
	const unsigned threads = rwi_workload_threads(t);

	p->section = b->section;
	if (*t->section)
		rwi_section_parse(t->section, &p->section);
	p->oversubscribed = threads > plan->cpus_count;
	p->pinned = !b->no_pin && !p->oversubscribed;
	p->seconds = b->seconds < 0 ? usual_seconds(t) : b->seconds;
	p->warmup = b->warmup < 0 ? p->seconds / 10 : b->warmup;
	p->lock_s = p->seconds + p->warmup + window_s;
	if (t->lone) {
		p->crowd = rwi_workload_crowd(t);
		p->crowd_s = p->seconds / 4;
		p->lock_s += p->crowd_s + p->warmup + window_s;
	}
	admit(plan, p);
	plan->total_s +=
	    b->rounds * (p->locks_count * p->lock_s + RWI_CANARY_S);
}

/* ---- The record ---- */

static json_t *describe_test(const struct part *p)
{
	const struct rwi_workload *t = p->test;

	return json_pack(
	    "{s:s, s:s, s:i, s:i, s:i, s:[i, i], s:b, s:s?, s:s, s:I, s:b, s:b,"
	    " s:f, s:f, s:i, s:b, s:b}",
	    "name", t->name, "summary", t->summary, "readers", (int)t->readers,
	    "writers", (int)t->writers, "mixed", (int)t->mixed, "turn",
	    (int)t->turn[RWI_READ], (int)t->turn[RWI_WRITE], "waits",
	    (int)t->waits, "lone",
	    !t->lone                   ? NULL
	    : t->lone_side == RWI_READ ? "read"
				       : "write",
	    "section", p->section.name, "amount", (json_int_t)p->section.amount,
	    "pinned", (int)p->pinned, "oversubscribed", (int)p->oversubscribed,
	    "seconds", p->seconds, "warmup", p->warmup, "batch",
	    (int)rwi_window_batch(t), "yield", (int)t->yields,
	    "shared_counters", (int)t->shared_counters);
}

static json_t *describe_lock(const struct rwi_design *d)
{
	return json_pack("{s:s, s:s, s:i, s:b, s:b, s:b}", "name", d->name,
			 "origin", d->origin, "bytes", (int)d->lock_size, "own",
			 !strncmp(d->name, "rwsem", 5), "excludes",
			 !(d->traits & RWI_NO_EXCLUSION), "sleeps",
			 !(d->traits & RWI_SPINS));
}

static json_t *describe_parameters(const struct plan *plan)
{
	const struct rwi_bench *b = plan->bench;
	json_t *cpus = json_array();

	for (unsigned i = 0; i < plan->cpus_count; i++)
		json_array_append_new(cpus, json_integer(plan->cpus[i]));
	return json_pack(
	    "{s:s, s:i, s:I, s:s, s:s, s:s, s:s, s:b, s:b, s:b, s:o, s:f}",
	    "set", b->set, "rounds", (int)b->rounds, "seed",
	    (json_int_t)b->seed, "baseline", b->baseline->name, "rival",
	    "parking-lot", "floor", "rmw-pair", "lockless", rwi_lockless.name,
	    "shared_counters", (int)b->shared_counters, "yield", (int)b->yield,
	    "pin", !b->no_pin, "cpus", cpus, "canary_limit", RWI_CANARY_LIMIT);
}

static void start_record(struct plan *plan)
{
	const struct rwi_bench *b = plan->bench;
	json_t *tests = json_array(), *locks = json_array();
	bool lockless = false;

	for (unsigned i = 0; i < b->tests_count; i++) {
		json_array_append_new(tests, describe_test(&plan->parts[i]));
		lockless |= b->tests[i].waits;
	}
	for (unsigned i = 0; i < b->locks_count; i++)
		json_array_append_new(locks, describe_lock(b->locks[i]));
	if (lockless)
		json_array_append_new(locks, describe_lock(&rwi_lockless));
	plan->windows = json_array();
	plan->canaries = json_array();
	plan->record = json_pack(
	    "{s:s, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "format", RWI_BENCH_FORMAT, "format_version",
	    RWI_BENCH_FORMAT_VERSION, "complete", 0, "started", rwi_json_now(),
	    "program", rwi_json_program(), "machine", rwi_json_machine(),
	    "parameters", describe_parameters(plan), "tests", tests, "locks",
	    locks, "left_out", plan->left_out, "canaries", plan->canaries,
	    "windows", plan->windows);
	if (!plan->record)
		rwi_fatal("cannot make the record");
}

static json_t *waits_json(const struct rwi_wait_summary *s)
{
	json_t *octaves = json_array();
	unsigned used = RWI_OCTAVES;

	while (used && !s->octaves[used - 1])
		used--;
	for (unsigned i = 0; i < used; i++)
		json_array_append_new(octaves,
				      json_integer((json_int_t)s->octaves[i]));
	return json_pack("{s:I, s:f, s:f, s:f, s:f, s:o}", "count",
			 (json_int_t)s->count, "p50", s->p50, "p99", s->p99,
			 "p999", s->p999, "max", s->longest, "octaves_ns",
			 octaves);
}

static json_t *window_json(const struct part *part,
			   const struct rwi_outcome *out)
{
	const struct rwi_workload *t = part->test;
	const unsigned threads = rwi_workload_threads(t);
	json_t *by_thread = json_array();
	json_t *w = json_pack("{s:f, s:f, s:I, s:I, s:I, s:I, s:o}", "seconds",
			      out->seconds, "cpu_seconds", out->cpu_seconds,
			      "reads", (json_int_t)out->pairs[RWI_READ],
			      "writes", (json_int_t)out->pairs[RWI_WRITE],
			      "checked", (json_int_t)out->checked, "wrong",
			      (json_int_t)out->wrong, "by_thread", by_thread);

	for (unsigned i = 0; i < threads; i++)
		json_array_append_new(
		    by_thread, json_integer((json_int_t)out->by_thread[i]));
	if (t->waits && rwi_workload_has(t, RWI_READ))
		json_object_set_new(w, "read_waits",
				    waits_json(&out->waits[RWI_READ]));
	if (t->waits && rwi_workload_has(t, RWI_WRITE))
		json_object_set_new(w, "write_waits",
				    waits_json(&out->waits[RWI_WRITE]));
	return w;
}

static json_t *crowd_json(const struct rwi_outcome *out)
{
	const uint64_t pairs = out->pairs[RWI_READ] + out->pairs[RWI_WRITE];

	return json_pack("{s:f, s:I}", "seconds", out->seconds, "pairs",
			 (json_int_t)pairs);
}

/* ---- Measuring ---- */

/* Another order of the locks for each test and round (Fisher, Yates). */
static void shuffle(struct part *part, uint64_t *state)
{
	for (unsigned i = part->locks_count; i > 1; i--) {
		const unsigned k = (unsigned)(rwi_random(state) % i);
		const struct rwi_design *other = part->locks[k];

		part->locks[k] = part->locks[i - 1];
		part->locks[i - 1] = other;
	}
}

/*
 * What an error means.  *code becomes the exit code if it is worse than
 * success.  False if it makes no sense to go on.
 */
static bool judge(int error, const struct part *part, const char *what,
		  int *code)
{
	if (!error)
		return true;
	if (error == EINTR) {
		*code = RWI_EXIT_INTERRUPTED;
	} else if (error == EDEADLK) {
		rwi_error("%s: a thread does not come out of it in test %s",
			  what, part->test->name);
		*code = RWI_EXIT_WRONG;
	} else {
		rwi_error("cannot run test %s: %s", part->test->name,
			  strerror(error));
		*code = RWI_EXIT_SYSTEM;
	}
	return false;
}

static bool listen_to_canary(struct plan *plan, unsigned round,
			     const struct part *part, int *code)
{
	double ratio = NAN;
	const int error = rwi_interrupted()
			      ? EINTR
			      : rwi_canary(plan->cpus, plan->cores, &ratio);

	if (!judge(error, part, "the canary", code))
		return false;
	json_array_append_new(
	    plan->canaries,
	    json_pack("{s:i, s:s, s:o, s:f}", "round", (int)round, "test",
		      part->test->name, "ratio",
		      isnan(ratio) ? json_null() : json_real(ratio), "pause_ns",
		      rwi_pause_ns()));
	plan->done_s += RWI_CANARY_S;
	return true;
}

static int run_window(const struct plan *plan, const struct part *part,
		      const struct rwi_design *design, bool crowd,
		      struct rwi_outcome **out)
{
	const struct rwi_window window = {
		.design = design,
		.test = crowd ? &part->crowd : part->test,
		.section = &part->section,
		.shared_counters =
		    plan->bench->shared_counters || part->test->shared_counters,
		.yield = plan->bench->yield || part->test->yields,
		.cpus = part->pinned ? plan->cpus : NULL,
		.warmup_s = part->warmup,
		.measured_s = crowd ? part->crowd_s : part->seconds,
	};

	return rwi_interrupted() ? EINTR : rwi_window_run(&window, out);
}

/* A window into the record; after a lone test the crowd's own. */
static bool measure_lock(struct plan *plan, unsigned round,
			 const struct part *part,
			 const struct rwi_design *design, int *code)
{
	struct rwi_outcome *out = NULL, *alone = NULL;
	int error = run_window(plan, part, design, false, &out);
	json_t *w;

	if (!error && part->test->lone)
		error = run_window(plan, part, design, true, &alone);
	if (!error) {
		out->wrong += alone ? alone->wrong : 0;
		w = window_json(part, out);
		json_object_update_new(
		    w, json_pack("{s:i, s:s, s:s}", "round", (int)round, "test",
				 part->test->name, "lock", design->name));
		if (alone)
			json_object_set_new(w, "alone", crowd_json(alone));
		json_array_append_new(plan->windows, w);
		if (out->wrong)
			*code = RWI_EXIT_WRONG;
		plan->done_s += part->lock_s;
	}
	free(out);
	free(alone);
	return judge(error, part, design->name, code);
}

static bool measure_part(struct plan *plan, unsigned round, struct part *part,
			 uint64_t *random, int *code)
{
	shuffle(part, random);
	if (!listen_to_canary(plan, round, part, code))
		return false;
	for (unsigned i = 0; i < part->locks_count; i++) {
		rwi_progress_update(&plan->progress, plan->done_s,
				    plan->total_s, part->test->name);
		if (!measure_lock(plan, round, part, part->locks[i], code))
			return false;
	}
	return true;
}

/* False if it ended early. */
static bool measure_all(struct plan *plan, int *code)
{
	const struct rwi_bench *b = plan->bench;
	uint64_t random = b->seed;
	bool going = true;

	rwi_progress_start(&plan->progress, b->progress);
	for (unsigned round = 0; going && round < b->rounds; round++)
		for (unsigned i = 0; going && i < b->tests_count; i++)
			going = measure_part(plan, round, &plan->parts[i],
					     &random, code);
	rwi_progress_end(&plan->progress);
	return going;
}

static void announce(const struct plan *plan)
{
	const struct rwi_bench *b = plan->bench;
	char time[RWI_DURATION_SIZE];

	fprintf(stderr,
		"rwsem bench: tests %u, locks %u, rounds %u: about %s\n",
		b->tests_count, b->locks_count, b->rounds,
		rwi_duration(plan->total_s, time));
}

json_t *rwi_bench_measure(const struct rwi_bench *bench, int *code)
{
	struct plan *plan = calloc(1, sizeof *plan);
	json_t *record;
	bool complete;

	if (!plan)
		rwi_fatal("out of memory");
	plan->bench = bench;
	plan->left_out = json_array();
	plan->cpus_count = rwi_machine_cpus(plan->cpus, &plan->cores);
	for (unsigned i = 0; i < bench->tests_count; i++)
		plan_part(plan, i);
	announce(plan);
	rwi_catch_interrupts();
	start_record(plan);
	complete = measure_all(plan, code);
	record = plan->record;
	json_object_set_new(record, "complete", json_boolean(complete));
	free(plan);
	return record;
}
