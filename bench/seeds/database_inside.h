/* SPDX-License-Identifier: MIT */
/*
 * The database inside: what its pages, its log and its latches look like, for
 * the files that load it, work on it and check it.
 */
#ifndef RWI_DATABASE_INSIDE_H
#define RWI_DATABASE_INSIDE_H

#include "bench/seeds/database.h"

#include <stdatomic.h>
#include <stddef.h>

enum {
	RWI_DB_LINE = 64,
	RWI_DB_OWN_LINES = 128,
	RWI_DB_PAGE = 8192,   /* a full page, and always one of the history */
	RWI_DB_FAN_OUT = 366, /* keys of a page of an index */
	RWI_DB_PARTITIONS = 16,
	RWI_DB_STRIPES = 1024, /* of the locks of accounts' rows */
	RWI_DB_CLIENTS_MAX = 1024,
	RWI_DB_LOG_RING = 16 << 20,
	/* What one run can do: pages of the history, changing transactions. */
	RWI_DB_HISTORY_PAGES = 1 << 16,
	RWI_DB_XIDS = 1 << 25
};

/* The lengths of log records, in bytes. */
enum {
	RWI_DB_LOG_UPDATE = 180,
	RWI_DB_LOG_INSERT = 140,
	RWI_DB_LOG_COMMIT = 40
};

/* What the two bits of a transaction say. */
enum { RWI_DB_COMMITTED = 1, RWI_DB_STATE = 3 };

/*
 * A page, guarded by its latch.  A page of an index finds a key by binary
 * search: entry i stands for the keys from base + entry * span on, and leads
 * to page (in a leaf: row) number child + i.
 */
struct rwi_db_page {
	uint64_t begun, ended; /* changes; not equal in the middle of one */
	uint64_t xid;          /* who changed it last */
	uint32_t count;        /* entries or rows in use */
	uint32_t base, span, child;
};

/* A row of all tables but the history; it is as long as its table says. */
struct rwi_db_row {
	uint32_t id, branch;
	int64_t balance;
};

struct rwi_db_history {
	uint32_t account, teller, branch;
	int32_t delta;
	uint64_t xid, time;
};

/* Where a page is; the map leads here. */
struct rwi_db_frame {
	_Alignas(RWI_DB_LINE) struct rwi_db_page *page;
	atomic_uint pins;
	uint32_t number; /* of the page */
	uint32_t next;   /* frame of the same bucket, plus one; 0: none */
	uint64_t lsn;    /* of the last change, guarded by the page's latch */
	int64_t checked; /* balances of the page when last added up */
	uint64_t checked_lsn;
};

struct rwi_db_table {
	uint32_t rows, rows_a_page, row_size;
	uint32_t first, pages;      /* of the heap */
	uint32_t levels;            /* of the index */
	uint32_t root, index_pages; /* the index's pages follow the root */
	uint32_t page_size;
};

/* Latches of one kind, each on its own cache lines. */
struct rwi_db_latches {
	size_t offset, stride, count;
};

/* Guarded by RWI_WAL, but for what others may read at any time. */
struct rwi_db_log {
	char *ring;
	uint64_t records, begin; /* of this run; its first LSN */
	_Alignas(RWI_DB_OWN_LINES) _Atomic uint64_t end; /* the next LSN */
};

struct rwi_database {
	struct rwi_database_size size;
	const struct rwi_design *design; /* of the latches, while they exist */
	struct rwi_db_latches latches[RWI_LATCHES];
	char *latch_memory;
	size_t latch_bytes;
	struct rwi_db_table tables[RWI_TABLES];
	uint32_t entry_size; /* of index pages */
	uint32_t pages;      /* loaded; those of the history follow */
	uint32_t buckets;    /* of each partition, a power of two */
	uint32_t *heads;     /* of the buckets: frame plus one */
	struct rwi_db_frame *frames;
	char *memory, *history; /* the pages */
	size_t bytes;
	int64_t history_before; /* balances of the history of earlier runs */
	uint64_t *row_owners[RWI_ROW_BRANCH + 1]; /* guarded by row latches */
	uint64_t *states;          /* two bits for each transaction, RWI_CLOG */
	uint64_t first_xid;        /* of this run */
	_Atomic uint64_t *running; /* transaction of each client, or 0 */
	unsigned clients;
	struct rwi_db_log log;
	_Alignas(RWI_DB_OWN_LINES) _Atomic uint64_t next_xid;
	_Alignas(RWI_DB_OWN_LINES) _Atomic uint64_t flushed;
	_Alignas(RWI_DB_OWN_LINES) atomic_uint history_pages;
	_Alignas(RWI_DB_OWN_LINES) _Atomic uint64_t end_ns;
	/* Transactions, guarded by RWI_PROC, and flushes, by RWI_FLUSH. */
	_Alignas(RWI_DB_OWN_LINES) uint64_t completed;
	_Alignas(RWI_DB_OWN_LINES) uint64_t flushes;
};

/* A client's own. */
struct rwi_db_client {
	_Alignas(RWI_DB_OWN_LINES) struct rwi_database *db;
	struct rwi_database_load load;
	unsigned number;
	unsigned held;                       /* latches, a bit for each kind */
	uint32_t history_page, history_left; /* this one takes so many rows */
	uint64_t random, xid, transactions, pause_loops;
	double longest_s;
	uint64_t taken[RWI_LATCHES][2];
	uint64_t seen; /* by snapshots: keeps them from being left out */
	const char *fault;
	char record[RWI_DB_LOG_UPDATE];
};

/* The page's place in the map: its partition and bucket. */
struct rwi_db_place {
	uint32_t partition;
	uint32_t *head;
};
struct rwi_db_place rwi_db_place_of(const struct rwi_database *db,
				    uint32_t number);

/* Put a frame in the map; the partition is the caller's. */
void rwi_db_map(struct rwi_database *db, struct rwi_db_frame *frame);

_Static_assert((int)RWI_ROW_ACCOUNT == (int)RWI_ACCOUNTS &&
		   (int)RWI_ROW_TELLER == (int)RWI_TELLERS &&
		   (int)RWI_ROW_BRANCH == (int)RWI_BRANCHES,
	       "a table's number is that of its row locks");

static inline void *rwi_db_latch(const struct rwi_database *db,
				 enum rwi_latch kind, size_t i)
{
	const struct rwi_db_latches *l = &db->latches[kind];

	return db->latch_memory + l->offset + i * l->stride;
}

/* Row number `i` of a page of this table. */
static inline struct rwi_db_row *rwi_db_row_of(const struct rwi_db_table *table,
					       struct rwi_db_page *page,
					       uint32_t i)
{
	return (void *)((char *)(page + 1) + (size_t)i * table->row_size);
}

static inline struct rwi_db_history *rwi_db_history_of(struct rwi_db_page *page,
						       uint32_t i)
{
	return (struct rwi_db_history *)(page + 1) + i;
}

static inline uint16_t *rwi_db_entry_of(const struct rwi_database *db,
					struct rwi_db_page *page, uint32_t i)
{
	return (void *)((char *)(page + 1) + (size_t)i * db->entry_size);
}

/* Compute for so many turns of a loop. */
void rwi_db_compute(uint64_t loops);

/* One client's work, from the first transaction to the last. */
void rwi_db_client_run(void *client);

/* What is wrong after a run, or null. */
const char *rwi_db_check(struct rwi_database *db,
			 const struct rwi_db_client *clients,
			 const struct rwi_database_load *load,
			 const struct rwi_database_work *work);

#endif
