/* SPDX-License-Identifier: MIT */
/*
 * Areas are nodes of an AVL tree, in one array; a node's number stands for it,
 * and 0 for none.  Each knows what its subtree covers and the widest gap in it,
 * so that the lowest gap which is wide enough is found on one way down.
 *
 * The page table has two levels, as a byte for each page in leaves of 512.  It
 * is guarded by a few mutexes, not by the lock of the space: page faults enter
 * pages side by side.
 *
 * The heap lies above the mappings, with a page between.
 */
#define _GNU_SOURCE /* clock_gettime */
#include "bench/seeds/address_space.h"

#include "bench/clock.h"
#include "bench/locks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_PAGES = 512, STRIPES = 64 };

/* An AVL tree of 2^32 nodes is 46 deep. */
enum { DEPTH_MAX = 64 };

struct node {
	uint32_t start, end;
	uint32_t child[2];
	/* Of the subtree. */
	uint32_t low, high, widest;
	uint32_t height;
};

struct leaf {
	uint32_t count;
	unsigned char present[LEAF_PAGES];
};

struct stripe {
	_Alignas(64) pthread_mutex_t mutex;
};

struct rwi_space {
	const struct rwi_design *design;
	void *lock;
	struct rwi_space_costs costs;
	uint32_t pages;     /* for mappings */
	uint32_t all_pages; /* with the heap and the page below */
	struct leaf **leaves;
	struct stripe stripes[STRIPES];
	_Atomic(const char *) wrong;

	/* What the lock guards, beginning with a line of its own. */
	_Alignas(128) atomic_uint version; /* odd while a writer is in */
	uint32_t root;
	uint32_t vacant; /* nodes, linked by child[0] */
	uint32_t areas, areas_max;
	uint32_t heap_size;
	struct node *nodes;
};

struct rwi_space_file {
	const struct rwi_design *design;
	void *mapped_lock; /* guards `mapped` */
	pthread_mutex_t page_lock;
	bool shared;
	uint32_t mapped; /* pages */
	unsigned char page[RWI_PAGE_SIZE];
};

const struct rwi_space_costs rwi_space_kernel_costs = {
	.fault = 700,
	.map = 500,
	.unmap = 500,
	.unmap_present_page = 20,
	.brk = 500,
};

static void went_wrong(struct rwi_space *s, const char *what)
{
	const char *nothing = NULL;

	atomic_compare_exchange_strong(&s->wrong, &nothing, what);
}

/* ---- The tree ---- */

/* Links from the root down; *link is the number of the node there. */
struct path {
	uint32_t *links[DEPTH_MAX];
	unsigned depth;
};

