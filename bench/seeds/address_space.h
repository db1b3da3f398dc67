/* SPDX-License-Identifier: MIT */
/*
 * An address space in user space, under one lock.
 *
 * It does what a kernel's address space does as far as its lock can tell:
 * mappings are areas in a balanced tree, which calls change as writers, and a
 * page fault is a reader, which finds its area, fills a page, and enters it
 * into a table that has finer locks of its own.
 *
 * Addresses are page numbers.  The calls take the lock, so any thread may call
 * them.  They look whether the lock does its work: rwi_space_wrong().  One that
 * does not makes results wrong, and does no other harm: memory of areas is
 * never given back, and no walk through the tree is without end.
 */
#ifndef RWI_ADDRESS_SPACE_H
#define RWI_ADDRESS_SPACE_H

#include "designs/design.h"

#include <stdbool.h>
#include <stdint.h>

enum { RWI_PAGE_SIZE = 4096 };

/* How long the lock is held for each, in nanoseconds, what is done included. */
struct rwi_space_costs {
	unsigned fault, map, unmap, unmap_present_page, brk;
};

/* As long as in a kernel. */
extern const struct rwi_space_costs rwi_space_kernel_costs;

struct rwi_space;

/* A file that one thread maps; its own two locks are for this thread alone. */
struct rwi_space_file;

/*
 * An empty address space for mappings of so many pages, in at most `areas_max`
 * areas, and a heap of as many pages more.  With no design there is no lock,
 * for one thread.  Null with errno set if there is no memory or the lock's init
 * failed.
 */
struct rwi_space *rwi_space_new(const struct rwi_design *design, uint32_t pages,
				uint32_t areas_max,
				const struct rwi_space_costs *costs);
void rwi_space_free(struct rwi_space *space);

/* Whose pages are `shared`, or copied at a fault.  Null with errno set. */
struct rwi_space_file *rwi_space_file_new(const struct rwi_design *design,
					  bool shared);
void rwi_space_file_free(struct rwi_space_file *file);

/* How many of its pages are mapped. */
uint32_t rwi_space_file_mapped(const struct rwi_space_file *file);

/* ---- Calls: writers ---- */

/*
 * Map so many pages at the lowest addresses where they have room; what adjoins
 * other mappings becomes one area with them.  Of a file, if one is given, and
 * of memory else.  False if there is no room.
 */
bool rwi_space_map(struct rwi_space *space, uint32_t pages,
		   struct rwi_space_file *file, uint32_t *first);

/*
 * Unmap whatever is mapped of these pages, and drop the pages that are present.
 * The lock is downgraded to drop them, where it can be.  Returns how many these
 * were.  False if there were more areas than there may be.
 */
bool rwi_space_unmap(struct rwi_space *space, uint32_t first, uint32_t pages,
		     struct rwi_space_file *file, uint32_t *dropped);

/* Grow the heap by so many pages, or shrink it.  False if it cannot. */
bool rwi_space_break(struct rwi_space *space, int32_t change);

/* ---- Page faults: readers ---- */

enum rwi_space_touch {
	RWI_TOUCH_ENTERED,  /* the page is there now */
	RWI_TOUCH_PRESENT,  /* it had been before */
	RWI_TOUCH_UNMAPPED, /* a program would be killed by that */
	RWI_TOUCH_NO_MEMORY,
};

/* Touch a page, with the caller's own memory of one page for its contents. */
enum rwi_space_touch rwi_space_touch(struct rwi_space *space, uint32_t page,
				     struct rwi_space_file *file,
				     unsigned char *memory);

/* ---- What is in it: not beside calls of other threads ---- */

/*
 * Null while everything that was done was right: nobody was in beside a writer,
 * and the tree was whole wherever it was walked.
 */
const char *rwi_space_wrong(const struct rwi_space *space);

/*
 * Look at everything: areas in order, apart from each other and as counted;
 * balance; gaps; no page present outside of areas.  Null if all is right.
 */
const char *rwi_space_check(const struct rwi_space *space);

uint32_t rwi_space_areas(const struct rwi_space *space);
uint32_t rwi_space_pages_present(const struct rwi_space *space);
uint32_t rwi_space_heap(const struct rwi_space *space); /* its first page */

/* The first area that ends after this page; false if there is none. */
bool rwi_space_area(const struct rwi_space *space, uint32_t page,
		    uint32_t *start, uint32_t *end);

/* The lock, for rwi_exclusion_fault(). */
void *rwi_space_lock(struct rwi_space *space);

/* Until so many nanoseconds after `since`, in seconds of CLOCK_MONOTONIC. */
void rwi_space_spend(double since, double ns);

#endif
