/* SPDX-License-Identifier: MIT */
#include "bench/workload.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables ---- */

static const struct {
	const char *name;
	const char *summary;
	unsigned readers;
	unsigned writers;
	bool yields;
} fixed[] = {
	{ "r1", "one reader", 1, 0, false },
	{ "r2", "two readers", 2, 0, false },
	{ "ro", "four readers", 4, 0, false },
	{ "w1", "one writer", 0, 1, false },
	{ "wo", "four writers", 0, 4, false },
	{ "rw", "four readers and two writers", 4, 2, false },
	{ "rw-aa", "31 readers and 16 writers that yield inside", 31, 16,
	  true },
	{ "worm", "thirty readers and one writer", 30, 1, false },
	{ "xx", "thirty readers and fifteen writers", 30, 15, false },
};

/* With a number behind the name: so many halves of it are of each role. */
static const struct family {
	const char *name;
	const char *summary;
	unsigned reading_halves;
	unsigned writing_halves;
	enum rwi_side lone; /* RWI_SIDES: nobody */
	unsigned usual;     /* the number if none is given; 0: there must be */
} families[] = {
	{ "ro", "N readers", 2, 0, RWI_SIDES, 0 },
	{ "wo", "N writers", 0, 2, RWI_SIDES, 0 },
	{ "rw", "N threads, of which half read and half write", 1, 1, RWI_SIDES,
	  0 },
	{ "writer", "one writer against N endless readers", 2, 0, RWI_WRITE,
	  8 },
	{ "reader", "one reader against N endless writers", 0, 2, RWI_READ, 8 },
};

#define LONE_SECTION  "250ns"
#define WAITS_SECTION "lines"

const struct rwi_workload_form rwi_workload_forms[] = {
	{ "r1, r2, ro", "1, 2, 4 readers" },
	{ "w1, wo", "1, 4 writers" },
	{ "rw, worm, xx", "4 readers and 2 writers, 30 and 1, 30 and 15" },
	{ "roN, woN", "N readers, N writers" },
	{ "rwN", "N threads, of which half read and half write" },
	{ "R:W", "R readers and W writers" },
	{ "rw-aa", "31 readers and 16 writers that yield while they hold it" },
	{ "2001/TEST", "one of those, counted in shared memory as in 2001" },
	{ "waits/TEST", "one of those, each wait measured; section: lines" },
	{ "writer, writerN", "one writer against 8 (N) endless readers, each "
			     "wait measured; section: 250ns" },
	{ "reader, readerN", "one reader against 8 (N) endless writers, the "
			     "same" },
	{ "mix/T/L/R:W", "T threads, each R reads and then W writes; section: "
			 "L pauses" },
	{ NULL, NULL },
};

#define TESTS_2001 "r1,r2,ro,w1,wo,rw,worm,xx"
#define SIZES      "ro8,ro32,wo2,wo8,wo32,rw2,rw8,rw32"
#define WAITS      "waits/wo8,waits/rw8,writer,reader"
#define LOADS(threads, turns)                                                  \
	"mix/" threads "/1/" turns ",mix/" threads "/5/" turns ",mix/" threads \
	"/10/" turns
#define TURNS(threads)                                                         \
	LOADS(threads, "0:1")                                                  \
	"," LOADS(threads, "1:1") "," LOADS(threads, "10:1") "," LOADS(        \
	    threads, "100:1") "," LOADS(threads, "1000:1")
#define MIX TURNS("2") "," TURNS("10")

const struct rwi_workload_group rwi_workload_groups[] = {
	{ "headline", "what runs by default",
	  "r1,w1,r2,ro8,ro32,wo2,wo8,wo32,rw2,rw8,writer,reader" },
	{ "2001", "the tests that came with the kernel's first rwsem",
	  TESTS_2001 },
	{ "sizes", "readers, writers and both in growing numbers", SIZES },
	{ "waits", "how long threads wait, and who gets how much", WAITS },
	{ "mix",
	  "what was measured for spinning in 2014: 2 and 10 threads, loads of "
	  "1, 5 and 10, from 0:1 to 1000:1",
	  MIX },
	{ "full", "all of these", TESTS_2001 "," SIZES "," WAITS "," MIX },
	{ NULL, NULL, NULL },
};

const struct rwi_workload_group *rwi_workload_group(const char *name)
{
	const struct rwi_workload_group *g = rwi_workload_groups;

	while (g->name && strcmp(g->name, name) != 0)
		g++;
	return g->name ? g : NULL;
}

/* ---- Names ---- */

