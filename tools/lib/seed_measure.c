/* SPDX-License-Identifier: MIT */
/*
 * Part by part, rounds over cells over locks, in a new order of locks each
 * time: what is compared ran one after the other.  Every run goes into the
 * record.
 */
#include "tools/lib/seed.h"

#include "bench/locks.h"
#include "tools/lib/cli.h"
#include "tools/lib/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lock {
	const char *name;
	const struct rwi_design *design; /* null: without a lock */
	bool failed;                     /* it runs no more in this part */
};

/* A part with what runs in it. */
struct part {
	const struct rwi_seed_part *what;
	struct lock locks[RWI_SEED_LOCKS_MAX];
	unsigned locks_count, cells, rounds;
	struct rwi_seed_options options; /* with a squeeze */
	double round_s; /* of all cells with all locks, as expected */
	json_t *json, *runs;
};

struct plan {
	const struct rwi_seed *seed;
	struct part parts[RWI_SEED_PARTS_MAX];
	json_t *record, *parts_json;
	struct rwi_progress progress;
	double done_s, total_s;
	uint64_t random;
};

/* ---- Who runs in what ---- */

static bool has_own(const struct rwi_seed_part *part, const char *name)
{
	for (unsigned i = 0; part->locks[i]; i++)
		if (!strcmp(part->locks[i], name))
			return true;
	return false;
}

/* Why a lock does not run in a part, or null. */
static const char *why_not(const struct rwi_seed_part *part,
			   const struct lock *lock)
{
	if (!strcmp(lock->name, RWI_SEED_NO_LOCK))
		return has_own(part, lock->name) ? NULL : "this needs a lock";
	if (!lock->design)
		return "it is not in this build";
	if (!rwi_lock_serves(lock->design, 1, 0))
		return "it has no readers";
	if (!rwi_lock_serves(lock->design, 0, 1))
		return "it has no writers";
	return NULL;
}

static void admit(struct part *part, json_t *left_out, const char *name)
{
	struct lock *lock = &part->locks[part->locks_count];
	const char *why;

	lock->name = name;
	lock->design = rwi_lock_find(name);
	why = why_not(part->what, lock);
	if (!why)
		part->locks_count++;
	else
		json_array_append_new(left_out, json_pack("{s:s, s:s}", "lock",
							  name, "why", why));
}

static void admit_all(struct part *part, const struct rwi_seed *seed,
		      json_t *left_out)
{
	if (seed->locks_count)
		for (unsigned i = 0; i < seed->locks_count; i++)
			admit(part, left_out, seed->locks[i]);
	else
		for (unsigned i = 0; part->what->locks[i]; i++)
			admit(part, left_out, part->what->locks[i]);
}

/* ---- The record ---- */

static json_t *names(const char *const *list)
{
	json_t *array = json_array();

	for (; *list; list++)
		json_array_append_new(array, json_string(*list));
	return array;
}

static json_t *lock_names(const struct part *part)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < part->locks_count; i++)
		json_array_append_new(array, json_string(part->locks[i].name));
	return array;
}

static json_t *describe_claims(const struct rwi_seed_part *part)
{
	json_t *array = json_array();

	for (const struct rwi_seed_claim *c = part->claims; c->says; c++)
		json_array_append_new(
		    array,
		    json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:s?}", "says",
			      c->says, "cell_a", c->cell_a, "lock_a", c->lock_a,
			      "cell_b", c->cell_b, "lock_b", c->lock_b, "there",
			      c->ratio, "reason", c->reason));
	return array;
}

/* A line of four words with commas between; false at the end. */
static bool next_line(const char **text, char words[4][64])
{
	const char *t = *text;

	if (!*t)
		return false;
	for (unsigned i = 0; i < 4; i++) {
		const size_t length = strcspn(t, i < 3 ? ",\n" : "\n");

		if (t[length] != (i < 3 ? ',' : '\n') ||
		    length >= sizeof words[i])
			rwi_fatal("a message's figures are not well-formed");
		memcpy(words[i], t, length);
		words[i][length] = '\0';
		t += length + 1;
	}
	*text = t;
	return true;
}

