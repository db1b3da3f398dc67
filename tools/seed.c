/* SPDX-License-Identifier: MIT */
/*
 * rwsem seed: what the authors of the designs measured, again.
 *
 * What is measured goes into a JSON record, and the tables are made from that
 * record alone, now or later.
 */
#include "tools/lib/seed.h"

#include "bench/locks.h"
#include "tools/lib/cli.h"

#include <stdlib.h>
#include <string.h>

struct options {
	struct rwi_seed seed;
	const char *json, *show;
};

enum {
	OPT_FULL = 256,
	OPT_SQUEEZE,
	OPT_ROUNDS,
	OPT_SEED,
	OPT_JSON,
	OPT_SHOW,
	OPT_PROGRESS,
	OPT_LIST,
};

static const struct argp_option arguments[] = {
	{ "locks", 'l', "NAME,...", 0,
	  "Locks to measure instead of each part's own; 'rwsem list' names "
	  "them, 'none' is none",
	  1 },
	{ "full", OPT_FULL, NULL, 0,
	  "The messages' own sizes and durations, which take hours", 1 },
	{ "list", OPT_LIST, NULL, 0, "Name the parts and exit", 1 },
	{ "squeeze", OPT_SQUEEZE, "N", 0,
	  "Divide what is computed between locks by N, as if there were N "
	  "times as many CPUs (default: each part's own; 1 is honest)",
	  2 },
	{ "rounds", OPT_ROUNDS, "N", 0,
	  "Rounds over all cells and locks (default: each part's own)", 2 },
	{ "seed", OPT_SEED, "N", 0,
	  "Make all random choices by this number (default: 1)", 2 },
	{ "json", OPT_JSON, "FILE", 0,
	  "Write the record to FILE; '-' is standard output, instead of tables",
	  3 },
	{ "show", OPT_SHOW, "FILE", 0,
	  "Measure nothing; print the tables of a record", 3 },
	{ "progress", OPT_PROGRESS, NULL, 0,
	  "Show progress even if standard error is not a terminal", 3 },
	{ 0 },
};

/* ---- Parts ---- */

/* Is it the part's name, or what the name begins with up to a dash? */
static bool stands_for(const char *word, const struct rwi_seed_part *part)
{
	const size_t length = strlen(word);

	return !strcmp(word, "all") ||
	       (!strncmp(part->name, word, length) &&
		(!part->name[length] || part->name[length] == '-'));
}

static bool has_part(const struct rwi_seed *seed,
		     const struct rwi_seed_part *part)
{
	for (unsigned i = 0; i < seed->parts_count; i++)
		if (seed->parts[i] == part)
			return true;
	return false;
}

/* Each once, whatever was named before. */
static void add_parts(struct rwi_seed *seed, const char *word)
{
	bool known = false;

	for (unsigned i = 0; rwi_seed_parts[i]; i++) {
		const struct rwi_seed_part *part = rwi_seed_parts[i];

		if (!stands_for(word, part))
			continue;
		known = true;
		if (has_part(seed, part))
			continue;
		if (seed->parts_count == RWI_SEED_PARTS_MAX)
			rwi_fatal("there are too many parts");
		seed->parts[seed->parts_count++] = part;
	}
	if (!known)
		rwi_usage("seed: no part is called '%s'; 'rwsem seed --list' "
			  "names them",
			  word);
}

static _Noreturn void list_and_exit(void)
{
	for (unsigned i = 0; rwi_seed_parts[i]; i++)
		printf("  %-16s %s\n  %-16s %s\n", rwi_seed_parts[i]->name,
		       rwi_seed_parts[i]->message, "",
		       rwi_seed_parts[i]->title);
	exit(RWI_EXIT_OK);
}

/* ---- Options ---- */

static void add_lock(void *input, char *word)
{
	struct rwi_seed *seed = input;
	const char *name = strcmp(word, RWI_SEED_NO_LOCK)
			       ? rwi_lock_named(word)->name
			       : RWI_SEED_NO_LOCK;

	for (unsigned i = 0; i < seed->locks_count; i++)
		if (!strcmp(seed->locks[i], name))
			rwi_usage("--locks: '%s' appears twice", name);
	if (seed->locks_count == RWI_SEED_LOCKS_MAX)
		rwi_usage("--locks: more than %d locks", RWI_SEED_LOCKS_MAX);
	seed->locks[seed->locks_count++] = name;
}

static error_t parse_measuring(int key, char *arg, struct rwi_seed *seed)
{
	switch (key) {
	case 'l':
		seed->locks_count = 0;
		rwi_words("locks", arg, add_lock, seed);
		return 0;
	case OPT_FULL:
		seed->options.full = true;
		return 0;
	case OPT_SQUEEZE:
		seed->options.squeeze = rwi_factor("squeeze", arg, 1, 10000);
		return 0;
	case OPT_ROUNDS:
		seed->rounds = (unsigned)rwi_count("rounds", arg, 1, 10000);
		return 0;
	case OPT_SEED:
		seed->options.random = rwi_count("seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_PROGRESS:
		seed->progress = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_LIST:
		list_and_exit();
	case OPT_JSON:
		o->json = arg;
		return 0;
	case OPT_SHOW:
		o->show = arg;
		return 0;
	case ARGP_KEY_ARG:
		add_parts(&o->seed, arg);
		return 0;
	case ARGP_KEY_END:
		if (!o->show && !o->seed.parts_count)
			rwi_usage("seed: a part is needed; 'rwsem seed --list' "
				  "names them");
		if (o->show && o->seed.parts_count)
			rwi_usage("--show: it measures nothing, so no part can "
				  "be named");
		return 0;
	default:
		return parse_measuring(key, arg, &o->seed);
	}
}

int rwi_seed(int argc, char **argv)
{
	static const struct argp argp = {
		.options = arguments,
		.parser = parse,
		.args_doc = "PART...",
		.doc = "Measure what the authors of the designs measured, and "
		       "put it beside their numbers.\vPART is 2001, 2005, "
		       "2013-steal, 2013-spin, 2014, mm, all, or one of those "
		       "that --list names.\n\nExit status: 0, or 1 if a lock "
		       "gave a wrong result, 2 for bad arguments, 3 if the "
		       "system refused something, 130 if interrupted; what "
		       "was measured until then is reported.",
	};
	struct options o = { .seed = { .options = { .random = 1 } } };
	int code = RWI_EXIT_OK;
	json_t *record;

	rwi_parse(&argp, argc, argv, 0, &o);
	record =
	    o.show ? rwi_json_read(o.show) : rwi_seed_measure(&o.seed, &code);
	if (code == RWI_EXIT_WRONG)
		rwi_error("results are wrong; the record has them as such");
	if (o.json)
		rwi_json_write(record, o.json);
	if (!o.json || strcmp(o.json, "-"))
		rwi_seed_report(record, stdout);
	json_decref(record);
	return code;
}
