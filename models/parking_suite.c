/* SPDX-License-Identifier: MIT */
/*
 * The suite of the waiting protocol's model, and its command:
 *
 *	parking                              everything, a line per program
 *	parking --list                       what can be run
 *	parking [-f NAME]... PROGRAM...      one program, a trace if it fails
 *
 * A program is one word per thread, one letter per operation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parking.h"

struct row {
	const char *options;  /* separated by spaces */
	const char *programs; /* separated by commas */
	const char *expected; /* "holds", or the property that must break */
};

static const struct row suite[] = {
	/* ---- The protocol holds ---- */
	{ "", "w w w,w r w,r r w,w w r r,wr rw w,rr rr w,w w w r,w r r r",
	  "holds" },
	{ "", "wr wr wr rw,ww ww ww ww,w w w r r,w w r r r,d r w r r",
	  "holds" },
	{ "", "wr rw Wr Rr,w W r R r,dr Wr rw tu,er w W r", "holds" },
	{ "", "d w r,d w r r,d r w w,d d r,g w r,D R w r,D D r w", "holds" },
	{ "", "W r R w,W R w r,WW RR w,WR RW d,W W r r,R R w w,W R r w",
	  "holds" },
	{ "", "t w u,tw ur w,t W u r,e w r,e w e,e W r w,e d w r", "holds" },
	{ "", "w r x,r r x,d r x,W R x,w r r x,W r R x,d W r x,e r x",
	  "holds" },
	{ "", "w r xiw ar,W r xiw aw,r R xi aw", "holds" },
	{ "loop", "w w,w w w,w r r,w w r,w w r r,g w r r,d r w r,R W w r",
	  "holds" },
	{ "loop", "e w r,e e w,e w w,w w w r", "holds" },
	{ "loop tries=2", "w w r,w r r,w w w", "holds" },
	{ "slices", "w w r r,W R w r,d W r,w r x", "holds" },
	/* Few read holds. */
	{ "max=1", "r r w,R r w,r r r w,u R w r,wr rw r,r R x,g w r,g r r",
	  "holds" },
	{ "max=2", "r r r w,R r r w,u R r r,g r R w,g r r w,d r w,r r r x",
	  "holds" },
	{ "max=1 loop", "r r,r r w,R r w,g r w", "holds" },
	{ "max=2 loop", "r r r,r r r w", "holds" },
	{ "max=2 slices", "r R r w", "holds" },
	/* One waiter told a section. */
	{ "tell=1", "d r r,d w r r,W r r r,w r r r,D R w r,r W r rx,r W r r",
	  "holds" },
	{ "tell=1 max=2", "w r r r,r W r r,g r r r", "holds" },
	{ "tell=1 loop", "w r r r,g w r r,d w r,W r r w", "holds" },
	/* Preferences. */
	{ "prefer-readers", "w r w,w r r,W r w r,d w r r,t u w r,e w r,W r x",
	  "holds" },
	{ "prefer-readers loop", "w r r,w w r,R W r,e w r,w w r r", "holds" },
	{ "prefer-readers max=1 loop", "r r w", "holds" },
	{ "prefer-writers", "w r w,w r r,W r R w,d w r r,t u w r,e w r,R w x",
	  "holds" },
	{ "prefer-writers loop", "w r r,w w r,R W w,e w r,w w r r", "holds" },
	{ "prefer-writers max=1 loop", "r r w", "holds" },
	/* A forked child. */
	{ "fork", "w w cw,r w cr,wr r cw,W r cw,r r cw,w r cr cw,rw w cr",
	  "holds" },
	{ "fork", "W w cd,d w cr,R w cW,ww w cw,rr w r cw,w r r cr", "holds" },
	{ "fork prefer-readers", "w r cr,W w cr cw", "holds" },
	{ "fork prefer-writers", "r w cr,R w cr cw", "holds" },
	{ "fork max=1", "r r cr,R w cr cr", "holds" },

	/* A competitor that does not come. */
	{ "stop", "w w r,r w w,w w w w,r w r w,W w r r,w d r,w r R w",
	  "holds" },
	{ "stop max=1", "r r w,r r r", "holds" },
	{ "stop prefer-readers", "w w r", "holds" },
	{ "stop prefer-writers", "r w r w", "holds" },

	/* ---- What the bounds do not cover: streams of tries ---- */
	{ "loop", "t w r,t u w r,u w", "starvation" },

	/* ---- Broken on purpose ---- */
	{ "WRITER_JOINS_READERS", "w r", "exclusion" },
	{ "NEVER_HANDOFF loop", "w w w,w r w", "starvation" },
	{ "HANDOFF_IGNORED loop", "w w w,w r w", "starvation" },
	{ "WPEND_IGNORED loop", "w r r", "starvation" },
	{ "WPEND_STAYS", "W r w,w r r", "WPEND on a free lock" },
	{ "WPEND_WITH_WOKEN", "w w w,r w w", "WPEND on a free lock" },
	{ "TRY_RESPECTS_HANDOFF", "t w w,u w w", "try failed for no reason" },
	{ "EXEMPT_BARRED", "e w,e w r", "stuck" },
	{ "HANDOFF_BEFORE_PATIENCE prefer-readers", "w w,w r", "preference" },
	{ "HANDOFF_BEFORE_PATIENCE prefer-writers", "w r", "preference" },
	{ "PATIENCE_UNSEEN prefer-readers loop", "w r r", "starvation" },

	{ "LIMIT_IGNORED max=1", "w r r r", "limit" },
	{ "FULL_WITHOUT_DUTY max=2", "r r r", "reader left out" },
	{ "LAST_READER_WITHOUT_DUTY", "r w w", "WPEND on a free lock" },
	{ "LAST_READER_WITHOUT_DUTY prefer-readers", "r w,r r w", "I4" },
	{ "WOKEN_IGNORED", "w w w w", "writer overtaken" },
	{ "WOKEN_STAYS", "w w w,w r r w", "mark without competitor" },
	{ "MARK_LEFT_BEHIND", "W w,W r w", "mark without competitor" },
	{ "HANDOFF_LEFT_BEHIND", "W w,W w r", "mark without competitor" },
	{ "GIVE_UP_UNSETTLED", "W r r,W r w r", "reader left out" },
	{ "GIVE_UP_GRANTED", "r w R,d R", "count" },
	{ "ENQUEUE_UNSETTLED", "r w,w r r", "writer not heeded" },
	{ "REQUEUE_AT_TAIL", "w w w w", "writer overtaken" },
	{ "DOWNGRADE_UNSETTLED", "d r,d w r", "reader left out" },
	{ "DOWNGRADE_FIRST_ONLY", "d w r", "stuck" },
	{ "READER_ENTERS_ALONE", "w r w r", "readers apart" },
	{ "REST_FORGOTTEN tell=1", "d r r,r W r r", "reader left out" },
	{ "REST_PLAIN tell=1", "d w r r", "stuck" },
	{ "REST_UNBOUNDED tell=1 loop", "g w r r", "starvation" },
	{ "REST_TOUCHES tell=1", "r W r rx", "touched after free" },
	{ "TOUCH_AFTER_RELEASE", "w x,r r x,w r x", "touched after free" },
	{ "SETTLE_AFTER_RELEASE", "w W x,w R x", "touched after free" },
	{ "STORE_AFTER_UNLOCK", "W w,W r w r", "left before told" },
	{ "WAKE_BEFORE_STORE", "w w,d r", "stuck" },
	{ "SLEEPER_NOT_WOKEN", "w w,d r", "stuck" },
	{ "SLEEP_UNMARKED", "w w,d r", "stuck" },
	{ "NO_SLICES fork", "w w cw", "stuck" },
	{ "NO_SLICES stop", "w w w", "stuck" },
	{ "ORPHAN_WAITS fork", "r w cr,w w cw", "stuck" },
	{ "ORPHAN_QUEUES fork", "w w cw", "queued twice" },
};

