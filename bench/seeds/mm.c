/* SPDX-License-Identifier: MIT */
/*
 * will-it-scale's tests of page faults, mappings and the heap, in the form in
 * which threads share one address space, and a mix of two of them.
 *
 * They are the ones by which a kernel's semaphore is judged as the lock of an
 * address space.  A test is a loop, and each thread counts what it did in the
 * time after a warm-up.  When that is over it leaves its last mapping in place:
 * what all have left is looked at, and unmapped, in the end.
 *
 *	page_fault1  map memory, touch each page, unmap it; counts touches
 *	page_fault2  the same with a private mapping of a file, ...
 *	page_fault3  ... and with a shared one
 *	mmap1        map memory, unmap it; counts mappings
 *	mmap2        the same with a file
 *	brk1         a page more of heap, and a page less; counts calls
 *	brk2         the same with a heap that is never empty
 *	malloc1      map memory, touch the first page, unmap it; counts mappings
 *	mixed        half of the threads do page_fault1, half mmap1; counts both
 */
#define _GNU_SOURCE /* clock_gettime */
#include "bench/clock.h"
#include "bench/locks.h"
#include "bench/seeds/address_space.h"
#include "bench/seeds/crew.h"
#include "bench/seeds/exclusion.h"
#include "bench/seeds/mm_figures.h"
#include "bench/seeds/seed.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum parameter { TEST, PAGES, WARMUP_MS, MEASURED_MS };
enum value { OPS_PER_S, FAULTS_PER_S, CALLS_PER_S, LEAST_SHARE, VALUES };
static const char *const values[] = { "ops_per_s", "faults_per_s",
				      "calls_per_s", "least_share", NULL };
_Static_assert(sizeof values / sizeof values[0] == VALUES + 1, "their names");
_Static_assert((int)VALUES <= (int)RWI_SEED_VALUES_MAX, "too many");

/* Entering a page fault and leaving it, outside of the lock. */
enum { EXCEPTION_NS = 300 };

enum { PATIENCE_S = 100, FIRST_PAGE = 1, EVERY_PAGE = -1 };

/* ---- The tests ---- */

enum backing { MEMORY, PRIVATE_FILE, SHARED_FILE, HEAP };

struct test {
	const char *name;
	enum backing backing;
	int touches;   /* pages of each mapping */
	int base_heap; /* pages that are there all the time */
	unsigned threads_min;
	bool full_only;
};

static const struct test tests[] = {
	{ "page_fault1", MEMORY, EVERY_PAGE, 0, 1, false },
	{ "page_fault2", PRIVATE_FILE, EVERY_PAGE, 0, 1, true },
	{ "page_fault3", SHARED_FILE, EVERY_PAGE, 0, 1, true },
	{ "mmap1", MEMORY, 0, 0, 1, false },
	{ "mmap2", SHARED_FILE, 0, 0, 1, true },
	{ "brk1", HEAP, 0, 0, 1, true },
	{ "brk2", HEAP, 0, 1, 1, false },
	{ "malloc1", MEMORY, FIRST_PAGE, 0, 1, false },
	{ "mixed", MEMORY, EVERY_PAGE, 0, 2, false },
};
enum { TESTS = sizeof tests / sizeof tests[0] };

static const unsigned thread_counts[] = { 1, 2, 4, 8, 16, 32 };
enum { THREAD_COUNTS = 6, THREAD_COUNTS_SHORT = 4 };

static void fill_cell(struct rwi_seed_cell *cell, unsigned test,
		      unsigned threads, bool full)
{
	*cell = (struct rwi_seed_cell){
		.threads = threads,
		.parameter = { [TEST] = test,
			       [PAGES] = full ? 32768 : 4096,
			       [WARMUP_MS] = full ? 1000 : 50,
			       [MEASURED_MS] = full ? 5000 : 200 },
	};
	/* Whether the lock excludes is tried for a while, too. */
	cell->seconds = 0.02 + 1e-3 * (double)(cell->parameter[WARMUP_MS] +
					       cell->parameter[MEASURED_MS]);
	snprintf(cell->name, sizeof cell->name, "%s-%u", tests[test].name,
		 threads);
}

static bool cell_at(unsigned place, const struct rwi_seed_options *options,
		    struct rwi_seed_cell *cell)
{
	const bool full = options->full;
	const unsigned counts = full ? THREAD_COUNTS : THREAD_COUNTS_SHORT;

