/* SPDX-License-Identifier: MIT */
/*
 * The mmap stresser of 2001: 50 threads change one address space.
 *
 * Each maps four pages, touches them, and unmaps the first, 500 times.  The
 * kernel has a lock for that, of which a change is a writer, and a page fault,
 * which is what a first touch is, a reader: two writes for four reads, and the
 * writes are as long as the reads.
 *
 * The address space here is a list of areas in user space, with the lock under
 * test in front.  It is placed and joined as the kernel does: a mapping goes to
 * the first gap that is wide enough, from where the last one ended or the
 * lowest address that was freed since; areas that touch become one, and freeing
 * a page inside splits one.  In the end there is an area of three pages for
 * each loop of each thread, with a page between any two, whatever the order
 * was.
 *
 * Without a lock of ours the threads use the address space that they run in,
 * and so the kernel's own lock.  Today's kernels place mappings downwards,
 * where the next one fills the page that was freed, so there are few areas
 * then.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "bench/clock.h"
#include "bench/locks.h"
#include "bench/seeds/crew.h"
#include "bench/seeds/exclusion.h"
#include "bench/seeds/seed.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 50, LOOPS = 500, MAPPED = 4, KEPT = MAPPED - 1 };
enum { PAGE_SIZE_HERE = 4096, PATIENCE_S = 100 };

/*
 * How long the lock is held, in nanoseconds; the lists and the page zeroed here
 * are only a part of what a kernel does.
 */
enum { TOUCH_NS = 700, MAP_NS = 500, UNMAP_NS = 520 };

enum parameter { LOOPS_EACH };
enum value { REAL_S, SECTIONS_PER_S, AREAS, VALUES };
static const char *const values[] = { "real_s", "sections_per_s", "areas",
				      NULL };
_Static_assert(sizeof values / sizeof values[0] == VALUES + 1, "their names");
_Static_assert((int)VALUES <= (int)RWI_SEED_VALUES_MAX, "too many");

/* ---- The address space ---- */

/* Pages from start to before end. */
struct area {
	uint32_t start, end;
};

/*
 * Areas are few bytes in one array, in order.  Its memory is never moved or
 * given back, so that a lock which lets others in beside a writer makes results
 * wrong, and does no other harm.
 */
struct space {
	struct area *areas;
	uint32_t count, capacity;
	uint32_t hint;  /* where to look for a gap */
	uint32_t pages; /* there are so many */
	atomic_uchar *present;
	/* Odd while a writer is in. */
	atomic_uint version;
};

enum { NOWHERE = UINT32_MAX };

/* The first area that ends after this page; count if there is none. */
static uint32_t find(const struct space *s, uint32_t page, uint32_t count)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (s->areas[middle].end > page)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool insert(struct space *s, uint32_t at, uint32_t count,
		   struct area area)
{
	if (count >= s->capacity)
		return false;
	memmove(&s->areas[at + 1], &s->areas[at],
		(count - at) * sizeof s->areas[0]);
	s->areas[at] = area;
	s->count = count + 1;
	return true;
}

static void erase(struct space *s, uint32_t at, uint32_t count)
{
	memmove(&s->areas[at], &s->areas[at + 1],
		(count - at - 1) * sizeof s->areas[0]);
	s->count = count - 1;
}

/* Returns the first page, or NOWHERE if there is no room. */
static uint32_t map(struct space *s, uint32_t length)
{
	const uint32_t count = s->count;
	uint32_t start = s->hint;
	uint32_t at = find(s, start, count);
	bool joins_last, joins_next;

	while (at < count && s->areas[at].start < start + length)
		start = s->areas[at++].end;
	if (start > s->pages || length > s->pages - start)
		return NOWHERE;
	joins_last = at && s->areas[at - 1].end == start;
	joins_next = at < count && s->areas[at].start == start + length;
	if (joins_last && joins_next) {
		s->areas[at - 1].end = s->areas[at].end;
		erase(s, at, count);
	} else if (joins_last) {
		s->areas[at - 1].end = start + length;
	} else if (joins_next) {
		s->areas[at].start = start;
	} else if (!insert(s, at, count,
			   (struct area){ start, start + length })) {
		return NOWHERE;
	}
	s->hint = start + length;
	return start;
}