static const char *const variant_name[] = {
#define VARIANT(name, text) #name,
#include "variants.def"
#undef VARIANT
};

static const char *const variant_text[] = {
#define VARIANT(name, text) text,
#include "variants.def"
#undef VARIANT
};

struct option {
	const char *name, *text;
};

static const struct option options[] = {
	{ "loop", "programs start over; look for starvation" },
	{ "slices", "slices of sleep may end" },
	{ "fork", "thread 0 may fork at any moment" },
	{ "stop", "thread 0 may stop for good while it competes" },
	{ "prefer-readers", "RWSEM_PREFER_READERS" },
	{ "prefer-writers", "RWSEM_PREFER_WRITERS" },
	{ "max=N", "read holds at once (otherwise 8)" },
	{ "tell=N", "waiters told a section (otherwise 8)" },
	{ "tries=N", "lost competitions before HANDOFF (otherwise 1)" },
};

static _Noreturn void fail(const char *what, const char *which)
{
	fprintf(stderr, "rwsem: model: %s '%s'; try --list\n", what, which);
	exit(2);
}

static bool get_number(const char *word, const char *name, uint8_t *to)
{
	const size_t length = strlen(name);

	if (strncmp(word, name, length) != 0)
		return false;
	if (word[length] < '1' || word[length] > '8' || word[length + 1])
		fail("not a number from 1 to 8:", word);
	*to = (uint8_t)(word[length] - '0');
	return true;
}

static void set_option(const char *word)
{
	if (!strcmp(word, "loop"))
		parking.endless = true;
	else if (!strcmp(word, "slices"))
		parking.slices = true;
	else if (!strcmp(word, "fork"))
		parking.forks = true;
	else if (!strcmp(word, "stop"))
		parking.stops = true;
	else if (!strcmp(word, "prefer-readers"))
		parking.policy = PREFER_READERS;
	else if (!strcmp(word, "prefer-writers"))
		parking.policy = PREFER_WRITERS;
	else if (!get_number(word, "max=", &parking.readers_max) &&
		 !get_number(word, "tell=", &parking.tell_max) &&
		 !get_number(word, "tries=", &parking.handoff_tries)) {
		for (unsigned v = 0; v < VARIANTS; v++)
			if (!strcmp(word, variant_name[v])) {
				parking.variant[v] = true;
				return;
			}
		fail("no option or variant", word);
	}
}