/* False if the tree is deeper than it can be: it is none. */
static bool step_down(struct rwi_space *s, struct path *path, uint32_t **link,
		      unsigned side)
{
	if (path->depth == DEPTH_MAX) {
		went_wrong(s, "the tree of areas was broken");
		return false;
	}
	path->links[path->depth++] = *link;
	*link = &s->nodes[**link].child[side];
	return true;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Set what a node knows of its subtree, from its children. */
static void sum_up(struct node *nodes, struct node *n)
{
	const struct node *left = &nodes[n->child[0]];
	const struct node *right = &nodes[n->child[1]];

	n->height = larger(left->height, right->height) + 1;
	n->low = n->start;
	n->high = n->end;
	n->widest = larger(left->widest, right->widest);
	if (n->child[0]) {
		n->low = left->low;
		n->widest = larger(n->widest, n->start - left->high);
	}
	if (n->child[1]) {
		n->high = right->high;
		n->widest = larger(n->widest, right->low - n->end);
	}
}

/* Lift the child of this side above its parent; returns the child. */
static uint32_t lift(struct node *nodes, uint32_t at, unsigned side)
{
	const uint32_t up = nodes[at].child[side];

	nodes[at].child[side] = nodes[up].child[!side];
	nodes[up].child[!side] = at;
	sum_up(nodes, &nodes[at]);
	sum_up(nodes, &nodes[up]);
	return up;
}

static uint32_t height(const struct node *nodes, uint32_t at, unsigned side)
{
	return nodes[nodes[at].child[side]].height;
}

/* Returns the node that is on top then. */
static uint32_t balance(struct node *nodes, uint32_t at)
{
	for (unsigned side = 0; side < 2; side++) {
		uint32_t *child = &nodes[at].child[side];

		if (height(nodes, at, side) <= height(nodes, at, !side) + 1)
			continue;
		if (height(nodes, *child, !side) > height(nodes, *child, side))
			*child = lift(nodes, *child, !side);
		return lift(nodes, at, side);
	}
	sum_up(nodes, &nodes[at]);
	return at;
}

static void balance_path(struct node *nodes, const struct path *path)
{
	for (unsigned i = path->depth; i--;)
		*path->links[i] = balance(nodes, *path->links[i]);
}

/* False if there is no node left. */
static bool insert(struct rwi_space *s, uint32_t start, uint32_t end)
{
	const uint32_t fresh = s->vacant;
	struct path path = { .depth = 0 };
	uint32_t *link = &s->root;

	if (!fresh)
		return false;
	while (*link)
		if (!step_down(s, &path, &link, start > s->nodes[*link].start))
			return false;
	s->vacant = s->nodes[fresh].child[0];
	s->nodes[fresh] = (struct node){ .start = start, .end = end };
	sum_up(s->nodes, &s->nodes[fresh]);
	*link = fresh;
	balance_path(s->nodes, &path);
	s->areas++;
	return true;
}

/* Take out the area that starts here. */
static void take_out(struct rwi_space *s, uint32_t start)
{
	struct path path = { .depth = 0 };
	uint32_t *link = &s->root;
	uint32_t gone;
	struct node *n;

	while (*link && s->nodes[*link].start != start)
		if (!step_down(s, &path, &link, start > s->nodes[*link].start))
			return;
	gone = *link;
	n = &s->nodes[gone];
	if (n->child[0] && n->child[1]) {
		/* The next one moves here, and its node goes instead. */
		if (!step_down(s, &path, &link, 1))
			return;
		while (s->nodes[*link].child[0])
			if (!step_down(s, &path, &link, 0))
				return;
		gone = *link;
		n->start = s->nodes[gone].start;
		n->end = s->nodes[gone].end;
	}
	if (!gone) {
		went_wrong(s, "the tree of areas was broken");
		return;
	}
	n = &s->nodes[gone];
	*link = n->child[0] ? n->child[0] : n->child[1];
	n->child[0] = s->vacant;
	s->vacant = gone;
	balance_path(s->nodes, &path);
	s->areas--;
}

/* The first area that ends after this page, or 0. */
static uint32_t find(struct rwi_space *s, uint32_t page)
{
	uint32_t at = s->root, found = 0;

	for (unsigned depth = 0; at; depth++) {
		if (depth == DEPTH_MAX) {
			went_wrong(s, "the tree of areas was broken");
			return 0;
		}
		if (s->nodes[at].end > page) {
			found = at;
			at = s->nodes[at].child[0];
		} else {
			at = s->nodes[at].child[1];
		}
	}
	return found;
}

/* Where the lowest gap begins that is so wide; the last one has no end. */
static uint32_t lowest_gap(const struct rwi_space *s, uint32_t pages)
{
	const struct node *nodes = s->nodes;
	const struct node *n = &nodes[s->root];

	if (!s->root || n->low >= pages)
		return 0;
	if (n->widest < pages)
		return n->high;
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		const struct node *left = &nodes[n->child[0]];
		const struct node *right = &nodes[n->child[1]];

		if (left->widest >= pages)
			n = left;
		else if (n->child[0] && n->start - left->high >= pages)
			return left->high;
		else if (n->child[1] && right->low - n->end >= pages)
			return n->end;
		else
			n = right;
	}
	return UINT32_MAX;
}