/* Digits only, so that no sign or space gets past strtoul. */
static bool number(const char **text, unsigned *count)
{
	enum { NUMBER_MAX = 1000000 };
	char *end;
	unsigned long n;

	if (!isdigit((unsigned char)**text))
		return false;
	n = strtoul(*text, &end, 10);
	*text = end;
	*count = (unsigned)n;
	return n <= NUMBER_MAX;
}

/* NUMBER, SEPARATOR, NUMBER and no more. */
static bool two_numbers(const char *text, char separator, unsigned *a,
			unsigned *b)
{
	return number(&text, a) && *text++ == separator && number(&text, b) &&
	       !*text;
}

static bool parse_fixed(const char *name, struct rwi_workload *w)
{
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
		if (strcmp(fixed[i].name, name) != 0)
			continue;
		w->summary = fixed[i].summary;
		w->readers = fixed[i].readers;
		w->writers = fixed[i].writers;
		w->yields = fixed[i].yields;
		return true;
	}
	return false;
}

static bool parse_family(const char *name, const struct family *f,
			 struct rwi_workload *w)
{
	const size_t length = strlen(f->name);
	const char *rest = name + length;
	unsigned n = f->usual;

	if (strncmp(f->name, name, length) != 0 ||
	    (*rest ? !number(&rest, &n) || *rest : !n) ||
	    n * f->reading_halves % 2)
		return false;
	w->summary = f->summary;
	w->readers = n * f->reading_halves / 2;
	w->writers = n * f->writing_halves / 2;
	w->lone = f->lone != RWI_SIDES;
	if (w->lone) {
		w->lone_side = f->lone;
		w->waits = true;
		strcpy(w->section, LONE_SECTION);
		*(f->lone == RWI_READ ? &w->readers : &w->writers) = 1;
	}
	return n > 0;
}

static bool parse_roles(const char *name, struct rwi_workload *w)
{
	if (parse_fixed(name, w))
		return true;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (parse_family(name, &families[i], w))
			return true;
	w->summary = "given as READERS:WRITERS";
	return two_numbers(name, ':', &w->readers, &w->writers);
}

static bool parse_mix(const char *rest, struct rwi_workload *w)
{
	unsigned load;

	w->summary = "threads that read and write in turn";
	if (!number(&rest, &w->mixed) || *rest++ != '/' ||
	    !number(&rest, &load) || *rest++ != '/' ||
	    !two_numbers(rest, ':', &w->turn[RWI_READ], &w->turn[RWI_WRITE]))
		return false;
	if (load)
		snprintf(w->section, sizeof w->section, "%upauses", load);
	else
		strcpy(w->section, "empty");
	return w->turn[RWI_READ] || w->turn[RWI_WRITE];
}

bool rwi_workload_parse(const char *name, struct rwi_workload *workload)
{
	static const char mix[] = "mix/", waits[] = "waits/";
	static const char counted[] = "2001/";
	const size_t mix_length = strlen(mix), waits_length = strlen(waits);
	const size_t counted_length = strlen(counted);
	struct rwi_workload *w = workload;
	unsigned sum;
	bool known;

	memset(w, 0, sizeof *w);
	if (strlen(name) >= sizeof w->name)
		return false;
	if (!strncmp(name, mix, mix_length)) {
		known = parse_mix(name + mix_length, w);
	} else if (!strncmp(name, waits, waits_length)) {
		known = parse_roles(name + waits_length, w) && !w->waits;
		w->waits = true;
		strcpy(w->section, WAITS_SECTION);
	} else if (!strncmp(name, counted, counted_length)) {
		known = parse_roles(name + counted_length, w) && !w->waits;
		w->shared_counters = true;
	} else {
		known = parse_roles(name, w);
	}
	strcpy(w->name, name);
	sum = rwi_workload_threads(w);
	return known && sum >= 1 && sum <= RWI_THREADS_MAX;
}

unsigned rwi_workload_threads(const struct rwi_workload *workload)
{
	return workload->readers + workload->writers + workload->mixed;
}

bool rwi_workload_has(const struct rwi_workload *workload, enum rwi_side side)
{
	const unsigned own =
	    side == RWI_READ ? workload->readers : workload->writers;

	return own > 0 || (workload->mixed && workload->turn[side]);
}

struct rwi_workload rwi_workload_crowd(const struct rwi_workload *workload)
{
	struct rwi_workload crowd = *workload;

	crowd.waits = false;
	*(crowd.lone_side == RWI_READ ? &crowd.readers : &crowd.writers) = 0;
	return crowd;
}