static void set_defaults(void)
{
	parking = (struct parking){ .readers_max = 8,
				    .tell_max = 8,
				    .handoff_tries = 1 };
}

static void add_thread(const char *program)
{
	if (parking.threads == THREADS_MAX)
		fail("too many threads:", program);
	for (const char *c = program; *c; c++) {
		const struct operation *o = parking_operations;

		while (o->letter && o->letter != *c)
			o++;
		if (!o->letter)
			fail("no such operation in", program);
	}
	parking.program[parking.threads++] = program;
}

static struct explore_result run(bool trace)
{
	const struct explore_model model = {
		.size = sizeof(struct state),
		.actors = parking.threads,
		.expand = parking_expand,
		.check = parking_check,
		.final = parking_final,
		.waits = parking_waits,
		.print = parking_print,
	};
	const struct state first = { 0 };

	return explore(&model, &first, parking.endless, trace);
}

/* Split off the next word, or null; *rest moves behind it. */
static char *next_word(char **rest, const char *separators)
{
	char *word = *rest + strspn(*rest, separators);

	if (!*word)
		return NULL;
	*rest = word + strcspn(word, separators);
	if (**rest)
		*(*rest)++ = '\0';
	return word;
}

/* Run one program of a row and print its line. */
static bool run_line(const struct row *row, char *threads, uint64_t *states)
{
	char line[80], *word;
	struct explore_result result;
	const char *outcome;
	bool good;

	snprintf(line, sizeof line, "%s", threads);
	parking.threads = 0;
	while ((word = next_word(&threads, " ")))
		add_thread(word);
	result = run(false);
	outcome = result.broken ? result.broken : "holds";
	good = !strcmp(outcome, row->expected);
	*states += result.states;
	printf("%-4s %-24s %8u states  %-14s %s\n", good ? "ok" : "BAD",
	       outcome, result.states, line, row->options);
	fflush(stdout);
	return good;
}

static int run_suite(void)
{
	unsigned programs = 0, bad = 0, caught = 0;
	bool seen[VARIANTS] = { false };
	uint64_t states = 0;

	for (size_t i = 0; i < sizeof suite / sizeof *suite; i++) {
		char set[80], all[80], *rest = set, *word;

		snprintf(set, sizeof set, "%s", suite[i].options);
		snprintf(all, sizeof all, "%s", suite[i].programs);
		set_defaults();
		while ((word = next_word(&rest, " ")))
			set_option(word);
		for (rest = all; (word = next_word(&rest, ","));) {
			const bool good = run_line(&suite[i], word, &states);

			programs++;
			bad += !good;
			for (unsigned v = 0; v < VARIANTS; v++)
				seen[v] |= good && parking.variant[v];
		}
	}
	for (unsigned v = 0; v < VARIANTS; v++) {
		caught += seen[v];
		if (!seen[v])
			printf("BAD  %s is not caught\n", variant_name[v]);
	}
	printf("%u programs, %llu states, %u not as expected; "
	       "%u of %u variants caught\n",
	       programs, (unsigned long long)states, bad, caught,
	       (unsigned)VARIANTS);
	return bad || caught < VARIANTS;
}

static int list(void)
{
	printf("Operations, one letter each:\n");
	for (const struct operation *o = parking_operations; o->letter; o++)
		printf("  %-26c %s\n", o->letter, o->text);
	printf("Options (-f):\n");
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		printf("  %-26s %s\n", options[i].name, options[i].text);
	printf("Variants broken on purpose (-f):\n");
	for (unsigned v = 0; v < VARIANTS; v++)
		printf("  %-26s %s\n", variant_name[v], variant_text[v]);
	printf("Suite:\n");
	for (size_t i = 0; i < sizeof suite / sizeof *suite; i++)
		printf("  %-40s %-24s %s\n", suite[i].options,
		       suite[i].expected, suite[i].programs);
	return 0;
}

static int run_one(int argc, char **argv)
{
	struct explore_result result;

	set_defaults();
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-f") && i + 1 < argc)
			set_option(argv[++i]);
		else
			add_thread(argv[i]);
	}
	if (!parking.threads)
		fail("no program after", argv[argc - 1]);
	result = run(true);
	printf("%s, %u states\n", result.broken ? result.broken : "holds",
	       result.states);
	return result.broken != NULL;
}

static int help(void)
{
	printf(
	    "Usage: parking                        run the suite\n"
	    "       parking [-f NAME]... THREAD... run one program\n"
	    "       parking --list                 operations, options, "
	    "variants, suite\n"
	    "A thread is a word, one letter per operation.  Exit status: "
	    "0 as expected,\n1 a property broke (one program: with a trace), "
	    "2 bad usage.\n");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		return run_suite();
	if (!strcmp(argv[1], "--help"))
		return help();
	if (!strcmp(argv[1], "--list"))
		return list();
	return run_one(argc, argv);
}
