/* SPDX-License-Identifier: MIT */
/*
 * The dd test and the mmap stresser, in small: every cell runs with a few
 * locks, and its own checks are content.  With --caught the lock is one that
 * lets writers in beside readers, and every cell must say so.
 *
 * usage: dd_and_mmap [--caught]
 */
#include "bench/locks.h"
#include "bench/seeds/seed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const struct rwi_seed_part rwi_seed_part_2005;
extern const struct rwi_seed_part rwi_seed_part_mmap_2001;

/* What the parts' own parameters are. */
enum { DD_WRITES = 1, DD_PAIRS = 2, DD_WRITERS = 3, MMAP_LOOPS = 0 };

static const struct rwi_seed_options options = { .squeeze = 1, .random = 1 };
static int faults;

static void fail(const struct rwi_seed_part *part,
		 const struct rwi_seed_cell *cell, const char *lock,
		 const char *what)
{
	fprintf(stderr, "%s %s, lock %s: %s\n", part->name, cell->name, lock,
		what);
	faults++;
}

static void shorten_dd(struct rwi_seed_cell *cell)
{
	/* A thread of those with writers writes once among 10,000. */
	cell->parameter[DD_WRITES] =
	    (cell->parameter[DD_WRITERS] ? 10000 : 1000) * (long)cell->threads;
	cell->parameter[DD_PAIRS] = 1;
}

static void shorten_mmap(struct rwi_seed_cell *cell)
{
	cell->parameter[MMAP_LOOPS] = 20;
}

static void as_is(struct rwi_seed_cell *cell)
{
	(void)cell;
}

static void expect_numbers(const struct rwi_seed_part *part,
			   const struct rwi_seed_cell *cell, const char *lock,
			   const struct rwi_seed_outcome *outcome)
{
	for (unsigned i = 0; part->values[i]; i++) {
		const char *name = part->values[i];
		const double value = outcome->value[i];

		if (!isfinite(value))
			fail(part, cell, lock, name);
		/* CPU time is counted in whole ticks on some systems. */
		if ((!strcmp(name, "real_s") || strstr(name, "per_s")) &&
		    !(value > 0))
			fail(part, cell, lock, name);
	}
}

static void run_cells(const struct rwi_seed_part *part, const char *lock,
		      void (*shorten)(struct rwi_seed_cell *cell), bool caught)
{
	const struct rwi_design *design = NULL;
	struct rwi_seed_cell cell = { .name = "" };

	if (strcmp(lock, "none") != 0) {
		design = rwi_lock_find(lock);
		if (!design) {
			fail(part, &cell, lock, "there is no such lock");
			return;
		}
	}
	for (unsigned i = 0; part->cell(i, &options, &cell); i++) {
		struct rwi_seed_outcome outcome = { .fault = "" };

		shorten(&cell);
		if (part->run(&cell, design, &options, &outcome)) {
			if (caught)
				fail(part, &cell, lock, "not caught");
			else
				expect_numbers(part, &cell, lock, &outcome);
		} else if (!outcome.fault[0]) {
			fail(part, &cell, lock, "failed and does not say why");
		} else if (!caught) {
			fail(part, &cell, lock, outcome.fault);
		} else if (strstr(outcome.fault, "memory")) {
			fail(part, &cell, lock, outcome.fault);
		}
	}
}

int main(int argc, char **argv)
{
	static const char *const locks[] = { "none", "howells-2001-xadd-c",
					     "heo-2005-v1", "rwsem", NULL };

	if (argc == 2 && !strcmp(argv[1], "--caught")) {
		const char *broken = "busted-exclusion";

		run_cells(&rwi_seed_part_2005, broken, shorten_dd, true);
		run_cells(&rwi_seed_part_mmap_2001, broken, as_is, true);
		return faults != 0;
	}
	for (unsigned i = 0; locks[i]; i++) {
		run_cells(&rwi_seed_part_2005, locks[i], shorten_dd, false);
		run_cells(&rwi_seed_part_mmap_2001, locks[i], shorten_mmap,
			  false);
	}
	return faults != 0;
}