	for (unsigned test = 0; test < TESTS; test++) {
		if (tests[test].full_only && !full)
			continue;
		for (unsigned i = 0; i < counts; i++) {
			if (thread_counts[i] < tests[test].threads_min)
				continue;
			if (place--)
				continue;
			fill_cell(cell, test, thread_counts[i], full);
			return true;
		}
	}
	return false;
}

/* ---- What the threads do ---- */

struct shared {
	struct rwi_space *space;
	uint32_t pages; /* of each mapping */
	double warmup_s, measured_s;
	/* When the first thread began; all measure the same time. */
	_Atomic double begin_s;
};

struct counts {
	uint64_t faults, calls;
	double at_s;
};

struct seat {
	_Alignas(128) struct shared *shared;
	enum backing backing;
	uint32_t touches; /* pages of each mapping */
	struct rwi_space_file *file;
	unsigned char *memory;
	bool measures;
	struct counts begin, end;
	struct counts now;
	/* Left behind. */
	uint32_t first, present;
	const char *wrong;
};

/* The time is over, or this thread has seen something wrong. */
static bool is_over(struct seat *seat)
{
	const struct shared *sh = seat->shared;
	const double now =
	    rwi_time_s(CLOCK_MONOTONIC) -
	    atomic_load_explicit(&sh->begin_s, memory_order_relaxed);

	if (!seat->measures && now >= sh->warmup_s) {
		seat->measures = true;
		seat->begin = seat->now;
		seat->begin.at_s = now;
	}
	if (seat->wrong || rwi_space_wrong(sh->space))
		return true;
	if (now < sh->warmup_s + sh->measured_s)
		return false;
	seat->end = seat->now;
	seat->end.at_s = now;
	return true;
}

/* Returns false if the time is over. */
static bool touch_page(struct seat *seat, uint32_t page)
{
	struct rwi_space *space = seat->shared->space;
	const double entered = rwi_time_s(CLOCK_MONOTONIC);

	rwi_space_spend(entered, 0.5 * (double)EXCEPTION_NS);
	if (rwi_space_touch(space, page, seat->file, seat->memory) !=
	    RWI_TOUCH_ENTERED)
		seat->wrong = "a page was not mapped, or there before";
	rwi_space_spend(rwi_time_s(CLOCK_MONOTONIC),
			0.5 * (double)EXCEPTION_NS);
	seat->now.faults++;
	seat->present++;
	return !is_over(seat);
}

/* Returns false if the time is over. */
static bool map_and_unmap(struct seat *seat)
{
	const struct shared *sh = seat->shared;
	uint32_t dropped;

	if (!rwi_space_map(sh->space, sh->pages, seat->file, &seat->first)) {
		seat->wrong = "there was no room for a mapping";
		return false;
	}
	seat->present = 0;
	for (uint32_t i = 0; i < seat->touches; i++)
		if (!touch_page(seat, seat->first + i))
			return false;
	if (is_over(seat))
		return false;
	if (!rwi_space_unmap(sh->space, seat->first, sh->pages, seat->file,
			     &dropped))
		seat->wrong = "a mapping could not be unmapped";
	else if (dropped != seat->present)
		seat->wrong = "pages were lost";
	seat->now.calls++;
	return true;
}

static bool grow_and_shrink(struct seat *seat)
{
	struct rwi_space *space = seat->shared->space;

	if (!rwi_space_break(space, 1)) {
		seat->wrong = "the heap could not grow";
		return false;
	}
	seat->now.calls++;
	if (is_over(seat))
		return false;
	if (!rwi_space_break(space, -1))
		seat->wrong = "the heap could not shrink";
	seat->now.calls++;
	return true;
}

static void work(void *argument)
{
	struct seat *seat = argument;
	double nothing = 0;

	atomic_compare_exchange_strong(&seat->shared->begin_s, &nothing,
				       rwi_time_s(CLOCK_MONOTONIC));
	if (seat->backing == HEAP)
		while (grow_and_shrink(seat))
			;
	else
		while (map_and_unmap(seat))
			;
}

/* ---- What they left ---- */

/* Mappings, one of each thread, that do not follow another make an area. */
static uint32_t areas_left(const struct seat *seats, unsigned threads,
			   uint32_t pages)
{
	uint32_t areas = 0;

	for (unsigned i = 0; i < threads; i++) {
		bool follows = false;

		for (unsigned j = 0; j < threads; j++)
			follows |= seats[j].first + pages == seats[i].first;
		areas += !follows;
	}
	return areas;
}

