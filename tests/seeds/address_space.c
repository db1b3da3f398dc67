/* SPDX-License-Identifier: MIT */
/*
 * The address space of the measurements.
 *
 * By itself, it does what one does that knows of each page whether it is mapped
 * and present, and looks through all of them.  With --locks every test that is
 * measured on it runs for a short time with every lock that is measured; with
 * --caught with one that lets writers in beside readers, and must say so.
 *
 * usage: address_space [--locks | --caught]
 */
#include "bench/seeds/address_space.h"
#include "bench/locks.h"
#include "bench/seeds/seed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct rwi_seed_part rwi_seed_part_mm;

/* ---- Beside one that knows each page ---- */

enum { PAGES = 1500, AREAS_MAX = 20, STEPS = 30000, NOWHERE = PAGES };

static bool mapped[PAGES], present[2 * PAGES + 1];
static uint32_t heap_size;
static struct rwi_space *space;
static uint64_t chance = 1;

#define expect(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void fail(int line, const char *what)
{
	fprintf(stderr, "tests/seeds/address_space.c:%d: %s\n", line, what);
	exit(1);
}

/* A random number below this. */
static uint32_t below(uint32_t bound)
{
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return (uint32_t)((chance >> 32) * bound >> 32);
}

static bool is_mapped(uint32_t page)
{
	return page < PAGES && mapped[page];
}

static uint32_t count_areas(void)
{
	uint32_t areas = heap_size != 0;

	for (uint32_t page = 0; page < PAGES; page++)
		areas += mapped[page] && !is_mapped(page + 1);
	return areas;
}

static uint32_t find_gap(uint32_t pages)
{
	uint32_t free_pages = 0;

	for (uint32_t page = 0; page < PAGES; page++) {
		free_pages = mapped[page] ? 0 : free_pages + 1;
		if (free_pages == pages)
			return page + 1 - pages;
	}
	return NOWHERE;
}

static void set_mapped(uint32_t first, uint32_t pages, bool value)
{
	for (uint32_t page = first; page < first + pages; page++)
		mapped[page] = value;
}

static uint32_t drop(uint32_t first, uint32_t pages)
{
	uint32_t dropped = 0;

	for (uint32_t page = first; page < first + pages; page++) {
		dropped += present[page];
		present[page] = false;
	}
	return dropped;
}

static void map_some(void)
{
	const uint32_t pages = below(30) ? 1 + below(24) : below(PAGES + 2);
	const uint32_t at = pages ? find_gap(pages) : NOWHERE;
	bool possible = at != NOWHERE;
	uint32_t first;

	if (possible) {
		set_mapped(at, pages, true);
		if (count_areas() > AREAS_MAX) {
			set_mapped(at, pages, false);
			possible = false;
		}
	}
	expect(rwi_space_map(space, pages, NULL, &first) == possible);
	expect(!possible || first == at);
}

static void unmap_some(void)
{
	const uint32_t first = below(PAGES);
	const uint32_t most = PAGES - first < 40 ? PAGES - first : 40;
	const uint32_t pages = 1 + below(most);
	bool before[PAGES], possible = true;
	uint32_t dropped, expected = 0;

	memcpy(before, mapped, sizeof before);
	set_mapped(first, pages, false);
	if (count_areas() > AREAS_MAX) {
		memcpy(mapped, before, sizeof before);
		possible = false;
	} else {
		expected = drop(first, pages);
	}
	expect(rwi_space_unmap(space, first, pages, NULL, &dropped) ==
	       possible);
	expect(dropped == expected);
}

static void touch_one(void)
{
	static unsigned char memory[RWI_PAGE_SIZE];
	const uint32_t page = below(2 * PAGES + 3);
	enum rwi_space_touch expected = RWI_TOUCH_UNMAPPED;

	if (is_mapped(page) || (page > PAGES && page - PAGES - 1 < heap_size)) {
		expected =
		    present[page] ? RWI_TOUCH_PRESENT : RWI_TOUCH_ENTERED;
		present[page] = true;
	}
	expect(rwi_space_touch(space, page, NULL, memory) == expected);
}

