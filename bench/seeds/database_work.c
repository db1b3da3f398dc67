/* SPDX-License-Identifier: MIT */
/*
 * Clients of the database: the transactions select-only and TPC-B.
 *
 * Whoever reads under a latch looks for signs of a change in its middle, and
 * whoever has a row finds out whether somebody else has it too.  What is wrong
 * is noted and the transaction goes on to its end, for its latches must be
 * released; then the client stops.
 */
#define _GNU_SOURCE /* clock_gettime */
#include "bench/clock.h"
#include "bench/seeds/database_inside.h"

#include <string.h>

static void note(struct rwi_db_client *c, const char *fault)
{
	if (!c->fault)
		c->fault = fault;
}

/* ---- Latches ---- */

static void down(struct rwi_db_client *c, enum rwi_latch kind, size_t i,
		 bool to_write)
{
	const struct rwi_design *design = c->db->design;

	if (c->held >> kind)
		note(c, "latches were taken out of order");
	c->held |= 1U << kind;
	c->taken[kind][to_write]++;
	if (!design)
		return;
	if (to_write)
		design->down_write(rwi_db_latch(c->db, kind, i));
	else
		design->down_read(rwi_db_latch(c->db, kind, i));
}

static void up(struct rwi_db_client *c, enum rwi_latch kind, size_t i,
	       bool to_write)
{
	const struct rwi_design *design = c->db->design;

	c->held &= ~(1U << kind);
	if (!design)
		return;
	if (to_write)
		design->up_write(rwi_db_latch(c->db, kind, i));
	else
		design->up_read(rwi_db_latch(c->db, kind, i));
}

/* ---- Chance and computing ---- */

