/* SPDX-License-Identifier: MIT */
/*
 * The database's memory: pages, indexes, the map, latches; and its runs.
 *
 * A database is loaded once and serves many runs, for loading takes longer than
 * a run.  What a run needs fresh is made fresh: all latches, the history, the
 * commit states, the count of log records.  Balances live on, and with them the
 * sum of the history that was thrown away.
 *
 * All pages have a frame from the beginning, in order, so the map never misses;
 * clients look there nevertheless, as a server must.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "bench/seeds/database.h"

#include "bench/clock.h"
#include "bench/seeds/crew.h"
#include "bench/seeds/database_inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	ACCOUNTS_A_BRANCH = 100000,
	TELLERS_A_BRANCH = 10,
	ACCOUNTS_A_PAGE = 61,
	OTHERS_A_PAGE = 100,
	SCALE_MAX = 20000,
	FULL_ACCOUNT = 128, /* bytes of a row */
	FULL_OTHER = 80,
	FULL_ENTRY = 22
};

static size_t round_up(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

static uint32_t divide_up(uint32_t n, uint32_t by)
{
	return n / by + (n % by != 0);
}

/* ---- Where everything is ---- */

/* Pages of an index; *levels is how many lie over each other. */
static uint32_t index_pages(uint32_t rows, uint32_t *levels)
{
	uint32_t level = divide_up(rows, RWI_DB_FAN_OUT), pages = level;

	for (*levels = 1; level > 1; ++*levels) {
		level = divide_up(level, RWI_DB_FAN_OUT);
		pages += level;
	}
	return pages;
}

static size_t page_bytes(const struct rwi_database_size *size, uint32_t items,
			 uint32_t item_size)
{
	if (size->full_pages)
		return RWI_DB_PAGE;
	return round_up(sizeof(struct rwi_db_page) + items * item_size,
			RWI_DB_LINE);
}

static size_t index_page_bytes(const struct rwi_database *db)
{
	return page_bytes(&db->size, RWI_DB_FAN_OUT, db->entry_size);
}

static void lay_out_table(struct rwi_database *db, enum rwi_table which,
			  uint32_t rows)
{
	struct rwi_db_table *t = &db->tables[which];
	const bool full = db->size.full_pages, big = which == RWI_ACCOUNTS;

	t->rows = rows;
	t->rows_a_page = big ? ACCOUNTS_A_PAGE : OTHERS_A_PAGE;
	t->row_size = (uint32_t)sizeof(struct rwi_db_row);
	if (full)
		t->row_size = big ? FULL_ACCOUNT : FULL_OTHER;
	t->page_size =
	    (uint32_t)page_bytes(&db->size, t->rows_a_page, t->row_size);
	t->first = db->pages;
	t->pages = divide_up(rows, t->rows_a_page);
	t->root = t->first + t->pages;
	t->index_pages = index_pages(rows, &t->levels);
	db->pages += t->pages + t->index_pages;
	db->bytes += (size_t)t->pages * t->page_size +
		     (size_t)t->index_pages * index_page_bytes(db);
}

/* All that follows from the size, and no memory yet. */
static void lay_out(struct rwi_database *db)
{
	const uint32_t scale = (uint32_t)db->size.scale;
	struct rwi_db_table *history = &db->tables[RWI_HISTORY];

	db->entry_size = sizeof(uint16_t);
	if (db->size.full_pages)
		db->entry_size = FULL_ENTRY;
	lay_out_table(db, RWI_ACCOUNTS, ACCOUNTS_A_BRANCH * scale);
	lay_out_table(db, RWI_TELLERS, TELLERS_A_BRANCH * scale);
	lay_out_table(db, RWI_BRANCHES, scale);
	*history = (struct rwi_db_table){
		.row_size = (uint32_t)sizeof(struct rwi_db_history),
		.rows_a_page = (RWI_DB_PAGE - sizeof(struct rwi_db_page)) /
			       sizeof(struct rwi_db_history),
		.first = db->pages,
		.page_size = RWI_DB_PAGE,
	};
	db->buckets = 64;
	while (db->buckets * RWI_DB_PARTITIONS < db->pages)
		db->buckets *= 2;
}

uint64_t rwi_database_bytes(const struct rwi_database_size *size)
{
	struct rwi_database db = { .size = *size };
	uint64_t frames;

	if (size->scale < 1 || size->scale > SCALE_MAX)
		return UINT64_MAX;
	lay_out(&db);
	frames = (uint64_t)db.pages + RWI_DB_HISTORY_PAGES;
	/* A history that fills a quarter of what it may is a long one. */
	return db.bytes + frames * (sizeof *db.frames + RWI_LOCK_SIZE_MAX) +
	       (uint64_t)RWI_DB_PARTITIONS * db.buckets * sizeof *db.heads +
	       (uint64_t)RWI_DB_HISTORY_PAGES / 4 * RWI_DB_PAGE +
	       RWI_DB_LOG_RING + RWI_DB_XIDS / 4;
}

/* ---- The map ---- */

struct rwi_db_place rwi_db_place_of(const struct rwi_database *db,
				    uint32_t number)
{
	const uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);
	const uint32_t partition = (uint32_t)(hash >> 60);
	const uint32_t bucket = (uint32_t)(hash >> 28) & (db->buckets - 1);

	_Static_assert(RWI_DB_PARTITIONS == 16, "four bits of the hash");
	return (struct rwi_db_place){
		.partition = partition,
		.head = &db->heads[(size_t)partition * db->buckets + bucket],
	};
}