static void break_some(void)
{
	const int32_t change =
	    below(4) ? (int32_t)below(21) - 10 : -(int32_t)heap_size;
	const int64_t next = (int64_t)heap_size + change;
	bool possible = next >= 0 && next <= PAGES;

	if (!heap_size && next > 0 && count_areas() == AREAS_MAX)
		possible = false;
	expect(rwi_space_break(space, change) == possible);
	if (possible && change < 0)
		drop(PAGES + 1 + (uint32_t)next, (uint32_t)-change);
	if (possible)
		heap_size = (uint32_t)next;
}

static void compare(void)
{
	uint32_t start, end, all = 0;

	expect(!rwi_space_wrong(space));
	expect(!rwi_space_check(space));
	expect(rwi_space_areas(space) == count_areas());
	for (uint32_t page = 0; page < PAGES; page++) {
		const bool found = rwi_space_area(space, page, &start, &end);

		expect((found && start <= page) == mapped[page]);
	}
	for (uint32_t page = 0; page < 2 * PAGES + 1; page++)
		all += present[page];
	expect(rwi_space_pages_present(space) == all);
}

static void compare_with_pages(void)
{
	static const struct rwi_space_costs nothing;
	static void (*const steps[])(void) = {
		map_some, map_some, unmap_some, touch_one, touch_one, break_some
	};

	space = rwi_space_new(NULL, PAGES, AREAS_MAX, &nothing);
	expect(space);
	for (unsigned i = 0; i < STEPS; i++) {
		steps[below(sizeof steps / sizeof steps[0])]();
		if (i % 8 == 0)
			compare();
	}
	compare();
	expect(!rwi_space_unmap(space, PAGES, 1, NULL, &(uint32_t){ 0 }));
	expect(rwi_space_heap(space) == PAGES + 1);
	rwi_space_free(space);
}

/* ---- With locks ---- */

/* The part's own parameters. */
enum { PAGES_EACH = 1, WARMUP_MS = 2, MEASURED_MS = 3 };
static const struct rwi_seed_options all = { .full = true, .squeeze = 1 };

/* Returns how many cells did not do as they should. */
static int run_cells(const char *lock, unsigned threads, bool caught)
{
	const struct rwi_seed_part *part = &rwi_seed_part_mm;
	const struct rwi_design *design = rwi_lock_find(lock);
	struct rwi_seed_cell cell;
	int faults = 0;

	if (!design) {
		printf("no lock %s here\n", lock);
		return 0;
	}
	for (unsigned i = 0; part->cell(i, &all, &cell); i++) {
		struct rwi_seed_outcome outcome = { .fault = "" };
		bool right;

		if (cell.threads != threads)
			continue;
		cell.parameter[PAGES_EACH] = 64;
		cell.parameter[WARMUP_MS] = 2;
		cell.parameter[MEASURED_MS] = 20;
		right = part->run(&cell, design, &all, &outcome);
		if (right && !caught && !(outcome.value[0] > 0))
			right = false;
		if (right != caught && right != (outcome.fault[0] != 0))
			continue;
		fprintf(stderr, "%s, lock %s: %g %s: %s\n", cell.name, lock,
			outcome.value[0], part->values[0], outcome.fault);
		faults++;
	}
	return faults;
}

int main(int argc, char **argv)
{
	const char *mode = argc == 2 ? argv[1] : "";
	int faults = 0;

	if (!strcmp(mode, "--locks"))
		for (unsigned i = 0; rwi_seed_part_mm.locks[i]; i++)
			faults +=
			    run_cells(rwi_seed_part_mm.locks[i], 4, false);
	else if (!strcmp(mode, "--caught"))
		faults = run_cells("busted-exclusion", 1, true) +
			 run_cells("busted-exclusion", 8, true);
	else
		compare_with_pages();
	return faults != 0;
}