static const char *judge_heap(const struct rwi_space *space, uint32_t heap_size)
{
	const uint32_t heap = rwi_space_heap(space);
	uint32_t start, end;

	if (rwi_space_areas(space) != 1 ||
	    !rwi_space_area(space, heap, &start, &end))
		return "there are other areas than the heap";
	if (start != heap || end != heap + heap_size)
		return "the heap is not as large as it was made";
	return NULL;
}

static const char *judge_mappings(struct shared *sh, const struct seat *seats,
				  unsigned threads)
{
	uint32_t present = 0, dropped, start, end;

	for (unsigned i = 0; i < threads; i++) {
		const uint32_t first = seats[i].first;

		present += seats[i].present;
		if (!rwi_space_area(sh->space, first, &start, &end) ||
		    start > first || end < first + sh->pages)
			return "a mapping that was left is not there";
	}
	if (rwi_space_areas(sh->space) != areas_left(seats, threads, sh->pages))
		return "there are not as many areas as were left";
	if (rwi_space_pages_present(sh->space) != present)
		return "there are not as many pages as were touched";
	for (unsigned i = 0; i < threads; i++)
		if (!rwi_space_unmap(sh->space, seats[i].first, sh->pages,
				     seats[i].file, &dropped) ||
		    dropped != seats[i].present)
			return "a mapping that was left lost pages";
	if (rwi_space_areas(sh->space) || rwi_space_pages_present(sh->space))
		return "something is left when all is unmapped";
	return NULL;
}

/* Null if all is right. */
static const char *judge(struct shared *sh, const struct seat *seats,
			 const struct test *test, unsigned threads)
{
	const char *wrong = rwi_space_wrong(sh->space);

	for (unsigned i = 0; !wrong && i < threads; i++)
		wrong = seats[i].wrong;
	if (!wrong)
		wrong = rwi_space_check(sh->space);
	if (!wrong && test->backing == HEAP)
		wrong =
		    judge_heap(sh->space, (uint32_t)test->base_heap + threads);
	else if (!wrong)
		wrong = judge_mappings(sh, seats, threads);
	return wrong ? wrong : rwi_space_check(sh->space);
}

static double rate(uint64_t begin, uint64_t end, double seconds)
{
	return seconds > 0 ? (double)(end - begin) / seconds : 0;
}

static void sum_up(const struct seat *seats, unsigned threads, double *value)
{
	double least = 0;

	for (unsigned i = 0; i < VALUES; i++)
		value[i] = 0;
	for (unsigned i = 0; i < threads; i++) {
		const struct counts *b = &seats[i].begin, *e = &seats[i].end;
		const double s = e->at_s - b->at_s;
		const double faults = rate(b->faults, e->faults, s);
		const double calls = rate(b->calls, e->calls, s);
		/* What a thread does with all pages is about its faults. */
		const double ops = seats[i].touches > 1 ? faults : calls;

		value[OPS_PER_S] += ops;
		value[FAULTS_PER_S] += faults;
		value[CALLS_PER_S] += calls;
		if (!i || ops < least)
			least = ops;
	}
	if (value[OPS_PER_S] > 0)
		value[LEAST_SHARE] = least * threads / value[OPS_PER_S];
}

/* ---- A run ---- */

/* Everything of one run, in one piece that threads which are stuck keep. */
struct run {
	struct shared shared;
	unsigned threads;
	unsigned char *memory;
	struct seat seats[];
};

static void free_run(struct run *run)
{
	for (unsigned i = 0; i < run->threads; i++)
		rwi_space_file_free(run->seats[i].file);
	rwi_space_free(run->shared.space);
	free(run->memory);
	free(run);
}

static bool furnish_seat(struct run *run, unsigned place,
			 const struct test *test,
			 const struct rwi_design *design)
{
	struct seat *seat = &run->seats[place];
	int touches = test->touches;

	/* Of the mixed test, the second half touches nothing. */
	if (test->threads_min > 1 && place >= run->threads / 2)
		touches = 0;
	seat->shared = &run->shared;
	seat->backing = test->backing;
	seat->touches =
	    touches == EVERY_PAGE ? run->shared.pages : (uint32_t)touches;
	seat->memory = run->memory + (size_t)place * RWI_PAGE_SIZE;
	if (test->backing != PRIVATE_FILE && test->backing != SHARED_FILE)
		return true;
	seat->file = rwi_space_file_new(design, test->backing == SHARED_FILE);
	return seat->file;
}