/* False if the page was not there. */
static bool unmap(struct space *s, uint32_t page)
{
	const uint32_t count = s->count;
	const uint32_t at = find(s, page, count);
	struct area *area = &s->areas[at];
	const uint32_t end = at < count ? area->end : 0;

	if (at == count || area->start > page)
		return false;
	if (!atomic_exchange_explicit(&s->present[page], 0,
				      memory_order_relaxed))
		return false;
	if (area->start == page && end == page + 1) {
		erase(s, at, count);
	} else if (area->start == page) {
		area->start++;
	} else {
		area->end = page;
		if (end > page + 1 &&
		    !insert(s, at + 1, count, (struct area){ page + 1, end }))
			return false;
	}
	if (page < s->hint)
		s->hint = page;
	return true;
}

/* A page fault: zero a page and enter it.  False if it should not have been. */
static bool touch(struct space *s, uint32_t page, unsigned char *memory)
{
	const uint32_t count = s->count;
	const uint32_t at = find(s, page, count);

	if (at == count || s->areas[at].start > page)
		return false;
	memset(memory, 0, PAGE_SIZE_HERE);
	return !atomic_exchange_explicit(&s->present[page], 1,
					 memory_order_relaxed);
}

/* ---- What the threads do ---- */

struct stress {
	const struct rwi_design *design;
	void *lock;
	unsigned threads, loops;
	struct space space;
};

struct seat {
	_Alignas(128) struct stress *stress;
	unsigned char *memory;  /* of a page: what a page fault zeroes */
	unsigned char **pieces; /* in the kernel's address space */
	const char *wrong;
	int error; /* of a call */
};

static void expect(struct seat *seat, bool right, const char *wrong)
{
	if (!right && !seat->wrong)
		seat->wrong = wrong;
}

static void hold(double begin_s, unsigned hold_ns)
{
	while (rwi_time_s(CLOCK_MONOTONIC) < begin_s + 1e-9 * hold_ns)
		;
}

/* Returns when that was. */
static double begin_write(struct seat *seat)
{
	struct stress *st = seat->stress;
	unsigned version;

	st->design->down_write(st->lock);
	version =
	    atomic_load_explicit(&st->space.version, memory_order_relaxed);
	atomic_store_explicit(&st->space.version, version + 1,
			      memory_order_relaxed);
	expect(seat, version % 2 == 0, "two writers were in at once");
	return rwi_time_s(CLOCK_MONOTONIC);
}

static void end_write(struct seat *seat)
{
	struct stress *st = seat->stress;
	const unsigned version =
	    atomic_load_explicit(&st->space.version, memory_order_relaxed);

	expect(seat, version % 2 == 1, "two writers were in at once");
	atomic_store_explicit(&st->space.version, version + 1,
			      memory_order_relaxed);
	st->design->up_write(st->lock);
}

static void touch_page(struct seat *seat, uint32_t page)
{
	struct stress *st = seat->stress;
	unsigned version;
	double begin_s;
	bool touched;

	st->design->down_read(st->lock);
	begin_s = rwi_time_s(CLOCK_MONOTONIC);
	version =
	    atomic_load_explicit(&st->space.version, memory_order_relaxed);
	touched = touch(&st->space, page, seat->memory);
	hold(begin_s, TOUCH_NS);
	expect(seat,
	       version % 2 == 0 &&
		   version == atomic_load_explicit(&st->space.version,
						   memory_order_relaxed),
	       "a reader was in beside a writer");
	st->design->up_read(st->lock);
	expect(seat, touched, "a page was not mapped, or touched before");
}

static void stress_space(void *argument)
{
	struct seat *seat = argument;
	struct space *space = &seat->stress->space;

	for (unsigned i = 0; i < seat->stress->loops; i++) {
		double begin_s = begin_write(seat);
		uint32_t page = map(space, MAPPED);
		bool unmapped;

		hold(begin_s, MAP_NS);
		end_write(seat);
		if (page == NOWHERE) {
			expect(seat, false, "no room for four pages");
			return;
		}
		for (uint32_t j = 0; j < MAPPED; j++)
			touch_page(seat, page + j);
		begin_s = begin_write(seat);
		unmapped = unmap(space, page);
		hold(begin_s, UNMAP_NS);
		end_write(seat);
		expect(seat, unmapped, "a page to unmap was not there");
	}
}