void rwi_db_map(struct rwi_database *db, struct rwi_db_frame *frame)
{
	uint32_t *head = rwi_db_place_of(db, frame->number).head;

	frame->next = *head;
	*head = (uint32_t)(frame - db->frames) + 1;
}

static void unmap(struct rwi_database *db, const struct rwi_db_frame *frame)
{
	const uint32_t link = (uint32_t)(frame - db->frames) + 1;
	uint32_t *at = rwi_db_place_of(db, frame->number).head;

	while (*at && *at != link)
		at = &db->frames[*at - 1].next;
	if (*at)
		*at = frame->next;
}

/* ---- Loading ---- */

static void load_heap(struct rwi_database *db, enum rwi_table which)
{
	const struct rwi_db_table *t = &db->tables[which];
	const uint32_t rows_a_branch =
	    which == RWI_ACCOUNTS
		? ACCOUNTS_A_BRANCH
		: (which == RWI_TELLERS ? TELLERS_A_BRANCH : 1);

	for (uint32_t i = 0; i < t->rows; i++) {
		const uint32_t in_page = i % t->rows_a_page;
		struct rwi_db_page *page =
		    db->frames[t->first + i / t->rows_a_page].page;
		struct rwi_db_row *row = rwi_db_row_of(t, page, in_page);

		row->id = i;
		row->branch = i / rows_a_branch;
		page->count = in_page + 1;
	}
}

/*
 * Fill `pages` pages from number `first` on, each entry of which leads to the
 * next of `children` things from `child` on and stands for `span` keys.
 */
static void load_level(struct rwi_database *db, uint32_t first, uint32_t pages,
		       uint32_t child, uint32_t children, uint32_t span)
{
	for (uint32_t i = 0; i < pages; i++) {
		struct rwi_db_page *page = db->frames[first + i].page;
		const uint32_t begin = i * RWI_DB_FAN_OUT;
		const uint32_t left = children - begin;

		page->base = begin * span;
		page->span = span;
		page->child = child + begin;
		page->count = left < RWI_DB_FAN_OUT ? left : RWI_DB_FAN_OUT;
		for (uint32_t j = 0; j < page->count; j++)
			*rwi_db_entry_of(db, page, j) = (uint16_t)j;
	}
}