static json_t *describe_figures(const struct rwi_seed_part *part)
{
	json_t *array = json_array();
	const char *text = part->figures;
	char words[4][64];

	/* The first line names the columns. */
	if (!text || !next_line(&text, words))
		return array;
	while (next_line(&text, words))
		json_array_append_new(
		    array, json_pack("{s:s, s:s, s:s, s:f}", "cell", words[0],
				     "lock", words[1], "value", words[2],
				     "number", strtod(words[3], NULL)));
	return array;
}

static json_t *describe_cell(const struct rwi_seed_cell *cell)
{
	return json_pack("{s:s, s:i, s:f}", "name", cell->name, "threads",
			 (int)cell->threads, "seconds", cell->seconds);
}

/* What is known before it runs. */
static void plan_part(struct plan *plan, unsigned place)
{
	const struct rwi_seed *seed = plan->seed;
	struct part *p = &plan->parts[place];
	const struct rwi_seed_part *what = p->what = seed->parts[place];
	json_t *cells = json_array(), *left_out = json_array();
	struct rwi_seed_cell cell;

	admit_all(p, seed, left_out);
	p->rounds = seed->rounds ? seed->rounds : what->rounds;
	p->options = seed->options;
	if (!(p->options.squeeze > 0))
		p->options.squeeze = what->squeeze > 0 ? what->squeeze : 1;
	for (; what->cell(p->cells, &p->options, &cell); p->cells++) {
		json_array_append_new(cells, describe_cell(&cell));
		p->round_s += cell.seconds * p->locks_count;
	}
	plan->total_s += p->rounds * p->round_s;
	p->runs = json_array();
	p->json = json_pack(
	    "{s:s, s:s, s:s, s:o, s:b, s:i, s:f, s:o, s:o, s:o, s:o, s:o, "
	    "s:o}",
	    "name", what->name, "title", what->title, "message", what->message,
	    "values", names(what->values), "less_is_better",
	    (int)what->less_is_better, "rounds", (int)p->rounds, "squeeze",
	    p->options.squeeze, "locks", lock_names(p), "cells", cells,
	    "left_out", left_out, "figures", describe_figures(what), "runs",
	    p->runs, "claims", describe_claims(what));
	if (!p->json)
		rwi_fatal("cannot make the record");
	json_array_append_new(plan->parts_json, p->json);
}

static void describe_lock(json_t *locks, const struct lock *lock)
{
	const char *origin = lock->design ? lock->design->origin : "no lock";
	json_t *other;
	size_t i;

	json_array_foreach(locks, i, other)
	{
		if (!strcmp(rwi_text(other, "name"), lock->name))
			return;
	}
	json_array_append_new(
	    locks, json_pack("{s:s, s:s, s:b}", "name", lock->name, "origin",
			     origin, "own", !strncmp(lock->name, "rwsem", 5)));
}

static json_t *describe_locks(const struct plan *plan)
{
	json_t *locks = json_array();

	for (unsigned i = 0; i < plan->seed->parts_count; i++) {
		const struct part *p = &plan->parts[i];

		for (unsigned k = 0; k < p->locks_count; k++)
			describe_lock(locks, &p->locks[k]);
	}
	return locks;
}

static void start_record(struct plan *plan)
{
	const struct rwi_seed_options *o = &plan->seed->options;
	json_t *parameters = json_pack("{s:b, s:I}", "full", (int)o->full,
				       "seed", (json_int_t)o->random);

	plan->record =
	    json_pack("{s:s, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "format",
		      RWI_SEED_FORMAT, "format_version",
		      RWI_SEED_FORMAT_VERSION, "complete", 0, "started",
		      rwi_json_now(), "program", rwi_json_program(), "machine",
		      rwi_json_machine(), "parameters", parameters, "locks",
		      describe_locks(plan), "parts", plan->parts_json);
	if (!plan->record)
		rwi_fatal("cannot make the record");
}

static json_t *values_json(const struct rwi_seed_part *part,
			   const struct rwi_seed_outcome *outcome)
{
	json_t *values = json_object();

	for (unsigned i = 0; part->values[i]; i++)
		json_object_set_new(values, part->values[i],
				    isfinite(outcome->value[i])
					? json_real(outcome->value[i])
					: json_null());
	return values;
}