static uint64_t draw(struct rwi_db_client *c)
{
	uint64_t z = c->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint32_t draw_below(struct rwi_db_client *c, uint32_t bound)
{
	return (uint32_t)((draw(c) >> 32) * bound >> 32);
}

void rwi_db_compute(uint64_t loops)
{
	uint64_t x = loops;

	while (loops--) {
		x = x * UINT64_C(6364136223846793005) + 1;
		/* The result matters to nobody, but the compiler. */
		__asm__ volatile("" : "+r"(x));
	}
}

/* ---- Pages ---- */

/* Find the page in the buffer pool and pin it there. */
static struct rwi_db_frame *pin(struct rwi_db_client *c, uint32_t number)
{
	struct rwi_database *db = c->db;
	const struct rwi_db_place place = rwi_db_place_of(db, number);
	struct rwi_db_frame *frame = NULL;

	down(c, RWI_MAP, place.partition, false);
	for (uint32_t link = *place.head; link; link = frame->next) {
		frame = &db->frames[link - 1];
		if (frame->number == number)
			break;
	}
	if (!frame || frame->number != number) {
		note(c, "a page was lost from the map");
		/* Pages do not move, so this is where it should be. */
		frame = &db->frames[number];
	}
	atomic_fetch_add_explicit(&frame->pins, 1, memory_order_relaxed);
	up(c, RWI_MAP, place.partition, false);
	return frame;
}

static void unpin(struct rwi_db_frame *frame)
{
	atomic_fetch_sub_explicit(&frame->pins, 1, memory_order_release);
}

/* Pin the page and latch it; *frame is for leave(). */
static struct rwi_db_page *enter(struct rwi_db_client *c, uint32_t number,
				 bool to_write, struct rwi_db_frame **frame)
{
	struct rwi_db_page *page;

	*frame = pin(c, number);
	down(c, RWI_PAGE, (*frame)->number, to_write);
	page = (*frame)->page;
	if (page->begun != page->ended)
		note(c, "a page was latched in the middle of a change");
	if (to_write)
		page->begun++;
	return page;
}

static void leave(struct rwi_db_client *c, struct rwi_db_frame *frame,
		  bool to_write)
{
	if (to_write)
		frame->page->ended++;
	/* Else the compiler would know that a reader changed nothing. */
	atomic_signal_fence(memory_order_seq_cst);
	if (frame->page->begun != frame->page->ended)
		note(c, "a page was changed by somebody else");
	up(c, RWI_PAGE, frame->number, to_write);
	unpin(frame);
}

/* The last entry of an index page that begins at this key or before it. */
static uint32_t search(const struct rwi_database *db, struct rwi_db_page *page,
		       uint32_t key)
{
	const uint32_t wanted = (key - page->base) / page->span;
	uint32_t low = 0, beyond = page->count;

	while (beyond - low > 1) {
		const uint32_t middle = low + (beyond - low) / 2;

		if (*rwi_db_entry_of(db, page, middle) <= wanted)
			low = middle;
		else
			beyond = middle;
	}
	return page->child + low;
}

/* Where a row is. */
struct place {
	const struct rwi_db_table *table;
	uint32_t page, in_page, key;
};

/* Down the index, one page at a time. */
static struct place find(struct rwi_db_client *c, enum rwi_table which,
			 uint32_t key)
{
	const struct rwi_db_table *t = &c->db->tables[which];
	uint32_t number = t->root;

	for (uint32_t level = t->levels; level; level--) {
		struct rwi_db_frame *frame;
		struct rwi_db_page *page = enter(c, number, false, &frame);

		number = search(c->db, page, key);
		leave(c, frame, false);
	}
	return (struct place){ .table = t,
			       .page = t->first + number / t->rows_a_page,
			       .in_page = number % t->rows_a_page,
			       .key = key };
}

/* Read the row there. */
static struct rwi_db_row read_row(struct rwi_db_client *c,
				  const struct place *place, uint64_t *xid)
{
	struct rwi_db_frame *frame;
	struct rwi_db_page *page = enter(c, place->page, false, &frame);
	const struct rwi_db_row row =
	    *rwi_db_row_of(place->table, page, place->in_page);

	*xid = page->xid;
	leave(c, frame, false);
	if (row.id != place->key)
		note(c, "an index led to another row");
	return row;
}

/* ---- The log and what else is shared ---- */

/* Append a record of so many bytes; returns the log's end after it. */
static uint64_t log_record(struct rwi_db_client *c, uint32_t bytes)
{
	struct rwi_db_log *log = &c->db->log;
	size_t at, until_wrap;
	uint64_t end;

	down(c, RWI_WAL, 0, true);
	end = atomic_load_explicit(&log->end, memory_order_relaxed);
	at = end % RWI_DB_LOG_RING;
	until_wrap = RWI_DB_LOG_RING - at;
	if (until_wrap > bytes)
		until_wrap = bytes;
	memcpy(log->ring + at, c->record, until_wrap);
	memcpy(log->ring, c->record + until_wrap, bytes - until_wrap);
	log->records++;
	end += bytes;
	atomic_store_explicit(&log->end, end, memory_order_release);
	up(c, RWI_WAL, 0, true);
	return end;
}

/* Wait until the log is safe up to here; who leads makes all of it safe. */
static void flush(struct rwi_db_client *c, uint64_t lsn)
{
	struct rwi_database *db = c->db;

	if (atomic_load_explicit(&db->flushed, memory_order_acquire) >= lsn)
		return;
	down(c, RWI_FLUSH, 0, true);
	if (atomic_load_explicit(&db->flushed, memory_order_relaxed) < lsn) {
		const uint64_t end =
		    atomic_load_explicit(&db->log.end, memory_order_acquire);

		db->flushes++;
		atomic_store_explicit(&db->flushed, end, memory_order_release);
	}
	up(c, RWI_FLUSH, 0, true);
}

/* Which transactions are running: each statement wants to know. */
static void take_snapshot(struct rwi_db_client *c)
{
	struct rwi_database *db = c->db;
	uint64_t oldest = UINT64_MAX;

	down(c, RWI_PROC, 0, false);
	for (unsigned i = 0; i < db->clients; i++) {
		const uint64_t xid =
		    atomic_load_explicit(&db->running[i], memory_order_relaxed);

		if (xid && xid < oldest)
			oldest = xid;
	}
	c->seen += oldest;
	up(c, RWI_PROC, 0, false);
}

/* The two bits of a transaction; the first stands for all earlier runs. */
static uint64_t *state_of(const struct rwi_database *db, uint64_t xid,
			  unsigned *shift)
{
	const uint64_t i = xid < db->first_xid ? 0 : xid - db->first_xid + 1;

	*shift = (unsigned)(i % 32) * 2;
	return &db->states[i / 32];
}

static void end_transaction(struct rwi_db_client *c)
{
	struct rwi_database *db = c->db;
	unsigned shift;
	uint64_t *state = state_of(db, c->xid, &shift);

	down(c, RWI_CLOG, 0, true);
	*state |= (uint64_t)RWI_DB_COMMITTED << shift;
	up(c, RWI_CLOG, 0, true);
	down(c, RWI_PROC, 0, true);
	atomic_store_explicit(&db->running[c->number], 0, memory_order_relaxed);
	db->completed++;
	up(c, RWI_PROC, 0, true);
}

/* Has the last change of the row just read been committed? */
static void look_up_state(struct rwi_db_client *c, uint64_t xid)
{
	unsigned shift;
	const uint64_t *state = state_of(c->db, xid, &shift);

	down(c, RWI_CLOG, 0, false);
	c->seen += *state >> shift & RWI_DB_COMMITTED;
	up(c, RWI_CLOG, 0, false);
}

/* ---- Statements ---- */

/* The row locks that a transaction keeps until it commits. */
struct rows {
	size_t locked[RWI_ROW_BRANCH + 1];
};

static void lock_row(struct rwi_db_client *c, struct rows *rows,
		     enum rwi_latch kind, uint32_t key)
{
	size_t i = key;
	uint64_t *owner;

	if (kind == RWI_ROW_ACCOUNT)
		i = key * UINT64_C(0x9e3779b97f4a7c15) >> 54;
	_Static_assert(RWI_DB_STRIPES == 1 << (64 - 54), "so many bits");
	rows->locked[kind] = i;
	down(c, kind, i, true);
	owner = &c->db->row_owners[kind][i];
	if (*owner)
		note(c, "a row was locked by two");
	*owner = c->xid;
}

static void unlock_rows(struct rwi_db_client *c, const struct rows *rows)
{
	for (int kind = RWI_ROW_BRANCH; kind >= RWI_ROW_ACCOUNT; kind--) {
		const size_t i = rows->locked[kind];
		uint64_t *owner = &c->db->row_owners[kind][i];

		if (*owner != c->xid)
			note(c, "a locked row was taken by somebody else");
		*owner = 0;
		up(c, (enum rwi_latch)kind, i, true);
	}
}

/* Returns the balance after it. */
static int64_t update(struct rwi_db_client *c, struct rows *rows,
		      enum rwi_table which, uint32_t key, int32_t delta)
{
	struct rwi_db_frame *frame;
	struct rwi_db_page *page;
	struct rwi_db_row *row;
	struct place place;
	int64_t balance;
	uint64_t xid;

	take_snapshot(c);
	place = find(c, which, key);
	read_row(c, &place, &xid);
	lock_row(c, rows, (enum rwi_latch)which, key);
	page = enter(c, place.page, true, &frame);
	row = rwi_db_row_of(place.table, page, place.in_page);
	row->balance += delta;
	balance = row->balance;
	memcpy(c->record, row, sizeof *row);
	frame->lsn = log_record(c, RWI_DB_LOG_UPDATE);
	page->xid = c->xid;
	leave(c, frame, true);
	return balance;
}

/* A page of the history that is this client's alone. */
static bool new_history_page(struct rwi_db_client *c)
{
	struct rwi_database *db = c->db;
	const unsigned i = atomic_fetch_add(&db->history_pages, 1);
	struct rwi_db_frame *frame = &db->frames[db->pages + i];
	uint32_t partition;

	if (i >= RWI_DB_HISTORY_PAGES) {
		note(c, "the history is full");
		return false;
	}
	partition = rwi_db_place_of(db, frame->number).partition;
	down(c, RWI_MAP, partition, true);
	rwi_db_map(db, frame);
	up(c, RWI_MAP, partition, true);
	c->history_page = frame->number;
	c->history_left = db->tables[RWI_HISTORY].rows_a_page;
	return true;
}

static void insert(struct rwi_db_client *c, const struct rwi_db_history *row)
{
	struct rwi_db_frame *frame;
	struct rwi_db_page *page;

	take_snapshot(c);
	if (!c->history_left && !new_history_page(c))
		return;
	c->history_left--;
	page = enter(c, c->history_page, true, &frame);
	*rwi_db_history_of(page, page->count) = *row;
	page->count++;
	memcpy(c->record, row, sizeof *row);
	frame->lsn = log_record(c, RWI_DB_LOG_INSERT);
	page->xid = c->xid;
	leave(c, frame, true);
}

/* ---- Transactions ---- */

static void begin(struct rwi_db_client *c)
{
	struct rwi_database *db = c->db;

	c->xid =
	    atomic_fetch_add_explicit(&db->next_xid, 1, memory_order_relaxed);
	atomic_store_explicit(&db->running[c->number], c->xid,
			      memory_order_relaxed);
	if (c->xid - db->first_xid + 1 >= RWI_DB_XIDS)
		note(c, "more transactions than there are states for");
}

static void tpcb(struct rwi_db_client *c)
{
	const struct rwi_db_table *tables = c->db->tables;
	struct rwi_db_history row = {
		.account = draw_below(c, tables[RWI_ACCOUNTS].rows),
		.teller = draw_below(c, tables[RWI_TELLERS].rows),
		.delta = (int32_t)draw_below(c, 10001) - 5000,
	};
	struct place place;
	struct rows rows;
	int64_t balance;
	uint64_t xid;

	begin(c);
	if (c->xid - c->db->first_xid + 1 >= RWI_DB_XIDS)
		return;
	row.branch =
	    row.teller / (tables[RWI_TELLERS].rows / tables[RWI_BRANCHES].rows);
	row.xid = c->xid;
	row.time = rwi_ticks();
	balance = update(c, &rows, RWI_ACCOUNTS, row.account, row.delta);
	take_snapshot(c);
	place = find(c, RWI_ACCOUNTS, row.account);
	if (read_row(c, &place, &xid).balance != balance)
		note(c, "a locked row was changed by somebody else");
	update(c, &rows, RWI_TELLERS, row.teller, row.delta);
	update(c, &rows, RWI_BRANCHES, row.branch, row.delta);
	insert(c, &row);
	flush(c, log_record(c, RWI_DB_LOG_COMMIT));
	end_transaction(c);
	unlock_rows(c, &rows);
}

static void select_only(struct rwi_db_client *c)
{
	const uint32_t key = draw_below(c, c->db->tables[RWI_ACCOUNTS].rows);
	struct place place;
	uint64_t xid;

	take_snapshot(c);
	place = find(c, RWI_ACCOUNTS, key);
	read_row(c, &place, &xid);
	look_up_state(c, xid);
}

/* When the run ends; the first client's clock decides. */
static double end_of_run(const struct rwi_db_client *c)
{
	uint64_t none = 0;
	uint64_t end_ns =
	    (uint64_t)(1e9 * (rwi_time_s(CLOCK_MONOTONIC) + c->load.seconds));

	if (!atomic_compare_exchange_strong(&c->db->end_ns, &none, end_ns))
		end_ns = none;
	return 1e-9 * (double)end_ns;
}

void rwi_db_client_run(void *client)
{
	struct rwi_db_client *c = client;
	const double end_s = end_of_run(c);
	const uint64_t most =
	    c->load.transactions ? c->load.transactions : UINT64_MAX;
	double now_s = rwi_time_s(CLOCK_MONOTONIC);

	while (now_s < end_s && c->transactions < most && !c->fault) {
		double then_s;

		if (c->load.script == RWI_SELECT)
			select_only(c);
		else
			tpcb(c);
		c->transactions++;
		then_s = rwi_time_s(CLOCK_MONOTONIC);
		if (then_s - now_s > c->longest_s)
			c->longest_s = then_s - now_s;
		rwi_db_compute(c->pause_loops);
		now_s = rwi_time_s(CLOCK_MONOTONIC);
	}
}