/* Null if each loop of each thread has left one area of three pages. */
static const char *judge_space(const struct stress *st)
{
	const struct space *s = &st->space;
	const unsigned long expected = KEPT * (unsigned long)s->count;
	unsigned long inside = 0, present = 0;

	if (s->count != st->threads * st->loops)
		return "the number of areas is not that of the loops";
	for (uint32_t i = 0; i < s->count; i++) {
		const struct area *a = &s->areas[i];

		if (a->end - a->start != KEPT)
			return "an area has not three pages";
		if (i && a->start <= a[-1].end)
			return "areas overlap or touch";
		for (uint32_t page = a->start; page < a->end; page++)
			inside += atomic_load(&s->present[page]);
	}
	for (uint32_t page = 0; page < s->pages; page++)
		present += atomic_load(&s->present[page]);
	if (inside != expected || present != expected)
		return "the pages present are not those of the areas";
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
			seat->error = errno;
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
	unsigned char *memory;
	struct seat seats[];
};

static void free_run(struct run *r)
{
	if (r->stress.lock)
		rwi_lock_free(r->stress.design, r->stress.lock);
	free(r->stress.space.areas);
	free(r->stress.space.present);
	free(r->pieces);
	free(r->memory);
	free(r);
}

/* False if there is no memory. */
static bool furnish(struct run *r)
{
	struct stress *st = &r->stress;
	struct space *s = &st->space;
	const unsigned threads = st->threads, loops = st->loops;

	/* The kept areas, and what each thread may have mapped beside. */
	s->capacity = threads * (loops + 2);
	s->pages = s->capacity * MAPPED;
	s->areas = calloc(s->capacity + 1, sizeof s->areas[0]);
	s->present = calloc(s->pages, sizeof s->present[0]);
	r->pieces = calloc((size_t)threads * loops, sizeof r->pieces[0]);
	r->memory = calloc(threads, PAGE_SIZE_HERE);
	st->lock = st->design ? rwi_lock_new(st->design) : NULL;
	for (unsigned i = 0; i < threads; i++) {
		r->seats[i].stress = st;
		r->seats[i].memory = r->memory + (size_t)i * PAGE_SIZE_HERE;
		r->seats[i].pieces = r->pieces + (size_t)i * loops;
	}
	return s->areas && s->present && r->pieces && r->memory &&
	       (st->lock || !st->design);
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
	r->stress.design = design;
	r->stress.threads = cell->threads;
	r->stress.loops = (unsigned)cell->parameter[LOOPS_EACH];
	if (furnish(r))
		return r;
	free_run(r);
	return NULL;
}

static const char *judge(struct run *r, double *areas)
{
	const struct stress *st = &r->stress;
	const char *wrong = NULL;

	if (st->design) {
		wrong = judge_space(st);
		*areas = st->space.count;
	} else {
		wrong = judge_kernel(r->pieces, (size_t)st->threads * st->loops,
				     areas);
	}
	/* What a thread saw says more than what is left of it. */
	for (unsigned i = 0; i < st->threads; i++) {
		if (r->seats[i].error)
			wrong = strerror(r->seats[i].error);
		if (r->seats[i].wrong)
			wrong = r->seats[i].wrong;
	}
	return wrong;
}

/* Null or a fault. */
static const char *measure(struct run *r, double *value, bool *stuck)
{
	const struct stress *st = &r->stress;
	const struct rwi_crew crew = {
		.threads = st->threads,
		.work = st->design ? stress_space : stress_kernel,
		.seats = r->seats,
		.seat_size = sizeof r->seats[0],
		.patience_s = PATIENCE_S,
	};
	const int error = rwi_crew_run(&crew, &value[REAL_S]);
	const char *fault;

	*stuck = error == ETIMEDOUT;
	if (error)
		return *stuck ? "stuck" : strerror(error);
	value[SECTIONS_PER_S] =
	    (double)st->threads * st->loops * (MAPPED + 2) / value[REAL_S];
	fault = judge(r, &value[AREAS]);
	if (!fault && st->design)
		fault = rwi_exclusion_fault(st->design, st->lock, stuck);
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