/* Null with errno set. */
static struct run *furnish(const struct rwi_seed_cell *cell,
			   const struct rwi_design *design)
{
	const struct test *test = &tests[cell->parameter[TEST]];
	const size_t size =
	    sizeof(struct run) + cell->threads * sizeof(struct seat);
	struct run *run = aligned_alloc(_Alignof(struct run), size);
	bool done;

	if (!run)
		return NULL;
	memset(run, 0, size);
	run->threads = cell->threads;
	run->shared.pages = (uint32_t)cell->parameter[PAGES];
	run->shared.warmup_s = 1e-3 * (double)cell->parameter[WARMUP_MS];
	run->shared.measured_s = 1e-3 * (double)cell->parameter[MEASURED_MS];
	/* An area each, and one more for a moment. */
	run->shared.space =
	    rwi_space_new(design, run->shared.pages * cell->threads,
			  cell->threads + 1, &rwi_space_kernel_costs);
	run->memory = malloc((size_t)cell->threads * RWI_PAGE_SIZE);
	done = run->shared.space && run->memory &&
	       (!test->base_heap ||
		rwi_space_break(run->shared.space, test->base_heap));
	for (unsigned i = 0; done && i < cell->threads; i++)
		done = furnish_seat(run, i, test, design);
	if (done)
		return run;
	free_run(run);
	return NULL;
}

/* Returns null, or what went wrong; if threads are *stuck, all is in use. */
static const char *run_and_judge(struct run *run, const struct test *test,
				 const struct rwi_design *design, double *value,
				 bool *stuck)
{
	const struct rwi_crew crew = {
		.threads = run->threads,
		.work = work,
		.seats = run->seats,
		.seat_size = sizeof run->seats[0],
		.patience_s = run->shared.measured_s + (double)PATIENCE_S,
	};
	const char *wrong;
	double elapsed_s;
	const int error = rwi_crew_run(&crew, &elapsed_s);

	*stuck = error == ETIMEDOUT;
	if (*stuck)
		return "threads are stuck";
	if (error)
		return "the system has no more threads";
	wrong = judge(&run->shared, run->seats, test, run->threads);
	if (!wrong)
		wrong = rwi_exclusion_fault(
		    design, rwi_space_lock(run->shared.space), stuck);
	if (!wrong)
		sum_up(run->seats, run->threads, value);
	return wrong;
}

static bool run(const struct rwi_seed_cell *cell,
		const struct rwi_design *design,
		const struct rwi_seed_options *options,
		struct rwi_seed_outcome *outcome)
{
	const struct test *test = &tests[cell->parameter[TEST]];
	const char *wrong;
	struct run *r;
	bool stuck = false;

	(void)options;
	if (!design || !rwi_lock_serves(design, 1, 1)) {
		snprintf(outcome->fault, sizeof outcome->fault,
			 "an address space needs a lock");
		return false;
	}
	r = furnish(cell, design);
	wrong = r ? run_and_judge(r, test, design, outcome->value, &stuck)
		  : "there is no memory for it";
	if (wrong)
		snprintf(outcome->fault, sizeof outcome->fault, "%s", wrong);
	if (r && !stuck)
		free_run(r);
	return !wrong;
}

/* ---- The part ---- */

static const char *const locks[] = { "lespinasse-2013-fast",
				     "bueso-2014",
				     "long-2019",
				     "long-2020",
				     "zijlstra-2020-percpu",
				     "glibc",
				     "mutex",
				     "rwsem",
				     NULL };

/*
 * The message's 80 threads are on 80 hardware threads; the most crowded cell of
 * the short form is the nearest.
 */
static const struct rwi_seed_claim claims[] = {
	{ .says = "readers that spin, with all CPUs busy, cost page faults",
	  .cell_a = "page_fault1-8",
	  .lock_a = "long-2019",
	  .cell_b = "page_fault1-8",
	  .lock_b = "long-2020",
	  .ratio = 8107025.0 / 9508864.0,
	  .reason = "the message has 80 CPUs, and its kernel whose readers do "
		    "not spin yet does not let them steal either" },
	{ 0 },
};

const struct rwi_seed_part rwi_seed_part_mm = {
	.name = "mm",
	.title = "an address space under one lock; page_fault2, page_fault3, "
		 "mmap2, brk1 and more threads with --full",
	.message = "Long, linux-kernel, May 2019; 2 sockets, 40 cores, "
		   "80 threads, Skylake",
	.locks = locks,
	.values = values,
	.rounds = 3,
	.cell = cell_at,
	.run = run,
	.claims = claims,
	.figures = rwi_seed_mm_figures,
};