/* ---- The page table ---- */

static uint32_t leaves_of(const struct rwi_space *s)
{
	return s->all_pages / LEAF_PAGES + 1;
}

static pthread_mutex_t *stripe_of(struct rwi_space *s, uint32_t page)
{
	return &s->stripes[page / LEAF_PAGES % STRIPES].mutex;
}

static enum rwi_space_touch enter_page(struct rwi_space *s, uint32_t page)
{
	pthread_mutex_t *mutex = stripe_of(s, page);
	enum rwi_space_touch result = RWI_TOUCH_ENTERED;
	struct leaf **leaf = &s->leaves[page / LEAF_PAGES];
	unsigned char *present;

	pthread_mutex_lock(mutex);
	if (!*leaf)
		*leaf = calloc(1, sizeof **leaf);
	if (*leaf) {
		present = &(*leaf)->present[page % LEAF_PAGES];
		if (*present)
			result = RWI_TOUCH_PRESENT;
		(*leaf)->count += !*present;
		*present = 1;
	} else {
		result = RWI_TOUCH_NO_MEMORY;
	}
	pthread_mutex_unlock(mutex);
	return result;
}

/* The pages of one leaf from first to before end; returns how many it had. */
static uint32_t drop_from_leaf(struct rwi_space *s, uint32_t first,
			       uint32_t end)
{
	pthread_mutex_t *mutex = stripe_of(s, first);
	struct leaf *leaf;
	uint32_t dropped = 0;

	pthread_mutex_lock(mutex);
	leaf = s->leaves[first / LEAF_PAGES];
	for (uint32_t page = first; leaf && leaf->count && page < end; page++) {
		unsigned char *present = &leaf->present[page % LEAF_PAGES];

		leaf->count -= *present;
		dropped += *present;
		*present = 0;
	}
	pthread_mutex_unlock(mutex);
	return dropped;
}

static uint32_t drop_pages(struct rwi_space *s, uint32_t first, uint32_t end)
{
	uint32_t dropped = 0, next;

	for (; first < end; first = next) {
		next = first - first % LEAF_PAGES + LEAF_PAGES;
		if (next > end)
			next = end;
		dropped += drop_from_leaf(s, first, next);
	}
	return dropped;
}

/* ---- The lock ---- */

void rwi_space_spend(double since, double ns)
{
	while (ns > 0 && rwi_time_s(CLOCK_MONOTONIC) < since + 1e-9 * ns)
		;
}

static unsigned look_at_version(const struct rwi_space *s)
{
	return atomic_load_explicit(&s->version, memory_order_relaxed);
}

static void next_version(struct rwi_space *s, unsigned odd)
{
	const unsigned version = look_at_version(s);

	if (version % 2 == odd)
		went_wrong(s, "two writers were in at once");
	atomic_store_explicit(&s->version, version + 1, memory_order_relaxed);
}

static unsigned begin_read(struct rwi_space *s)
{
	if (s->design)
		s->design->down_read(s->lock);
	return look_at_version(s);
}

static void look_for_writers(struct rwi_space *s, unsigned version)
{
	if (version % 2 || version != look_at_version(s))
		went_wrong(s, "a reader was in beside a writer");
}

static void end_read(struct rwi_space *s, unsigned version)
{
	look_for_writers(s, version);
	if (s->design)
		s->design->up_read(s->lock);
}

/* Returns when that was. */
static double begin_write(struct rwi_space *s)
{
	if (s->design)
		s->design->down_write(s->lock);
	next_version(s, 1);
	return rwi_time_s(CLOCK_MONOTONIC);
}

static void end_write(struct rwi_space *s)
{
	next_version(s, 0);
	if (s->design)
		s->design->up_write(s->lock);
}

