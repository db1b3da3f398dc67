/* SPDX-License-Identifier: MIT */
/*
 * The mmap stresser of 2001: 50 threads change one address space.
 *
 * Each maps four pages, touches them, and unmaps the first, 500 times.  The
 * kernel has a lock for that, of which a change is a writer, and a page fault,
 * which is what a first touch is, a reader: two writes for four reads, and the
 * writes are as long as the reads.
 *
 * The address space here is one in user space, with the lock under test.  Its
 * mappings go to the lowest place that is wide enough, join their neighbours,
 * and are split again by what is unmapped, so in the end there is an area of
 * three pages for each loop of each thread, with a page between any two,
 * whatever the order was.
 *
 * Without a lock of ours the threads use the address space that they run in,
 * and so the kernel's own lock.  Today's kernels place mappings downwards,
 * where the next one fills the page that was freed, so there are few areas
 * then.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "bench/seeds/address_space.h"
#include "bench/seeds/crew.h"
#include "bench/seeds/exclusion.h"
#include "bench/seeds/seed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 50, LOOPS = 500, MAPPED = 4, KEPT = MAPPED - 1 };
enum { PATIENCE_S = 100 };

enum parameter { LOOPS_EACH };
enum value { REAL_S, SECTIONS_PER_S, AREAS, VALUES };
static const char *const values[] = { "real_s", "sections_per_s", "areas",
				      NULL };
_Static_assert(sizeof values / sizeof values[0] == VALUES + 1, "their names");
_Static_assert((int)VALUES <= (int)RWI_SEED_VALUES_MAX, "too many");

/* ---- What the threads do ---- */

struct stress {
	/*
	 * Without a downgrade: the kernel of 2001 held the lock for writing
	 * until a page was unmapped.
	 */
	struct rwi_design design;
	struct rwi_space *space; /* null: the kernel's */
	unsigned threads, loops;
};

struct seat {
	_Alignas(128) const struct stress *stress;
	unsigned char **pieces; /* in the kernel's address space */
	const char *wrong;
	unsigned char page[RWI_PAGE_SIZE];
};

static const char *map_touch_unmap(struct seat *seat)
{
	struct rwi_space *space = seat->stress->space;
	uint32_t first, dropped;

	if (!rwi_space_map(space, MAPPED, NULL, &first))
		return "no room for four pages";
	for (uint32_t i = 0; i < MAPPED; i++)
		if (rwi_space_touch(space, first + i, NULL, seat->page) !=
		    RWI_TOUCH_ENTERED)
			return "a page was not mapped, or touched before";
	if (!rwi_space_unmap(space, first, 1, NULL, &dropped))
		return "more areas than there can be";
	return dropped == 1 ? NULL : "a page to unmap was not there";
}

static void stress_space(void *argument)
{
	struct seat *seat = argument;

	for (unsigned i = 0; i < seat->stress->loops && !seat->wrong; i++)
		seat->wrong = map_touch_unmap(seat);
}

/* Null if each loop of each thread has left one area of three pages. */
static const char *judge_space(const struct stress *st)
{
	const uint32_t expected = st->threads * st->loops;
	const char *wrong = rwi_space_wrong(st->space);
	uint32_t start, end = 0;

	if (!wrong)
		wrong = rwi_space_check(st->space);
	if (wrong)
		return wrong;
	if (rwi_space_areas(st->space) != expected)
		return "the number of areas is not that of the loops";
	if (rwi_space_pages_present(st->space) != expected * KEPT)
		return "the pages present are not those that were kept";
	while (rwi_space_area(st->space, end, &start, &end))
		if (end - start != KEPT)
			return "an area has not three pages";
	return NULL;
}

/* ---- The same in the kernel's own ---- */