/* The leaves come last, and before them what is above them. */
static void load_index(struct rwi_database *db, enum rwi_table which)
{
	const struct rwi_db_table *t = &db->tables[which];
	uint32_t first = t->root + t->index_pages, child = 0;
	uint32_t children = t->rows, span = 1;

	for (uint32_t level = 0; level < t->levels; level++) {
		const uint32_t pages = divide_up(children, RWI_DB_FAN_OUT);

		first -= pages;
		load_level(db, first, pages, child, children, span);
		child = first;
		children = pages;
		span *= RWI_DB_FAN_OUT;
	}
}

static char *load_frames(struct rwi_database *db, uint32_t first,
			 uint32_t frames, char *memory, size_t size)
{
	for (uint32_t i = first; i < first + frames; i++) {
		db->frames[i].number = i;
		db->frames[i].page = (void *)memory;
		memory += size;
	}
	return memory;
}

static void load(struct rwi_database *db)
{
	char *memory = db->memory;

	for (enum rwi_table i = 0; i < RWI_HISTORY; i++) {
		const struct rwi_db_table *t = &db->tables[i];

		memory =
		    load_frames(db, t->first, t->pages, memory, t->page_size);
		memory = load_frames(db, t->root, t->index_pages, memory,
				     index_page_bytes(db));
		load_heap(db, i);
		load_index(db, i);
	}
	for (uint32_t i = 0; i < db->pages; i++)
		rwi_db_map(db, &db->frames[i]);
	load_frames(db, db->pages, RWI_DB_HISTORY_PAGES, db->history,
		    RWI_DB_PAGE);
	atomic_store(&db->next_xid, 1);
}

