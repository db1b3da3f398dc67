/* SPDX-License-Identifier: MIT */
/*
 * The microbenchmark of 2014: every thread takes the lock and gives it back a
 * million times.  The message does not say in which order reads and writes
 * come; here each thread makes its reads one after another, then its write.
 *
 * Inside is the message's load: 1, 5 or 10 instructions for waiting loops.
 * These took some 4.5 ns each on its processors, and take another time on each
 * later one, so that the load is as many nanoseconds of multiplications.
 * Now and then a section counts as well, and so tells if the lock excluded;
 * often would add to the load what moving a cache line takes.
 */
#define _GNU_SOURCE /* CLOCK_PROCESS_CPUTIME_ID */
#include "bench/clock.h"
#include "bench/locks.h"
#include "bench/section.h"
#include "bench/seeds/2014_figures.h"
#include "bench/seeds/crew.h"
#include "bench/seeds/exclusion.h"
#include "bench/seeds/seed.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 1000000, SHORTER_2 = 4, SHORTER_10 = 10 };

/* One section of so many counts: a prime, to meet reads and writes alike. */
enum { COUNTS_EVERY = 61 };

enum { PATIENCE_S = 300 };

/* Of the message's processors. */
static const double pause_ns = 4.5;

enum parameter { READS_A_WRITE, PAUSES, PAIRS_A_THREAD };

enum value { MS_PER_MILLION, REAL_S, CPU_S, LOAD_NS, VALUES };

static const char *const values[] = {
	"ms_per_million", "real_s", "cpu_s", "load_ns", NULL,
};
_Static_assert(sizeof values / sizeof values[0] == VALUES + 1, "their names");
_Static_assert((int)VALUES <= (int)RWI_SEED_VALUES_MAX, "too many");

/* ---- What the threads do ---- */

struct test {
	const struct rwi_design *design;
	void *lock;
	long reads;     /* before each write */
	uint64_t load;  /* steps of work */
	unsigned pairs; /* of each thread */
	/* Guarded by the lock; atomic only for locks that fail. */
	_Alignas(128) atomic_ulong first;
	atomic_ulong second;
};

struct seat {
	_Alignas(128) struct test *test;
	unsigned until_counted;
	unsigned long counted; /* writes that did */
	bool saw_half;
};

