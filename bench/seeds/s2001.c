/* SPDX-License-Identifier: MIT */
/*
 * The tests of 2001: so many threads read, so many write, for some seconds.
 *
 * They came with the kernel's first rwsem (Howells, rwsem-test), and the
 * message compares four semaphores by them.  Each thread takes the lock, counts
 * itself in shared memory, looks who else is in, does it all backwards, and
 * begins again.  So what bounces between two readers is these counters as much
 * as the lock, and that r2 has fewer reads than r1 is not the lock's fault
 * alone.  `rwsem bench` has the same threads without those counters.
 *
 * The message's own rw, here rw-aa, has many more threads, and one that has
 * used up its tick gives its CPU away while it holds the lock: in the kernel,
 * where nothing else could take it away.
 */
#define _GNU_SOURCE /* clock_nanosleep, sched_yield */
#include "bench/clock.h"
#include "bench/locks.h"
#include "bench/seeds/2001_figures.h"
#include "bench/seeds/crew.h"
#include "bench/seeds/exclusion.h"
#include "bench/seeds/seed.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum parameter { READERS, MILLISECONDS, SCALED_TO_S, YIELDS };

enum value { PER_S, READS, WRITES, REAL_S, VALUES };
static const char *const values[] = { "per_s", "reads", "writes", "real_s",
				      NULL };
_Static_assert(sizeof values / sizeof values[0] == VALUES + 1, "their names");
_Static_assert((int)VALUES <= (int)RWI_SEED_VALUES_MAX, "too many");

enum { SHORT_MS = 1000, MS_A_S = 1000, PATIENCE_S = 20, OWN_LINES = 128 };

/* ---- What the threads do ---- */

/* On one line, as they were. */
struct counters {
	_Alignas(OWN_LINES) atomic_uint readers, writers; /* who are in */
	atomic_uint_least64_t reads, writes;              /* taken */
};

struct test {
	const struct rwi_design *design;
	void *lock;
	double seconds;
	uint64_t tick; /* in rwi_ticks(): who ran so long yields; 0: never */
	struct counters counters;
	_Alignas(OWN_LINES) atomic_bool stop;
};

enum role { READER, WRITER, TIMER };

struct seat {
	_Alignas(OWN_LINES) struct test *test;
	enum role role;
	uint64_t began; /* to run, in ticks */
	uint64_t taken;
	const char *fault;
};

static void yield_after_a_tick(struct seat *seat)
{
	const struct test *test = seat->test;

	if (test->tick && rwi_ticks() - seat->began > test->tick) {
		sched_yield();
		seat->began = rwi_ticks();
	}
}

static void read_once(struct seat *seat)
{
	struct test *test = seat->test;
	struct counters *c = &test->counters;

	test->design->down_read(test->lock);
	atomic_fetch_add(&c->readers, 1);
	atomic_fetch_add(&c->reads, 1);
	if (atomic_load(&c->writers))
		seat->fault = "a reader came in beside a writer";
	yield_after_a_tick(seat);
	if (atomic_load(&c->writers))
		seat->fault = "a writer came in beside a reader";
	atomic_fetch_sub(&c->readers, 1);
	test->design->up_read(test->lock);
}

static void look(struct seat *seat)
{
	const struct counters *c = &seat->test->counters;

	if (atomic_load(&c->writers) != 1)
		seat->fault = "two writers were in at once";
	else if (atomic_load(&c->readers))
		seat->fault = "a reader was in beside a writer";
}

static void write_once(struct seat *seat)
{
	struct test *test = seat->test;
	struct counters *c = &test->counters;

	test->design->down_write(test->lock);
	atomic_fetch_add(&c->writers, 1);
	atomic_fetch_add(&c->writes, 1);
	look(seat);
	yield_after_a_tick(seat);
	look(seat);
	atomic_fetch_sub(&c->writers, 1);
	test->design->up_write(test->lock);
}

static void end_it(struct test *test)
{
	const time_t whole = (time_t)test->seconds;
	struct timespec left = { whole, (long)(1e9 * (test->seconds -
						      (double)whole)) };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
	atomic_store(&test->stop, true);
}

static void work(void *argument)
{
	struct seat *seat = argument;
	struct test *test = seat->test;

	if (seat->role == TIMER) {
		end_it(test);
		return;
	}
	seat->began = rwi_ticks();
	/* A fault ends the run for all, or it would be said a million times. */
	while (!atomic_load_explicit(&test->stop, memory_order_relaxed)) {
		if (seat->role == READER)
			read_once(seat);
		else
			write_once(seat);
		seat->taken++;
		if (seat->fault)
			atomic_store(&test->stop, true);
	}
}

/* ---- One run ---- */

/* How many ticks of the quick clock ten milliseconds have. */
static uint64_t ticks_of_10_ms(void)
{
	const double begin_s = rwi_time_s(CLOCK_MONOTONIC);
	const uint64_t begin = rwi_ticks();
	double now_s;

	do
		now_s = rwi_time_s(CLOCK_MONOTONIC);
	while (now_s - begin_s < 0.002);
	return (uint64_t)((double)(rwi_ticks() - begin) * 0.01 /
			  (now_s - begin_s));
}