/* ---- Measuring ---- */

/* Another order of the locks for each cell and round (Fisher, Yates). */
static void shuffle(struct part *part, uint64_t *state)
{
	for (unsigned i = part->locks_count; i > 1; i--) {
		const unsigned k = (unsigned)(rwi_random(state) % i);
		const struct lock other = part->locks[k];

		part->locks[k] = part->locks[i - 1];
		part->locks[i - 1] = other;
	}
}

static void run(struct part *part, unsigned round,
		const struct rwi_seed_cell *cell, struct lock *lock, int *code)
{
	const double begin_s = rwi_clock_s();
	struct rwi_seed_outcome outcome = { .fault = "" };
	const bool good =
	    part->what->run(cell, lock->design, &part->options, &outcome);
	json_t *json;

	json = json_pack("{s:i, s:s, s:s, s:f}", "round", (int)round, "cell",
			 cell->name, "lock", lock->name, "seconds",
			 rwi_clock_s() - begin_s);
	if (good) {
		json_object_set_new(json, "values",
				    values_json(part->what, &outcome));
	} else {
		json_object_set_new(json, "fault", json_string(outcome.fault));
		rwi_error("%s, %s, lock %s: %s", part->what->name, cell->name,
			  lock->name, outcome.fault);
		lock->failed = true;
		*code = RWI_EXIT_WRONG;
	}
	json_array_append_new(part->runs, json);
}

/* False if it was interrupted. */
static bool measure_cell(struct plan *plan, struct part *part, unsigned round,
			 const struct rwi_seed_cell *cell, int *code)
{
	char what[64];

	shuffle(part, &plan->random);
	for (unsigned i = 0; i < part->locks_count; i++) {
		struct lock *lock = &part->locks[i];

		if (rwi_interrupted())
			return false;
		snprintf(what, sizeof what, "%s: %s", part->what->name,
			 cell->name);
		rwi_progress_update(&plan->progress, plan->done_s,
				    plan->total_s, what);
		if (!lock->failed)
			run(part, round, cell, lock, code);
		plan->done_s += cell->seconds;
	}
	return true;
}

static bool measure_part(struct plan *plan, struct part *part, int *code)
{
	const struct rwi_seed_part *what = part->what;
	struct rwi_seed_cell cell;
	bool going = true;

	for (unsigned round = 0; going && round < part->rounds; round++)
		for (unsigned i = 0; going && i < part->cells; i++) {
			what->cell(i, &part->options, &cell);
			going = measure_cell(plan, part, round, &cell, code);
		}
	rwi_seed_conclude(part->json);
	return going;
}

static void announce(const struct plan *plan)
{
	const struct rwi_seed *seed = plan->seed;
	char time[RWI_DURATION_SIZE];

	fprintf(stderr, "rwsem seed:");
	for (unsigned i = 0; i < seed->parts_count; i++)
		fprintf(stderr, "%s %s", i ? "," : "", seed->parts[i]->name);
	fprintf(stderr, " in %s sizes: about %s\n",
		seed->options.full ? "the messages'" : "shortened",
		rwi_duration(plan->total_s, time));
}

json_t *rwi_seed_measure(const struct rwi_seed *seed, int *code)
{
	struct plan *plan = calloc(1, sizeof *plan);
	json_t *record;
	bool going = true;

	if (!plan)
		rwi_fatal("out of memory");
	plan->seed = seed;
	plan->random = seed->options.random;
	plan->parts_json = json_array();
	for (unsigned i = 0; i < seed->parts_count; i++)
		plan_part(plan, i);
	announce(plan);
	start_record(plan);
	rwi_catch_interrupts();
	rwi_progress_start(&plan->progress, seed->progress);
	for (unsigned i = 0; i < seed->parts_count; i++)
		if (going)
			going = measure_part(plan, &plan->parts[i], code);
		else
			rwi_seed_conclude(plan->parts[i].json);
	rwi_progress_end(&plan->progress);
	if (!going && *code == RWI_EXIT_OK)
		*code = RWI_EXIT_INTERRUPTED;
	record = plan->record;
	json_object_set_new(record, "complete", json_boolean(going));
	free(plan);
	return record;
}