static unsigned long look_at(const atomic_ulong *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static void add_one(atomic_ulong *counter)
{
	atomic_store_explicit(counter, look_at(counter) + 1,
			      memory_order_relaxed);
}

static bool counts_now(struct seat *s)
{
	if (--s->until_counted)
		return false;
	s->until_counted = COUNTS_EVERY;
	return true;
}

static inline void read_once(struct seat *s, struct test *t)
{
	const bool counts = counts_now(s);
	unsigned long first = 0;

	t->design->down_read(t->lock);
	if (counts)
		first = look_at(&t->first);
	rwi_work(t->load);
	if (counts && look_at(&t->second) != first)
		s->saw_half = true;
	t->design->up_read(t->lock);
}

static inline void write_once(struct seat *s, struct test *t)
{
	const bool counts = counts_now(s);

	t->design->down_write(t->lock);
	if (counts)
		add_one(&t->first);
	rwi_work(t->load);
	if (counts)
		add_one(&t->second);
	t->design->up_write(t->lock);
	s->counted += counts;
}

static void take_and_give(void *argument)
{
	struct seat *s = argument;
	struct test *t = s->test;
	long reads = t->reads;

	for (unsigned i = 0; i < t->pairs; i++) {
		if (reads--) {
			read_once(s, t);
		} else {
			write_once(s, t);
			reads = t->reads;
		}
	}
}

/* ---- A run ---- */

/* Everything of one run, in one piece that threads which are stuck keep. */
struct run {
	struct test test;
	struct seat seats[];
};

static struct run *new_run(const struct rwi_seed_cell *cell,
			   const struct rwi_design *design)
{
	const size_t size =
	    sizeof(struct run) + cell->threads * sizeof(struct seat);
	struct run *r = aligned_alloc(_Alignof(struct run), size);

	if (!r)
		return NULL;
	memset(r, 0, size);
	r->test.design = design;
	r->test.lock = rwi_lock_new(design);
	r->test.reads = cell->parameter[READS_A_WRITE];
	r->test.pairs = (unsigned)cell->parameter[PAIRS_A_THREAD];
	r->test.load = (uint64_t)(pause_ns * (double)cell->parameter[PAUSES] /
				      rwi_work_ns() +
				  0.5);
	for (unsigned i = 0; i < cell->threads; i++) {
		r->seats[i].test = &r->test;
		r->seats[i].until_counted = 1 + i;
	}
	if (r->test.lock)
		return r;
	free(r);
	return NULL;
}

/* Null if every write was counted and no reader saw half of one. */
static const char *judge(const struct run *r, unsigned threads)
{
	unsigned long counted = 0;

	for (unsigned i = 0; i < threads; i++) {
		if (r->seats[i].saw_half)
			return "a reader was in beside a writer";
		counted += r->seats[i].counted;
	}
	if (look_at(&r->test.first) != counted ||
	    look_at(&r->test.second) != counted)
		return "two writers were in at once";
	return NULL;
}

static const char *measure(struct run *r, unsigned threads, double *value,
			   bool *stuck)
{
	const struct rwi_crew crew = { .threads = threads,
				       .work = take_and_give,
				       .seats = r->seats,
				       .seat_size = sizeof r->seats[0],
				       .patience_s = PATIENCE_S };
	const double cpu_s = rwi_time_s(CLOCK_PROCESS_CPUTIME_ID);
	const char *fault;
	double elapsed_s;
	const int error = rwi_crew_run(&crew, &elapsed_s);

	*stuck = error == ETIMEDOUT;
	if (error)
		return *stuck ? "stuck" : "no threads";
	value[MS_PER_MILLION] = 1e9 * elapsed_s / r->test.pairs;
	value[REAL_S] = elapsed_s;
	value[CPU_S] = rwi_time_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s;
	value[LOAD_NS] = (double)r->test.load * rwi_work_ns();
	fault = judge(r, threads);
	if (!fault)
		fault =
		    rwi_exclusion_fault(r->test.design, r->test.lock, stuck);
	return fault;
}

static bool run(const struct rwi_seed_cell *cell,
		const struct rwi_design *design,
		const struct rwi_seed_options *options,
		struct rwi_seed_outcome *outcome)
{
	struct run *r = new_run(cell, design);
	const char *fault = "no memory";
	bool stuck = false;

	(void)options; /* the cell has its sizes already */
	if (r)
		fault = measure(r, cell->threads, outcome->value, &stuck);
	if (fault)
		snprintf(outcome->fault, sizeof outcome->fault, "%s", fault);
	if (r && !stuck) {
		rwi_lock_free(design, r->test.lock);
		free(r);
	}
	return !fault;
}

/* ---- The part ---- */

/*
 * What a pair takes here, in the mean of the locks, and what the checks at the
 * end do: a guess of how long a run will be.
 */
static const double pair_ns = 120, checks_s = 0.015;

static const long reads_a_write[] = { 0, 1, 10 };
static const unsigned threads[] = { 2, 10 };
static const long pauses[] = { 1, 5, 10 };

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* The message's order: by threads, then by mixes, then by loads. */
static bool cell(unsigned place, const struct rwi_seed_options *options,
		 struct rwi_seed_cell *cell)
{
	const size_t load = place % LENGTH(pauses);
	const size_t mix = place / LENGTH(pauses) % LENGTH(reads_a_write);
	const size_t crowd = place / LENGTH(pauses) / LENGTH(reads_a_write);
	long pairs = PAIRS;

	if (crowd >= LENGTH(threads))
		return false;
	if (!options->full)
		pairs /= threads[crowd] == 2 ? SHORTER_2 : SHORTER_10;
	*cell = (struct rwi_seed_cell){
		.threads = threads[crowd],
		.parameter = { [READS_A_WRITE] = reads_a_write[mix],
			       [PAUSES] = pauses[load],
			       [PAIRS_A_THREAD] = pairs },
		.seconds =
		    1e-9 * pair_ns * (double)pairs * threads[crowd] + checks_s,
	};
	snprintf(cell->name, sizeof cell->name, "%ld:1-%u-%ld",
		 reads_a_write[mix], threads[crowd], pauses[load]);
	return true;
}

static const char *const locks[] = {
	"long-2014-mutex", "bueso-2014", "long-2014", "rwsem",
	"rwsem-inline",    "glibc",      NULL,
};

static const char few_cpus[] = "ten threads had ten CPUs there";

/* The message's numbers: before and after its patches, load by load. */
#define FASTER(cell, after, before, why)                                       \
	{                                                                      \
		"readers that spin and writers that spin again are faster",    \
		    cell, "long-2014", cell, "bueso-2014", (after) / (before), \
		    why                                                        \
	}
/* The mutex has no readers: the message has it once for all mixes. */
#define BEATS_MUTEX(cell, after, mutex_cell, mutex, why)                       \
	{                                                                      \
		"the semaphore is now faster than the mutex", cell,            \
		    "long-2014", mutex_cell, "long-2014-mutex",                \
		    (after) / (mutex), why                                     \
	}

static const struct rwi_seed_claim claims[] = {
	FASTER("0:1-2-1", 161.1, 339.4, NULL),
	FASTER("0:1-2-5", 244.4, 368.9, NULL),
	FASTER("0:1-2-10", 271.4, 394.0, NULL),
	FASTER("1:1-2-1", 188.8, 2915.0, NULL),
	FASTER("1:1-2-5", 212.4, 2621.0, NULL),
	FASTER("1:1-2-10", 312.9, 2764.0, NULL),
	FASTER("10:1-2-1", 168.8, 891.2, NULL),
	FASTER("10:1-2-5", 179.5, 779.2, NULL),
	FASTER("10:1-2-10", 209.8, 827.2, NULL),
	FASTER("0:1-10-1", 1306.0, 5618.0, few_cpus),
	FASTER("0:1-10-5", 1733.0, 5722.0, few_cpus),
	FASTER("0:1-10-10", 1998.0, 5683.0, few_cpus),
	FASTER("1:1-10-1", 1512.0, 14562.0, few_cpus),
	FASTER("1:1-10-5", 1602.0, 14561.0, few_cpus),
	FASTER("1:1-10-10", 2093.0, 14770.0, few_cpus),
	FASTER("10:1-10-1", 1267.0, 5914.0, few_cpus),
	FASTER("10:1-10-5", 1458.0, 5971.0, few_cpus),
	FASTER("10:1-10-10", 2233.0, 5912.0, few_cpus),
	BEATS_MUTEX("0:1-2-1", 161.1, "0:1-2-1", 530.7, NULL),
	BEATS_MUTEX("0:1-2-5", 244.4, "0:1-2-5", 406.0, NULL),
	BEATS_MUTEX("0:1-2-10", 271.4, "0:1-2-10", 472.7, NULL),
	BEATS_MUTEX("1:1-2-1", 188.8, "0:1-2-1", 530.7, NULL),
	BEATS_MUTEX("1:1-2-5", 212.4, "0:1-2-5", 406.0, NULL),
	BEATS_MUTEX("1:1-2-10", 312.9, "0:1-2-10", 472.7, NULL),
	BEATS_MUTEX("10:1-2-1", 168.8, "0:1-2-1", 530.7, NULL),
	BEATS_MUTEX("10:1-2-5", 179.5, "0:1-2-5", 406.0, NULL),
	BEATS_MUTEX("10:1-2-10", 209.8, "0:1-2-10", 472.7, NULL),
	BEATS_MUTEX("0:1-10-1", 1306.0, "0:1-10-1", 1848.0, few_cpus),
	BEATS_MUTEX("0:1-10-5", 1733.0, "0:1-10-5", 2046.0, few_cpus),
	BEATS_MUTEX("0:1-10-10", 1998.0, "0:1-10-10", 4394.0, few_cpus),
	BEATS_MUTEX("1:1-10-1", 1512.0, "0:1-10-1", 1848.0, few_cpus),
	BEATS_MUTEX("1:1-10-5", 1602.0, "0:1-10-5", 2046.0, few_cpus),
	BEATS_MUTEX("1:1-10-10", 2093.0, "0:1-10-10", 4394.0, few_cpus),
	BEATS_MUTEX("10:1-10-1", 1267.0, "0:1-10-1", 1848.0, few_cpus),
	BEATS_MUTEX("10:1-10-5", 1458.0, "0:1-10-5", 2046.0, few_cpus),
	BEATS_MUTEX("10:1-10-10", 2233.0, "0:1-10-10", 4394.0, few_cpus),
	{ 0 },
};

const struct rwi_seed_part rwi_seed_part_2014 = {
	.name = "2014",
	.title = "a million times lock and unlock a thread, cells by "
		 "reads:writes, threads and load in pauses; shortened runs "
		 "make a quarter of the pairs (two threads) or a tenth (ten), "
		 "and times are scaled to a million",
	.message = "Long, linux-kernel, August 2014; 4 sockets with 40 cores",
	.locks = locks,
	.values = values,
	.less_is_better = true,
	.rounds = 3,
	.cell = cell,
	.run = run,
	.claims = claims,
	.figures = rwi_seed_2014_figures,
};