/* A test and its seats, which a stuck crew keeps. */
struct run {
	struct test test;
	struct seat seats[];
};

static struct run *furnish(const struct rwi_seed_cell *cell,
			   const struct rwi_design *design)
{
	const size_t seats = cell->threads + 1;
	struct run *run = NULL;
	const size_t size = sizeof *run + seats * sizeof run->seats[0];

	run = aligned_alloc(OWN_LINES, size);
	if (!run)
		return NULL;
	memset(run, 0, size);
	run->test.design = design;
	run->test.lock = rwi_lock_new(design);
	if (!run->test.lock) {
		free(run);
		return NULL;
	}
	run->test.seconds =
	    (double)cell->parameter[MILLISECONDS] / (double)MS_A_S;
	if (cell->parameter[YIELDS])
		run->test.tick = ticks_of_10_ms();
	for (size_t i = 0; i < seats; i++) {
		run->seats[i].test = &run->test;
		run->seats[i].role = i == cell->threads ? TIMER
				     : i < (size_t)cell->parameter[READERS]
					 ? READER
					 : WRITER;
	}
	return run;
}

static const char *check(const struct run *run, unsigned threads)
{
	const struct counters *c = &run->test.counters;
	uint64_t taken[] = { [READER] = 0, [WRITER] = 0 };

	for (unsigned i = 0; i < threads; i++) {
		if (run->seats[i].fault)
			return run->seats[i].fault;
		taken[run->seats[i].role] += run->seats[i].taken;
	}
	if (atomic_load(&c->readers) || atomic_load(&c->writers))
		return "somebody is still in";
	if (taken[READER] != atomic_load(&c->reads) ||
	    taken[WRITER] != atomic_load(&c->writes))
		return "the counts do not add up";
	return NULL;
}

static const char *run_and_judge(struct run *run,
				 const struct rwi_seed_cell *cell,
				 double *value, bool *stuck)
{
	/*
	 * One thread more, which ends it: so a lone reader or writer is pinned
	 * where there are two CPUs, and crowds are not.
	 */
	const struct rwi_crew crew = { .threads = cell->threads + 1,
				       .work = work,
				       .seats = run->seats,
				       .seat_size = sizeof run->seats[0],
				       .patience_s = run->test.seconds +
						     (double)PATIENCE_S };
	const double scaled_to_s = (double)cell->parameter[SCALED_TO_S];
	double reads, writes, elapsed_s;
	const int error = rwi_crew_run(&crew, &elapsed_s);
	const char *wrong;

	*stuck = error == ETIMEDOUT;
	if (*stuck)
		return "a thread does not come out of the lock";
	if (error)
		return "the system has no more threads";
	wrong = check(run, cell->threads);
	if (!wrong)
		wrong = rwi_exclusion_fault(run->test.design, run->test.lock,
					    stuck);
	reads = (double)atomic_load(&run->test.counters.reads);
	writes = (double)atomic_load(&run->test.counters.writes);
	value[PER_S] = (reads + writes) / elapsed_s;
	value[READS] = reads * scaled_to_s / elapsed_s;
	value[WRITES] = writes * scaled_to_s / elapsed_s;
	value[REAL_S] = elapsed_s;
	return wrong;
}

static bool run(const struct rwi_seed_cell *cell,
		const struct rwi_design *design,
		const struct rwi_seed_options *options,
		struct rwi_seed_outcome *outcome)
{
	const char *wrong;
	struct run *r;
	bool stuck = false;

	(void)options;
	if (!design) {
		snprintf(outcome->fault, sizeof outcome->fault,
			 "its threads need a lock");
		return false;
	}
	r = furnish(cell, design);
	wrong = r ? run_and_judge(r, cell, outcome->value, &stuck)
		  : "there is no memory for it";
	if (wrong)
		snprintf(outcome->fault, sizeof outcome->fault, "%s", wrong);
	if (r && !stuck) {
		rwi_lock_free(design, r->test.lock);
		free(r);
	}
	return !wrong;
}

/* ---- The part ---- */

/* The message's, its rw-aa first, and three more of the test program. */
static const struct {
	const char *name;
	unsigned readers, writers;
	bool yields;
	long full_s; /* what the message took, or the program */
} cells[] = {
	{ "rw-aa", 31, 16, true, 50 }, { "r1", 1, 0, false, 5 },
	{ "r2", 2, 0, false, 5 },      { "ro", 4, 0, false, 5 },
	{ "w1", 0, 1, false, 5 },      { "wo", 0, 4, false, 5 },
	{ "rw", 4, 2, false, 5 },      { "worm", 30, 1, false, 10 },
	{ "xx", 30, 15, false, 50 },
};

static bool cell(unsigned place, const struct rwi_seed_options *options,
		 struct rwi_seed_cell *cell)
{
	/* Threads begin and end, and exclusion is tried at the end. */
	const double around_s = 0.03;
	long ms;