/* Zeroed memory that exists where it is used; null if there is none. */
static void *reserve(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void release(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

static const size_t history_bytes = (size_t)RWI_DB_HISTORY_PAGES * RWI_DB_PAGE;
static const size_t state_bytes = RWI_DB_XIDS / 4;

static size_t frames_bytes(const struct rwi_database *db)
{
	return ((size_t)db->pages + RWI_DB_HISTORY_PAGES) * sizeof *db->frames;
}

static size_t heads_bytes(const struct rwi_database *db)
{
	return (size_t)RWI_DB_PARTITIONS * db->buckets * sizeof *db->heads;
}

/* How many row locks of each kind there are. */
static size_t rows_locked(const struct rwi_database *db, enum rwi_latch kind)
{
	if (kind == RWI_ROW_ACCOUNT)
		return RWI_DB_STRIPES;
	return db->tables[kind == RWI_ROW_TELLER ? RWI_TELLERS : RWI_BRANCHES]
	    .rows;
}

static bool obtain(struct rwi_database *db)
{
	bool all = true;

	db->memory = reserve(db->bytes);
	db->history = reserve(history_bytes);
	db->frames = reserve(frames_bytes(db));
	db->heads = reserve(heads_bytes(db));
	db->states = reserve(state_bytes);
	db->log.ring = reserve(RWI_DB_LOG_RING);
	for (enum rwi_latch i = 0; i <= RWI_ROW_BRANCH; i++) {
		db->row_owners[i] =
		    calloc(rows_locked(db, i), sizeof(uint64_t));
		all = all && db->row_owners[i];
	}
	db->running = calloc(RWI_DB_CLIENTS_MAX, sizeof *db->running);
	return all && db->memory && db->history && db->frames && db->heads &&
	       db->states && db->log.ring && db->running;
}

struct rwi_database *rwi_database_new(const struct rwi_database_size *size)
{
	struct rwi_database *db;

	if (size->scale < 1 || size->scale > SCALE_MAX) {
		errno = EINVAL;
		return NULL;
	}
	db = aligned_alloc(RWI_DB_OWN_LINES, sizeof *db);
	if (!db)
		return NULL;
	memset(db, 0, sizeof *db);
	db->size = *size;
	lay_out(db);
	if (!obtain(db)) {
		rwi_database_free(db);
		errno = ENOMEM;
		return NULL;
	}
	load(db);
	return db;
}

void rwi_database_free(struct rwi_database *db)
{
	if (!db)
		return;
	release(db->memory, db->bytes);
	release(db->history, history_bytes);
	release(db->frames, frames_bytes(db));
	release(db->heads, heads_bytes(db));
	release(db->states, state_bytes);
	release(db->log.ring, RWI_DB_LOG_RING);
	release(db->latch_memory, db->latch_bytes);
	for (enum rwi_latch i = 0; i <= RWI_ROW_BRANCH; i++)
		free(db->row_owners[i]);
	free(db->running);
	free(db);
}

/* ---- Latches ---- */

static void close_latches(struct rwi_database *db, size_t initialized)
{
	for (enum rwi_latch kind = 0; kind < RWI_LATCHES; kind++) {
		const struct rwi_db_latches *l = &db->latches[kind];

		for (size_t i = 0; i < l->count && initialized; i++) {
			if (db->design->destroy)
				db->design->destroy(rwi_db_latch(db, kind, i));
			initialized--;
		}
	}
}

/* Returns 0 or an errno; *initialized is how many have been, in any case. */
static int initialize_latches(struct rwi_database *db, size_t *initialized)
{
	*initialized = 0;
	for (enum rwi_latch kind = 0; kind < RWI_LATCHES; kind++) {
		const struct rwi_db_latches *l = &db->latches[kind];

		for (size_t i = 0; i < l->count; i++) {
			int error = 0;

			if (db->design->init)
				error =
				    db->design->init(rwi_db_latch(db, kind, i));
			if (error)
				return error;
			++*initialized;
		}
	}
	return 0;
}

/*
 * Latches of pages are on a cache line, or so many, of their own; as pages are
 * met at random, the line beside it does not matter.  All others get two.
 */
static size_t place_latches(struct rwi_database *db)
{
	const size_t counts[RWI_LATCHES] = {
		[RWI_ROW_ACCOUNT] = rows_locked(db, RWI_ROW_ACCOUNT),
		[RWI_ROW_TELLER] = rows_locked(db, RWI_ROW_TELLER),
		[RWI_ROW_BRANCH] = rows_locked(db, RWI_ROW_BRANCH),
		[RWI_MAP] = RWI_DB_PARTITIONS,
		[RWI_PROC] = 1,
		[RWI_CLOG] = 1,
		[RWI_FLUSH] = 1,
		[RWI_PAGE] = db->pages + (size_t)RWI_DB_HISTORY_PAGES,
		[RWI_WAL] = 1,
	};
	size_t bytes = 0;

	for (enum rwi_latch kind = 0; kind < RWI_LATCHES; kind++) {
		struct rwi_db_latches *l = &db->latches[kind];
		size_t to = kind == RWI_PAGE ? RWI_DB_LINE : RWI_DB_OWN_LINES;

		if (db->design->lock_align > to)
			to = db->design->lock_align;
		l->stride = round_up(db->design->lock_size, to);
		l->count = counts[kind];
		bytes = round_up(bytes, RWI_DB_OWN_LINES);
		l->offset = bytes;
		bytes += l->stride * l->count;
	}
	return bytes;
}

/* Returns 0 or an errno. */
static int open_latches(struct rwi_database *db,
			const struct rwi_design *design)
{
	size_t bytes, initialized;
	int error;

	db->design = design;
	if (!design)
		return 0;
	bytes = place_latches(db);
	if (bytes > db->latch_bytes) {
		release(db->latch_memory, db->latch_bytes);
		db->latch_memory = reserve(bytes);
		db->latch_bytes = db->latch_memory ? bytes : 0;
		if (!db->latch_memory)
			return ENOMEM;
	}
	/* Also touches the memory, so that no run does. */
	memset(db->latch_memory, 0, bytes);
	error = initialize_latches(db, &initialized);
	if (error)
		close_latches(db, initialized);
	return error;
}

/* ---- Runs ---- */

static void truncate_history(struct rwi_database *db)
{
	struct rwi_db_frame *frame = &db->frames[db->pages];
	unsigned used = atomic_load(&db->history_pages);

	if (used > RWI_DB_HISTORY_PAGES)
		used = RWI_DB_HISTORY_PAGES;
	db->history_before = rwi_database_balance(db, RWI_HISTORY);
	for (; used; used--, frame++) {
		unmap(db, frame);
		frame->lsn = frame->checked_lsn = 0;
		memset(frame->page, 0, sizeof *frame->page);
	}
	atomic_store(&db->history_pages, 0);
}

static void make_fresh(struct rwi_database *db, unsigned clients)
{
	const uint64_t xid = atomic_load(&db->next_xid);
	const size_t words = (size_t)(xid - db->first_xid) / 32 + 1;

	truncate_history(db);
	memset(db->states, 0, words * sizeof *db->states);
	db->first_xid = xid;
	db->completed = 0;
	db->flushes = 0;
	db->log.records = 0;
	db->log.begin = atomic_load(&db->log.end);
	db->clients = clients;
	atomic_store(&db->end_ns, 0);
}

/* How often a loop of computing turns in this time, as fast as now. */
static uint64_t loops_of(double ns)
{
	const uint64_t turns = 20000;
	double best = 1;

	if (ns <= 0)
		return 0;
	for (int i = 0; i < 5; i++) {
		const double begin = rwi_time_s(CLOCK_MONOTONIC);
		double s;

		rwi_db_compute(turns);
		s = rwi_time_s(CLOCK_MONOTONIC) - begin;
		if (s < best)
			best = s;
	}
	return (uint64_t)(ns * (double)turns / (1e9 * best + 1));
}

static void add_up(const struct rwi_db_client *clients, unsigned count,
		   struct rwi_database_work *work)
{
	work->fewest = UINT64_MAX;
	for (unsigned i = 0; i < count; i++) {
		const struct rwi_db_client *c = &clients[i];

		work->transactions += c->transactions;
		if (c->transactions < work->fewest)
			work->fewest = c->transactions;
		if (c->longest_s > work->longest_s)
			work->longest_s = c->longest_s;
		for (int kind = 0; kind < RWI_LATCHES; kind++)
			for (int side = 0; side < 2; side++)
				work->taken[kind][side] += c->taken[kind][side];
	}
}

static int run_clients(struct rwi_database *db, struct rwi_db_client *clients,
		       const struct rwi_database_load *load,
		       struct rwi_database_work *work)
{
	const uint64_t pause_loops = loops_of(load->think_ns);
	const struct rwi_crew crew = { .threads = load->clients,
				       .work = rwi_db_client_run,
				       .seats = clients,
				       .seat_size = sizeof *clients,
				       .patience_s =
					   load->seconds + load->patience_s };
	int error;

	memset(clients, 0, load->clients * sizeof *clients);
	for (unsigned i = 0; i < load->clients; i++) {
		clients[i].db = db;
		clients[i].load = *load;
		clients[i].number = i;
		clients[i].random = load->random + i;
		clients[i].pause_loops = pause_loops;
	}
	make_fresh(db, load->clients);
	error = rwi_crew_run(&crew, &work->elapsed_s);
	if (error == ETIMEDOUT) {
		work->stuck = true;
		work->fault = "stuck";
		return 0;
	}
	if (error)
		return error;
	add_up(clients, load->clients, work);
	work->fault = rwi_db_check(db, clients, load, work);
	return 0;
}

int rwi_database_run(struct rwi_database *db, const struct rwi_design *design,
		     const struct rwi_database_load *load,
		     struct rwi_database_work *work)
{
	struct rwi_db_client *clients;
	int error;

	memset(work, 0, sizeof *work);
	if (!load->clients || load->clients > RWI_DB_CLIENTS_MAX)
		return EINVAL;
	clients =
	    aligned_alloc(RWI_DB_OWN_LINES, load->clients * sizeof *clients);
	if (!clients)
		return ENOMEM;
	error = open_latches(db, design);
	if (!error) {
		error = run_clients(db, clients, load, work);
		if (work->stuck)
			return 0;
		if (design)
			close_latches(db, SIZE_MAX);
	}
	free(clients);
	return error;
}