/*
 * Drop pages at the end of a write, which goes on as a read where the lock can
 * do that.  Returns how many pages these were.
 */
static uint32_t end_write_and_drop(struct rwi_space *s, uint32_t first,
				   uint32_t end)
{
	const bool downgrades = s->design && s->design->downgrade_write;
	const double begin_s = rwi_time_s(CLOCK_MONOTONIC);
	uint32_t dropped;
	unsigned version;

	next_version(s, 0);
	if (downgrades)
		s->design->downgrade_write(s->lock);
	version = look_at_version(s);
	dropped = drop_pages(s, first, end);
	rwi_space_spend(begin_s, (double)dropped * s->costs.unmap_present_page);
	if (downgrades || !s->design) {
		end_read(s, version);
	} else {
		look_for_writers(s, version);
		s->design->up_write(s->lock);
	}
	return dropped;
}

/* ---- Files ---- */

struct rwi_space_file *rwi_space_file_new(const struct rwi_design *design,
					  bool shared)
{
	struct rwi_space_file *file = calloc(1, sizeof *file);

	if (!file)
		return NULL;
	file->design = design;
	file->shared = shared;
	pthread_mutex_init(&file->page_lock, NULL);
	if (design)
		file->mapped_lock = rwi_lock_new(design);
	if (!design || file->mapped_lock)
		return file;
	rwi_space_file_free(file);
	return NULL;
}

void rwi_space_file_free(struct rwi_space_file *file)
{
	const int error = errno;

	if (!file)
		return;
	if (file->mapped_lock)
		rwi_lock_free(file->design, file->mapped_lock);
	pthread_mutex_destroy(&file->page_lock);
	free(file);
	errno = error;
}

uint32_t rwi_space_file_mapped(const struct rwi_space_file *file)
{
	return file->mapped;
}

/* The kernel enters each mapping in a tree of its file. */
static void count_mapped(struct rwi_space_file *file, uint32_t pages)
{
	if (file->design)
		file->design->down_write(file->mapped_lock);
	file->mapped += pages;
	if (file->design)
		file->design->up_write(file->mapped_lock);
}

static void fill(struct rwi_space_file *file, unsigned char *memory)
{
	if (!file) {
		memset(memory, 0, RWI_PAGE_SIZE);
		return;
	}
	pthread_mutex_lock(&file->page_lock);
	if (!file->shared)
		memcpy(memory, file->page, RWI_PAGE_SIZE);
	pthread_mutex_unlock(&file->page_lock);
}

/* ---- Calls ---- */

/* Enter a mapping that begins at a gap of its size. */
static bool enter_mapping(struct rwi_space *s, uint32_t start, uint32_t end)
{
	const struct node *before = &s->nodes[start ? find(s, start - 1) : 0];
	const struct node *after;

	if (start && before->end == start) {
		start = before->start;
		take_out(s, start);
	}
	after = &s->nodes[find(s, end)];
	if (after->end > end && after->start == end) {
		const uint32_t next_end = after->end;

		take_out(s, end);
		end = next_end;
	}
	return insert(s, start, end);
}

bool rwi_space_map(struct rwi_space *space, uint32_t pages,
		   struct rwi_space_file *file, uint32_t *first)
{
	const double begin_s = begin_write(space);
	const uint32_t start = lowest_gap(space, pages);
	bool done = false;

	if (pages && pages <= space->pages && start <= space->pages - pages)
		done = enter_mapping(space, start, start + pages);
	*first = start;
	if (done && file)
		count_mapped(file, pages);
	rwi_space_spend(begin_s, space->costs.map);
	end_write(space);
	return done;
}

