/* SPDX-License-Identifier: MIT */
/*
 * The tests of 2001, in small: every cell runs with a few locks, counts what it
 * has threads for, and its own checks are content.  With --caught the lock is
 * one that lets writers in beside readers, and every cell must say so.
 *
 * usage: tests_of_2001 [--caught]
 */
#include "bench/locks.h"
#include "bench/seeds/seed.h"

#include <stdio.h>
#include <string.h>

extern const struct rwi_seed_part rwi_seed_part_2001;

/* The part's own parameters, and the places of its values. */
enum { READERS, MILLISECONDS };
enum { PER_S, READS, WRITES };

static const struct rwi_seed_options options = { .squeeze = 1, .random = 1 };
static int faults;

static void expect(bool good, const char *cell, const char *lock,
		   const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s, lock %s: %s\n", cell, lock, what);
	faults++;
}

static void run_cells(const char *lock, bool caught)
{
	const struct rwi_seed_part *part = &rwi_seed_part_2001;
	struct rwi_seed_cell cell;

	for (unsigned i = 0; part->cell(i, &options, &cell); i++) {
		struct rwi_seed_outcome outcome = { .fault = "" };
		const double *value = outcome.value;
		bool good;

		cell.parameter[MILLISECONDS] = 20;
		good =
		    part->run(&cell, rwi_lock_find(lock), &options, &outcome);
		if (caught) {
			expect(!good, cell.name, lock, "not caught");
			expect(strstr(outcome.fault, "writer") != NULL,
			       cell.name, lock, outcome.fault);
			continue;
		}
		expect(good, cell.name, lock, outcome.fault);
		expect(value[PER_S] > 0, cell.name, lock, "nothing was done");
		expect(cell.parameter[READERS] || value[READS] < 1, cell.name,
		       lock, "reads without readers");
		expect(cell.parameter[READERS] < (long)cell.threads ||
			   value[WRITES] < 1,
		       cell.name, lock, "writes without writers");
	}
}

int main(int argc, char **argv)
{
	static const char *const locks[] = { "arcangeli-2001",
					     "howells-2001-spinlock", "rwsem",
					     "mutex", NULL };
	const struct rwi_seed_cell cell = { .name = "r1" };
	struct rwi_seed_outcome outcome = { .fault = "" };

	if (argc == 2 && !strcmp(argv[1], "--caught")) {
		run_cells("busted-exclusion", true);
		return faults != 0;
	}
	for (unsigned i = 0; locks[i]; i++)
		run_cells(locks[i], false);
	expect(!rwi_seed_part_2001.run(&cell, NULL, &options, &outcome), "r1",
	       "none", "ran without a lock");
	return faults != 0;
}