	if (place >= sizeof cells / sizeof cells[0])
		return false;
	ms = options->full ? cells[place].full_s * MS_A_S : SHORT_MS;
	*cell = (struct rwi_seed_cell){
		.threads = cells[place].readers + cells[place].writers,
		.parameter = { [READERS] = cells[place].readers,
			       [MILLISECONDS] = ms,
			       [SCALED_TO_S] = cells[place].full_s,
			       [YIELDS] = cells[place].yields },
		.seconds = (double)ms / (double)MS_A_S + around_s,
	};
	snprintf(cell->name, sizeof cell->name, "%s", cells[place].name);
	return true;
}

static const char *const locks[] = {
	"arcangeli-2001",
	"arcangeli-2001-call",
	"howells-2001-spinlock",
	"howells-2001-xadd",
	"rwsem",
	"rwsem-inline",
	NULL,
};

#define INLINED   "arcangeli-2001"
#define CALLED    "arcangeli-2001-call"
#define SPINLOCK  "howells-2001-spinlock"
#define XADD      "howells-2001-xadd"
#define FASTER    "my C is faster than your C"
#define CONTENDED "under contention it is faster than your inlined assembly"
#define OTHERWISE "otherwise it is not"
#define INLINING  "and faster inlined than called"

/* Here a lock is called through its table, so what is inlined is so there. */
static const char counters_bound[] =
    "the table of operations and the shared counters cost more here than "
    "another call";
static const char no_interrupts[] = "no interrupts to switch off here";
static const char ticks[] =
    "a system that may take the CPU from a holder at any time";

/* Both tries in millions, reads and writes, of the first to the second. */
#define CLAIM(says, cell, a, a1, a2, b, b1, b2, why)                           \
	{                                                                      \
		says, cell, a, cell, b, ((a1) + (a2)) / ((b1) + (b2)), why     \
	}

/* clang-format off */
static const struct rwi_seed_claim claims[] = {
	CLAIM(FASTER, "rw-aa", INLINED, 9.854822, 9.724775,
	      SPINLOCK, 8.904861, 8.934928, ticks),
	CLAIM(FASTER, "r1", INLINED, 15.218540, 15.203915,
	      SPINLOCK, 13.079190, 13.104405, no_interrupts),
	CLAIM(FASTER, "r2", INLINED, 5.087253, 5.099084,
	      SPINLOCK, 3.907702, 3.906729, no_interrupts),
	CLAIM(FASTER, "ro", INLINED, 4.274607, 4.280280,
	      SPINLOCK, 3.005924, 3.006690, no_interrupts),
	CLAIM(FASTER, "w1", INLINED, 14.723159, 14.708296,
	      SPINLOCK, 12.581209, 12.570627, no_interrupts),
	CLAIM(FASTER, "wo", INLINED, 1.778713, 1.776248,
	      SPINLOCK, 1.376782, 1.328468, no_interrupts),
	CLAIM(CONTENDED, "rw-aa", INLINED, 9.854822, 9.724775,
	      XADD, 8.779254, 8.759406, ticks),
	CLAIM(CONTENDED, "wo", INLINED, 1.778713, 1.776248,
	      XADD, 0.814131, 0.815551, NULL),
	CLAIM(OTHERWISE, "r1", INLINED, 15.218540, 15.203915,
	      XADD, 16.935488, 16.930738, NULL),
	CLAIM(OTHERWISE, "r2", INLINED, 5.087253, 5.099084,
	      XADD, 5.646446, 5.651600, NULL),
	CLAIM(OTHERWISE, "ro", INLINED, 4.274607, 4.280280,
	      XADD, 4.952654, 4.956992, NULL),
	CLAIM(OTHERWISE, "w1", INLINED, 14.723159, 14.708296,
	      XADD, 15.432874, 15.408684, NULL),
	CLAIM(INLINING, "rw-aa", INLINED, 9.854822, 9.724775,
	      CALLED, 9.273879, 9.474664, counters_bound),
	CLAIM(INLINING, "r1", INLINED, 15.218540, 15.203915,
	      CALLED, 14.092045, 14.112771, counters_bound),
	CLAIM(INLINING, "r2", INLINED, 5.087253, 5.099084,
	      CALLED, 4.002635, 4.006940, counters_bound),
	CLAIM(INLINING, "ro", INLINED, 4.274607, 4.280280,
	      CALLED, 4.150747, 4.150279, counters_bound),
	CLAIM(INLINING, "w1", INLINED, 14.723159, 14.708296,
	      CALLED, 13.655019, 13.639011, counters_bound),
	CLAIM(INLINING, "wo", INLINED, 1.778713, 1.776248,
	      CALLED, 1.757065, 1.758623, counters_bound),
	{ 0 },
};
/* clang-format on */

const struct rwi_seed_part rwi_seed_part_2001 = {
	.name = "2001",
	.title =
	    "rwsem-test: threads that read and threads that write, counted "
	    "in shared memory; a second each (the message: 5, rw-aa 50), "
	    "and reads and writes are scaled to its duration",
	.message = "Arcangeli, linux-kernel, April 2001; two Pentium II of "
		   "450 MHz, Linux 2.4.4-pre6",
	.locks = locks,
	.values = values,
	.rounds = 2,
	.cell = cell,
	.run = run,
	.claims = claims,
	.figures = rwi_seed_2001_figures,
};