/* False if there is no node for the second half of an area. */
static bool cut(struct rwi_space *s, uint32_t first, uint32_t end)
{
	uint32_t at;

	while ((at = find(s, first)) && s->nodes[at].start < end) {
		const struct node area = s->nodes[at];

		if (area.start < first && area.end > end && !s->vacant)
			return false;
		take_out(s, area.start);
		if (area.start < first)
			insert(s, area.start, first);
		if (area.end > end)
			insert(s, end, area.end);
		if (rwi_space_wrong(s))
			return false;
	}
	return true;
}

bool rwi_space_unmap(struct rwi_space *space, uint32_t first, uint32_t pages,
		     struct rwi_space_file *file, uint32_t *dropped)
{
	const uint32_t end = first + pages;
	double begin_s;

	*dropped = 0;
	if (first > space->pages || pages > space->pages - first)
		return false;
	begin_s = begin_write(space);
	if (!cut(space, first, end)) {
		end_write(space);
		return false;
	}
	if (file)
		count_mapped(file, -pages);
	rwi_space_spend(begin_s, space->costs.unmap);
	*dropped = end_write_and_drop(space, first, end);
	return true;
}

bool rwi_space_break(struct rwi_space *space, int32_t change)
{
	const double begin_s = begin_write(space);
	const uint32_t heap = rwi_space_heap(space), size = space->heap_size;
	const int64_t next = (int64_t)size + change;
	bool done = next >= 0 && next <= space->pages &&
		    (size || !next || space->vacant);

	if (done) {
		if (size)
			take_out(space, heap);
		if (next)
			done = insert(space, heap, heap + (uint32_t)next);
		space->heap_size = (uint32_t)next;
	}
	rwi_space_spend(begin_s, space->costs.brk);
	if (done && change < 0)
		end_write_and_drop(space, heap + (uint32_t)next, heap + size);
	else
		end_write(space);
	return done;
}

enum rwi_space_touch rwi_space_touch(struct rwi_space *space, uint32_t page,
				     struct rwi_space_file *file,
				     unsigned char *memory)
{
	const unsigned version = begin_read(space);
	const double begin_s = rwi_time_s(CLOCK_MONOTONIC);
	enum rwi_space_touch result = RWI_TOUCH_UNMAPPED;
	const uint32_t at = find(space, page);

	if (at && space->nodes[at].start <= page && page < space->all_pages) {
		fill(file, memory);
		result = enter_page(space, page);
	}
	rwi_space_spend(begin_s, space->costs.fault);
	end_read(space, version);
	return result;
}

/* ---- What is in it ---- */

struct inspection {
	const struct rwi_space *space;
	uint32_t areas, present;
	uint32_t last_end;
	const char *wrong;
};

static uint32_t count_present(const struct rwi_space *s, uint32_t first,
			      uint32_t end)
{
	uint32_t present = 0;

	for (uint32_t page = first; page < end; page++) {
		const struct leaf *leaf = s->leaves[page / LEAF_PAGES];

		present += leaf && leaf->present[page % LEAF_PAGES];
	}
	return present;
}

static void inspect_area(struct inspection *in, const struct node *n)
{
	if (n->start >= n->end || n->end > in->space->all_pages)
		in->wrong = "an area ends where it begins, or outside";
	else if (in->areas && n->start <= in->last_end)
		in->wrong = "areas touch, overlap, or are not in order";
	else
		in->present += count_present(in->space, n->start, n->end);
	in->areas++;
	in->last_end = n->end;
}

static void inspect(struct inspection *in, uint32_t at, unsigned depth)
{
	struct node *nodes = in->space->nodes;
	const struct node *n = &nodes[at];
	struct node again = *n;

	if (!at || in->wrong)
		return;
	if (depth == DEPTH_MAX || in->areas > in->space->areas) {
		in->wrong = "the tree of areas is none";
		return;
	}
	inspect(in, n->child[0], depth + 1);
	if (!in->wrong)
		inspect_area(in, n);
	inspect(in, n->child[1], depth + 1);
	sum_up(nodes, &again);
	if (!in->wrong &&
	    (again.low != n->low || again.high != n->high ||
	     again.widest != n->widest || again.height != n->height))
		in->wrong = "an area does not know its subtree";
	if (!in->wrong && (height(nodes, at, 0) > height(nodes, at, 1) + 1 ||
			   height(nodes, at, 1) > height(nodes, at, 0) + 1))
		in->wrong = "the tree of areas is not balanced";
}

