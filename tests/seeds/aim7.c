/* SPDX-License-Identifier: MIT */
/*
 * AIM7 and the microbenchmark of 2014, in small: the tables add up to what was
 * counted, trees stay sound, every user does all its jobs, and the parts' own
 * checks are content.  With --caught the locks let in who must wait, and every
 * run must say so.
 *
 * usage: aim7 [--caught]
 */
#include "bench/seeds/aim7.h"
#include "bench/locks.h"
#include "bench/seeds/interval_tree.h"
#include "bench/seeds/seed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const struct rwi_seed_part rwi_seed_part_2014;

static int faults;

static void fail(const char *what, const char *of, const char *lock)
{
	fprintf(stderr, "%s, %s: %s\n", of, lock, what);
	faults++;
}

/* ---- Tables ---- */

/* Of one user, as the workfiles and the counts of system calls have it. */
static const struct {
	const char *mix;
	unsigned jobs, forks, execs, spawns, dirs, ids;
	double ms; /* to a hundredth */
} totals[] = {
	{ "alltests", 98, 100, 10, 8, 1363, 6, 243 },
	{ "custom", 95, 200, 0, 0, 2806, 12, 151 },
	{ "disk", 100, 0, 0, 0, 590, 0, 10 },
	{ "high_systime", 104, 400, 40, 32, 9144, 24, 403 },
	{ "shared", 97, 100, 15, 6, 1431, 6, 258 },
	{ "short", 102, 0, 0, 0, 0, 36, 16 },
};

static void expect(double found, double expected, const char *mix,
		   const char *what)
{
	char text[128];

	if (found == expected)
		return;
	snprintf(text, sizeof text, "%s %g, not %g", what, found, expected);
	fail(text, mix, "tables");
}

static void test_tables(void)
{
	for (unsigned i = 0; i < sizeof totals / sizeof totals[0]; i++) {
		const char *name = totals[i].mix;
		const struct rwi_aim7_mix *mix = rwi_aim7_mix_find(name);
		unsigned executions[RWI_AIM7_JOBS_MAX];
		double sum[RWI_AIM7_OPS] = { 0 }, ms = 0;

		if (!mix) {
			fail("is not there", name, "tables");
			continue;
		}
		expect(rwi_aim7_executions(mix, executions), totals[i].jobs,
		       name, "jobs");
		for (unsigned k = 0; rwi_aim7_jobs[k].name; k++) {
			ms += executions[k] * rwi_aim7_jobs[k].ms;
			for (unsigned op = 0; op < RWI_AIM7_OPS; op++)
				sum[op] +=
				    executions[k] * rwi_aim7_jobs[k].ops[op];
		}
		expect(sum[RWI_AIM7_FORK], totals[i].forks, name, "forks");
		expect(sum[RWI_AIM7_EXEC], totals[i].execs, name, "execs");
		expect(sum[RWI_AIM7_SPAWN], totals[i].spawns, name, "spawns");
		expect(sum[RWI_AIM7_DIR] + sum[RWI_AIM7_SUBDIR], totals[i].dirs,
		       name, "directory writes");
		expect(sum[RWI_AIM7_SHM] + sum[RWI_AIM7_SEM], totals[i].ids,
		       name, "identifier writes");
		if (fabs(ms - totals[i].ms) > 0.03 * totals[i].ms + 0.5)
			expect(ms, totals[i].ms, name, "ms");
	}
}

/* ---- Trees ---- */

enum { NODES = 300, CHANGES = 4000, WIDTH = 1000 };

static uint32_t next_random(void)
{
	static uint64_t state = 1;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32);
}

static size_t overlapping(const struct rwi_interval *nodes, uint64_t start,
			  uint64_t end)
{
	size_t count = 0;

	for (unsigned i = 0; i < NODES; i++)
		count += nodes[i].in_tree && nodes[i].start <= end &&
			 nodes[i].end >= start;
	return count;
}

static void change(struct rwi_intervals *tree, struct rwi_interval *node)
{
	if (node->in_tree) {
		rwi_intervals_remove(tree, node);
		return;
	}
	node->start = next_random() % WIDTH;
	node->end = node->start + next_random() % 50;
	node->priority = next_random();
	rwi_intervals_insert(tree, node);
}

static void test_trees(void)
{
	static struct rwi_interval nodes[NODES];
	struct rwi_intervals tree = { NULL, 0 };

	for (unsigned i = 0; i < CHANGES; i++) {
		const uint64_t at = next_random() % WIDTH;
		const char *fault;

		change(&tree, &nodes[next_random() % NODES]);
		fault = rwi_intervals_fault(&tree);
		if (fault)
			fail(fault, "trees", "none");
		if (rwi_intervals_overlapping(&tree, at, at + 9) !=
		    overlapping(nodes, at, at + 9))
			fail("finds others than there are", "trees", "none");
	}
	tree.count++;
	if (!rwi_intervals_fault(&tree))
		fail("a lost node is not found", "trees", "none");
	tree.count -= 2;
	if (!rwi_intervals_fault(&tree))
		fail("a node too much is not found", "trees", "none");
	tree.count++;
	tree.root->max++;
	if (!rwi_intervals_fault(&tree))
		fail("a wrong maximum is not found", "trees", "none");
	tree.root->max--;
	tree.root->start += 10 * WIDTH;
	if (!rwi_intervals_fault(&tree))
		fail("a wrong order is not found", "trees", "none");
}

