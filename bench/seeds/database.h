/* SPDX-License-Identifier: MIT */
/*
 * A small database in memory whose latches are locks of one design.
 *
 * It has the four tables of TPC-B (accounts, tellers, branches, history) in
 * pages, a B+tree over each of the first three, and what a database server
 * latches on the way to a row: a buffer map in partitions, a latch for each
 * page, the list of running transactions, the log, the commit states.  Clients
 * are threads; each runs one transaction after the other.
 */
#ifndef RWI_DATABASE_H
#define RWI_DATABASE_H

#include "designs/design.h"

#include <stdbool.h>
#include <stdint.h>

struct rwi_database;

enum rwi_table {
	RWI_ACCOUNTS,
	RWI_TELLERS,
	RWI_BRANCHES,
	RWI_HISTORY,
	RWI_TABLES
};

/* What is latched, by rank: who holds one takes only later ones. */
enum rwi_latch {
	RWI_ROW_ACCOUNT, /* kept until commit, as the next two */
	RWI_ROW_TELLER,
	RWI_ROW_BRANCH,
	RWI_MAP,   /* a partition of: page -> frame */
	RWI_PROC,  /* the running transactions */
	RWI_CLOG,  /* which transactions have committed */
	RWI_FLUSH, /* how far the log is safe */
	RWI_PAGE,  /* what a page holds */
	RWI_WAL,   /* the end of the log */
	RWI_LATCHES
};

struct rwi_database_size {
	long scale;      /* branches; ten tellers, 100,000 accounts for each */
	bool full_pages; /* 8 KiB; else a page is as long as its numbers are */
};

/* About how many bytes such a database needs, with latches of any design. */
uint64_t rwi_database_bytes(const struct rwi_database_size *size);

/* Make and load one; null with errno set if it does not fit in memory. */
struct rwi_database *rwi_database_new(const struct rwi_database_size *size);
void rwi_database_free(struct rwi_database *database);

enum rwi_database_script { RWI_SELECT, RWI_TPCB };

struct rwi_database_load {
	enum rwi_database_script script;
	unsigned clients;
	double seconds;        /* a client begins no transaction after these */
	uint64_t transactions; /* nor one more than these; 0: no bound */
	double think_ns;       /* of computing between transactions */
	double patience_s;     /* who is so much later is stuck */
	uint64_t random;
};

struct rwi_database_work {
	uint64_t transactions;
	uint64_t fewest; /* by one client */
	double elapsed_s;
	double longest_s; /* a transaction took, waiting included */
	/* Acquisitions to read and to write. */
	uint64_t taken[RWI_LATCHES][2];
	const char *fault; /* what was wrong, or null */
	bool stuck;        /* threads still use the database: keep it */
};

/*
 * Run clients, with fresh latches of this design (null: without any), on an
 * empty history, and check afterwards that no change was lost: the balances of
 * accounts, tellers, branches and history add up to the same, and all counts
 * are those of the transactions.  Returns 0, or an errno if it could not run.
 * After a fault the database is of no more use.
 */
int rwi_database_run(struct rwi_database *database,
		     const struct rwi_design *design,
		     const struct rwi_database_load *load,
		     struct rwi_database_work *work);

/*
 * Rows and sum of balances, counted in the pages, all of them.  The balance of
 * the history includes earlier runs.
 */
uint64_t rwi_database_rows(const struct rwi_database *database,
			   enum rwi_table table);
int64_t rwi_database_balance(const struct rwi_database *database,
			     enum rwi_table table);

#endif