const char *rwi_space_wrong(const struct rwi_space *space)
{
	return atomic_load_explicit(&space->wrong, memory_order_relaxed);
}

const char *rwi_space_check(const struct rwi_space *space)
{
	struct inspection in = { .space = space };
	uint32_t vacant = 0;

	inspect(&in, space->root, 0);
	if (in.wrong)
		return in.wrong;
	if (in.areas != space->areas)
		return "there are not as many areas as were counted";
	for (uint32_t at = space->vacant; at && vacant <= space->areas_max;
	     at = space->nodes[at].child[0])
		vacant++;
	if (in.areas + vacant != space->areas_max)
		return "areas were lost";
	if (in.present != rwi_space_pages_present(space))
		return "a page is present outside of all areas";
	return NULL;
}

uint32_t rwi_space_areas(const struct rwi_space *space)
{
	return space->areas;
}

uint32_t rwi_space_pages_present(const struct rwi_space *space)
{
	uint32_t present = 0;

	for (uint32_t i = 0; i < leaves_of(space); i++)
		present += space->leaves[i] ? space->leaves[i]->count : 0;
	return present;
}

uint32_t rwi_space_heap(const struct rwi_space *space)
{
	return space->pages + 1;
}

bool rwi_space_area(const struct rwi_space *space, uint32_t page,
		    uint32_t *start, uint32_t *end)
{
	const struct node *nodes = space->nodes;
	uint32_t at = space->root, found = 0;

	while (at) {
		const bool here = nodes[at].end > page;

		if (here)
			found = at;
		at = nodes[at].child[!here];
	}
	*start = nodes[found].start;
	*end = nodes[found].end;
	return found;
}

void *rwi_space_lock(struct rwi_space *space)
{
	return space->lock;
}

/* ---- All of it ---- */

struct rwi_space *rwi_space_new(const struct rwi_design *design, uint32_t pages,
				uint32_t areas_max,
				const struct rwi_space_costs *costs)
{
	struct rwi_space *s =
	    aligned_alloc(_Alignof(struct rwi_space), sizeof(struct rwi_space));

	if (!s)
		return NULL;
	memset(s, 0, sizeof *s);
	s->design = design;
	s->costs = *costs;
	s->pages = pages;
	s->all_pages = 2 * pages + 1;
	s->areas_max = areas_max;
	for (unsigned i = 0; i < STRIPES; i++)
		pthread_mutex_init(&s->stripes[i].mutex, NULL);
	s->leaves = calloc(leaves_of(s), sizeof(void *));
	s->nodes = calloc((size_t)areas_max + 1, sizeof s->nodes[0]);
	if (s->leaves && s->nodes && design)
		s->lock = rwi_lock_new(design);
	if (!s->leaves || !s->nodes || (design && !s->lock)) {
		rwi_space_free(s);
		return NULL;
	}
	for (uint32_t at = areas_max; at; at--) {
		s->nodes[at].child[0] = s->vacant;
		s->vacant = at;
	}
	return s;
}

void rwi_space_free(struct rwi_space *space)
{
	const int error = errno;

	if (!space)
		return;
	if (space->lock)
		rwi_lock_free(space->design, space->lock);
	for (uint32_t i = 0; space->leaves && i < leaves_of(space); i++)
		free(space->leaves[i]);
	for (unsigned i = 0; i < STRIPES; i++)
		pthread_mutex_destroy(&space->stripes[i].mutex);
	free(space->leaves);
	free(space->nodes);
	free(space);
	errno = error;
}
