/* SPDX-License-Identifier: MIT */
#include "bench/workload.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const struct rwi_workload rwi_workloads[] = {
	{ "r1", "one reader", 1, 0 },
	{ "r2", "two readers", 2, 0 },
	{ "ro", "four readers", 4, 0 },
	{ "w1", "one writer", 0, 1 },
	{ "wo", "four writers", 0, 4 },
	{ "rw", "four readers and two writers", 4, 2 },
	{ NULL, NULL, 0, 0 },
};

/* Digits only, so that no sign or space gets past strtoul. */
static bool threads(const char **text, unsigned *count)
{
	char *end;
	unsigned long n;

	if (!isdigit((unsigned char)**text))
		return false;
	n = strtoul(*text, &end, 10);
	*text = end;
	*count = n > RWI_THREADS_MAX ? RWI_THREADS_MAX + 1 : (unsigned)n;
	return true;
}

bool rwi_workload_parse(const char *name, struct rwi_workload *workload)
{
	const char *rest = name;
	unsigned sum;

	for (const struct rwi_workload *w = rwi_workloads; w->name; w++) {
		if (!strcmp(w->name, name)) {
			*workload = *w;
			return true;
		}
	}
	workload->name = name;
	workload->summary = "given as READERS:WRITERS";
	if (!threads(&rest, &workload->readers) || *rest++ != ':' ||
	    !threads(&rest, &workload->writers) || *rest)
		return false;
	sum = workload->readers + workload->writers;
	return sum >= 1 && sum <= RWI_THREADS_MAX;
}

static bool read_lines(const struct rwi_guarded *guarded)
{
	return guarded->first == guarded->second;
}

static void write_lines(struct rwi_guarded *guarded)
{
	guarded->first++;
	guarded->second++;
}

/* About 0.15 us that the compiler cannot shorten: each step needs the last. */
static void multiply(void)
{
	uint64_t x = 3;

	for (int i = 0; i < 100; i++) {
		x *= x;
		__asm__ volatile("" : "+r"(x));
	}
}

static bool read_slowly(const struct rwi_guarded *guarded)
{
	const uint64_t first = guarded->first;

	multiply();
	return first == guarded->second;
}

static void write_slowly(struct rwi_guarded *guarded)
{
	guarded->first++;
	multiply();
	guarded->second++;
}

const struct rwi_section rwi_sections[] = {
	{ "empty", "nothing; every 1024th pair checks the lock", NULL, NULL },
	{ "lines", "touch two shared cache lines, and check the lock",
	  read_lines, write_lines },
	{ "work", "the same, with 100 multiplications in between", read_slowly,
	  write_slowly },
	{ NULL, NULL, NULL, NULL },
};

const struct rwi_section *rwi_section_find(const char *name)
{
	for (const struct rwi_section *s = rwi_sections; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}