static unsigned char *map_piece(size_t page_size)
{
	unsigned char *at =
	    mmap(NULL, MAPPED * page_size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	for (size_t j = 0; j < MAPPED; j++)
		at[j * page_size] = (unsigned char)(j + 1);
	if (munmap(at, page_size))
		return NULL;
	return at + page_size;
}

static void stress_kernel(void *argument)
{
	struct seat *seat = argument;
	const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < seat->stress->loops; i++) {
		seat->pieces[i] = map_piece(page_size);
		if (!seat->pieces[i]) {
			seat->wrong = "the kernel does not map any more";
			return;
		}
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

/*
 * Check what was written to the pages, and give them back.  Null if all is
 * right; *areas is how many areas the kernel made of them.
 */
static const char *judge_kernel(unsigned char **pieces, size_t count,
				double *areas)
{
	const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	const char *wrong = NULL;
	unsigned char *end = NULL;

	qsort(pieces, count, sizeof pieces[0], compare_addresses);
	*areas = 0;
	for (size_t i = 0; i < count; i++) {
		if (!pieces[i])
			continue;
		for (size_t j = 0; j < KEPT; j++)
			if (pieces[i][j * page_size] != j + 2)
				wrong = "a page lost what was written to it";
		*areas += pieces[i] != end;
		end = pieces[i] + KEPT * page_size;
		munmap(pieces[i], KEPT * page_size);
	}
	return wrong;
}

/* ---- A run ---- */

/* Everything of one run, in one piece that threads which are stuck keep. */
struct run {
	struct stress stress;
	unsigned char **pieces;
	struct seat seats[];
};

static void free_run(struct run *r)
{
	if (r->stress.space)
		rwi_space_free(r->stress.space);
	free(r->pieces);
	free(r);
}

/* False if there is no memory. */
static bool furnish(struct run *r, const struct rwi_design *design)
{
	struct stress *st = &r->stress;
	/* Beside what is kept, a thread has at most one mapping. */
	const uint32_t areas = st->threads * (st->loops + 2);

	r->pieces =
	    calloc((size_t)st->threads * st->loops, sizeof r->pieces[0]);
	for (unsigned i = 0; i < st->threads; i++) {
		r->seats[i].stress = st;
		r->seats[i].pieces = r->pieces + (size_t)i * st->loops;
	}
	if (!r->pieces || !design)
		return r->pieces;
	st->design = *design;
	st->design.downgrade_write = NULL;
	st->space = rwi_space_new(&st->design, areas * MAPPED, areas,
				  &rwi_space_kernel_costs);
	return st->space;
}

static struct run *new_run(const struct rwi_seed_cell *cell,
			   const struct rwi_design *design)
{
	const size_t size =
	    sizeof(struct run) + cell->threads * sizeof(struct seat);
	struct run *r = aligned_alloc(_Alignof(struct run), size);

	if (!r)
		return NULL;
	memset(r, 0, size);
	r->stress.threads = cell->threads;
	r->stress.loops = (unsigned)cell->parameter[LOOPS_EACH];
	if (furnish(r, design))
		return r;
	free_run(r);
	return NULL;
}

static const char *judge(struct run *r, double *areas)
{
	const struct stress *st = &r->stress;
	const char *wrong = NULL;

	if (st->space) {
		wrong = judge_space(st);
		*areas = rwi_space_areas(st->space);
	} else {
		wrong = judge_kernel(r->pieces, (size_t)st->threads * st->loops,
				     areas);
	}
	for (unsigned i = 0; !wrong && i < st->threads; i++)
		wrong = r->seats[i].wrong;
	return wrong;
}

/* Null or a fault. */
static const char *measure(struct run *r, double *value, bool *stuck)
{
	const struct stress *st = &r->stress;
	const struct rwi_crew crew = {
		.threads = st->threads,
		.work = st->space ? stress_space : stress_kernel,
		.seats = r->seats,
		.seat_size = sizeof r->seats[0],
		.patience_s = PATIENCE_S,
	};
	const int error = rwi_crew_run(&crew, &value[REAL_S]);
	const char *fault;

	*stuck = error == ETIMEDOUT;
	if (error)
		return *stuck ? "stuck" : "no threads";
	value[SECTIONS_PER_S] =
	    (double)st->threads * st->loops * (MAPPED + 2) / value[REAL_S];
	fault = judge(r, &value[AREAS]);
	if (!fault && st->space)
		fault = rwi_exclusion_fault(&st->design,
					    rwi_space_lock(st->space), stuck);
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

	(void)options; /* nothing in it is computing or random */
	if (r)
		fault = measure(r, outcome->value, &stuck);
	if (fault)
		snprintf(outcome->fault, sizeof outcome->fault, "%s", fault);
	if (r && !stuck)
		free_run(r);
	return !fault;
}

/* ---- The part ---- */

/* The message's own size takes a second at most, so there is no shorter one. */
static bool cell(unsigned place, const struct rwi_seed_options *options,
		 struct rwi_seed_cell *cell)
{
	(void)options;
	if (place)
		return false;
	*cell = (struct rwi_seed_cell){
		.name = "50x500",
		.threads = THREADS,
		.parameter = { [LOOPS_EACH] = LOOPS },
		.seconds = 0.8,
	};
	return true;
}

static const char *const locks[] = {
	"none",
	"howells-2001-spinlock",
	"howells-2001-xadd",
	"arcangeli-2001",
	"rwsem",
	"glibc",
	NULL,
};

/* The message has the program and no numbers. */
static const struct rwi_seed_claim claims[] = { { 0 } };

const struct rwi_seed_part rwi_seed_part_mmap_2001 = {
	.name = "2001-mmap",
	.title = "50 threads change one address space, 500 times each; \"none\""
		 " is the kernel's own",
	.message = "Arcangeli, linux-kernel, April 2001; no numbers",
	.locks = locks,
	.values = values,
	.less_is_better = true,
	.rounds = 3,
	.cell = cell,
	.run = run,
	.claims = claims,
	.figures = "cell,lock,value,number\n",
};