/* ---- Runs ---- */

enum { USERS = 12 };

/* Sums are right whatever they are made of. */
static void test_counts(const struct rwi_design *design, unsigned shorter,
			double squeeze)
{
	const struct rwi_aim7_mix *mix = rwi_aim7_mix_find("high_systime");
	const struct rwi_aim7_load load = { mix, USERS, shorter, squeeze, 1 };
	/* 4 executions of 100 forks, 8 of 5 execs, 4 of 19 reads. */
	const uint64_t forks = 400 * USERS / shorter;
	const uint64_t execs = 40 * USERS / shorter;
	const uint64_t lists = 76 * USERS / shorter;
	struct rwi_aim7_result result;
	const char *fault;
	bool stuck;

	fault = rwi_aim7_run(&load, design, &result, &stuck);
	if (fault) {
		fail(fault, mix->name, design->name);
		return;
	}
	expect((double)result.jobs, 104 * USERS, mix->name, "jobs");
	expect((double)result.use.done[RWI_AIM7_FORK], (double)forks, mix->name,
	       "forks");
	expect((double)result.use.done[RWI_AIM7_EXEC], (double)execs, mix->name,
	       "execs");
	expect((double)result.use.done[RWI_AIM7_LIST], (double)lists, mix->name,
	       "listings");
	/* A fork locks each of 14 roots three times, an exec forks first. */
	expect((double)result.use.acquired[RWI_AIM7_ROOTS],
	       (double)(42 * (forks + execs)), mix->name, "root locks");
	/* Each user sleeps four times. */
	if (result.elapsed_s < 20.0 / shorter)
		fail("shorter than its sleeps", mix->name, design->name);
}

/* What the parts' own parameters are. */
enum { AIM7_FIRST = 1, AIM7_LAST = 2, AIM7_STEP = 3, PAIRS = 2 };

static void shorten_aim7(struct rwi_seed_cell *cell)
{
	cell->parameter[AIM7_FIRST] = cell->parameter[AIM7_LAST] = USERS;
	cell->parameter[AIM7_STEP] = 1;
}

static void shorten_2014(struct rwi_seed_cell *cell)
{
	cell->parameter[PAIRS] = 2000;
}

static void run_cells(const struct rwi_seed_part *part,
		      void (*shorten)(struct rwi_seed_cell *cell),
		      const struct rwi_design *design, bool caught)
{
	const struct rwi_seed_options options = { .squeeze = 20, .random = 1 };
	struct rwi_seed_cell cell;

	for (unsigned i = 0; part->cell(i, &options, &cell); i++) {
		struct rwi_seed_outcome outcome = { .fault = "" };

		shorten(&cell);
		if (!part->run(&cell, design, &options, &outcome)) {
			if (!caught || !strstr(outcome.fault, "beside a wri"))
				fail(outcome.fault, cell.name, design->name);
			continue;
		}
		if (caught)
			fail("not caught", cell.name, design->name);
		for (unsigned k = 0; part->values[k]; k++)
			if (!isfinite(outcome.value[k]))
				fail(part->values[k], cell.name, design->name);
		if (!(outcome.value[0] > 0))
			fail("nothing measured", cell.name, design->name);
	}
}

static void run_all(const char *name, bool caught)
{
	const struct rwi_design *design = rwi_lock_find(name);

	if (!design) {
		fail("is not there", "lock", name);
		return;
	}
	run_cells(&rwi_seed_part_2014, shorten_2014, design, caught);
	run_cells(&rwi_seed_part_2013_spin, shorten_aim7, design, caught);
	run_cells(&rwi_seed_part_aim7_2014, shorten_aim7, design, caught);
}

/* All lists and locks are there. */
static void test_names(const struct rwi_seed_part *part)
{
	for (unsigned i = 0; part->locks[i]; i++)
		if (!rwi_lock_find(part->locks[i]))
			fail("no such lock", part->name, part->locks[i]);
}

/* Long enough to lose the CPU in many sections. */
static void test_none(void)
{
	const struct rwi_aim7_load load = { rwi_aim7_mix_find("custom"), 16, 1,
					    1000, 1 };
	struct rwi_aim7_result result;
	const char *fault;
	bool stuck;

	fault = rwi_aim7_run(&load, rwi_lock_find("rmw-pair"), &result, &stuck);
	if (!fault || !strstr(fault, "two writers"))
		fail(fault ? fault : "not caught", "custom", "rmw-pair");
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--caught")) {
		run_all("busted-exclusion", true);
		test_none();
		return faults != 0;
	}
	test_tables();
	test_trees();
	test_names(&rwi_seed_part_2014);
	test_names(&rwi_seed_part_2013_spin);
	test_names(&rwi_seed_part_aim7_2014);
	test_counts(rwi_lock_find("rwsem"), 400, 1);
	test_counts(rwi_lock_find("rwsem"), 37, 40);
	test_counts(rwi_lock_find("long-2014-mutex"), 1000, 3);
	run_all("rwsem", false);
	run_all("long-2014", false);
	run_all("chen-2013", false);
	return faults != 0;
}
