/* SPDX-License-Identifier: MIT */
/*
 * The database: under every lock of its part the balances of all tables add up
 * to the same after each run, and rows and latches are counted exactly.  With
 * --caught the locks do not exclude, and runs must say so.
 *
 * usage: database [--caught]
 */
#include "bench/seeds/database.h"
#include "bench/locks.h"
#include "bench/seeds/seed.h"

#include <stdio.h>
#include <string.h>

extern const struct rwi_seed_part rwi_seed_part_2013_steal;

static int faults;

static void expect(bool holds, const char *where, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s\n", where, what);
	faults++;
}

static void expect_count(uint64_t found, uint64_t wanted, const char *where,
			 const char *what)
{
	if (found == wanted)
		return;
	fprintf(stderr, "%s: %s: %llu, not %llu\n", where, what,
		(unsigned long long)found, (unsigned long long)wanted);
	faults++;
}

/* False if the run was not one. */
static bool run(struct rwi_database *db, const char *lock,
		const struct rwi_database_load *load,
		struct rwi_database_work *work)
{
	const struct rwi_design *design = rwi_lock_find(lock);
	int error;

	expect(design != NULL, lock, "no such lock");
	if (!design)
		return false;
	error = rwi_database_run(db, design, load, work);
	expect(!error, lock, strerror(error));
	return !error;
}

static struct rwi_database *make(long scale, bool full_pages)
{
	const struct rwi_database_size size = { .scale = scale,
						.full_pages = full_pages };
	struct rwi_database *db = rwi_database_new(&size);

	expect(db != NULL, "database", "does not fit in memory");
	return db;
}

/* ---- What has to hold ---- */

static void expect_rows(const struct rwi_database *db, long scale,
			const char *where)
{
	const uint64_t branches = (uint64_t)scale;

	expect_count(rwi_database_rows(db, RWI_ACCOUNTS), 100000 * branches,
		     where, "accounts");
	expect_count(rwi_database_rows(db, RWI_TELLERS), 10 * branches, where,
		     "tellers");
	expect_count(rwi_database_rows(db, RWI_BRANCHES), branches, where,
		     "branches");
}

static void expect_balance(const struct rwi_database *db, const char *where)
{
	const int64_t balance = rwi_database_balance(db, RWI_HISTORY);

	expect(rwi_database_balance(db, RWI_ACCOUNTS) == balance, where,
	       "balance of accounts");
	expect(rwi_database_balance(db, RWI_TELLERS) == balance, where,
	       "balance of tellers");
	expect(rwi_database_balance(db, RWI_BRANCHES) == balance, where,
	       "balance of branches");
}

/* A short run of each script with every lock of the part. */
static void balance_holds(struct rwi_database *db, long scale)
{
	const char *const *lock = rwi_seed_part_2013_steal.locks;
	struct rwi_database_load load = {
		.clients = 6, .seconds = 0.05, .patience_s = 20, .random = 1
	};
	struct rwi_database_work work;

	for (; *lock; lock++, load.random++) {
		load.script = RWI_TPCB;
		if (!run(db, *lock, &load, &work))
			continue;
		expect(!work.fault, *lock, work.fault);
		expect(work.transactions > 0, *lock, "no transactions");
		expect_count(rwi_database_rows(db, RWI_HISTORY),
			     work.transactions, *lock, "rows of the history");
		expect_rows(db, scale, *lock);
		expect_balance(db, *lock);
		load.script = RWI_SELECT;
		load.think_ns = 1000;
		if (!run(db, *lock, &load, &work))
			continue;
		expect(!work.fault, *lock, work.fault);
		expect(work.transactions > 0, *lock, "no selects");
		expect_rows(db, scale, *lock);
	}
}

/* The latches of each transaction where three levels lead to an account. */
static void latches_are_counted(bool full_pages)
{
	enum { CLIENTS = 3, EACH = 400, ALL = CLIENTS * EACH };
	const struct {
		enum rwi_latch latch;
		const char *name;
		unsigned tpcb_reads, tpcb_writes, select_reads;
	} wanted[] = {
		{ RWI_ROW_ACCOUNT, "accounts", 0, 1, 0 },
		{ RWI_ROW_TELLER, "tellers", 0, 1, 0 },
		{ RWI_ROW_BRANCH, "branches", 0, 1, 0 },
		{ RWI_MAP, "map", 16, 0, 4 },
		{ RWI_PROC, "running", 5, 1, 1 },
		{ RWI_CLOG, "states", 0, 1, 1 },
		{ RWI_PAGE, "pages", 12, 4, 4 },
		{ RWI_WAL, "log", 0, 5, 0 },
	};
	struct rwi_database_load load = { .clients = CLIENTS,
					  .seconds = 20,
					  .transactions = EACH,
					  .patience_s = 20,
					  .script = RWI_TPCB };
	struct rwi_database_work tpcb, select;
	struct rwi_database *db = make(10, full_pages);

	if (!db || !run(db, "rwsem", &load, &tpcb))
		return;
	load.script = RWI_SELECT;
	if (!run(db, "rwsem", &load, &select))
		return;
	expect(!tpcb.fault && !select.fault, "counted run", "fault");
	expect_count(tpcb.transactions, ALL, "tpcb", "transactions");
	expect_count(tpcb.fewest, EACH, "tpcb", "of one client");
	/* A page of the history has room for 254 rows, and is mapped once. */
	tpcb.taken[RWI_MAP][1] -= (uint64_t)CLIENTS * 2;
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const uint64_t *taken = tpcb.taken[wanted[i].latch];

		expect_count(taken[0], ALL * wanted[i].tpcb_reads, "tpcb reads",
			     wanted[i].name);
		expect_count(taken[1], ALL * wanted[i].tpcb_writes,
			     "tpcb writes", wanted[i].name);
		taken = select.taken[wanted[i].latch];
		expect_count(taken[0], ALL * wanted[i].select_reads,
			     "select reads", wanted[i].name);
		expect_count(taken[1], 0, "select writes", wanted[i].name);
	}
	rwi_database_free(db);
}

/* The part itself, in its smallest cells. */
static void part_runs(const char *lock, bool caught)
{
	const struct rwi_seed_part *part = &rwi_seed_part_2013_steal;
	const struct rwi_seed_options options = { .squeeze = 1, .random = 1 };
	struct rwi_seed_cell cell;

	for (unsigned i = 0; part->cell(i, &options, &cell); i++) {
		struct rwi_seed_outcome outcome = { .fault = "" };
		bool fine;

		if (strncmp(cell.name, "select-10-", 10) != 0 &&
		    strncmp(cell.name, "tpcb-10-", 8) != 0)
			continue;
		cell.seconds = 0.05;
		fine =
		    part->run(&cell, rwi_lock_find(lock), &options, &outcome);
		if (caught) {
			expect(!fine, cell.name, "not caught");
			expect(outcome.fault[0], cell.name, "not told why");
		} else {
			expect(fine, cell.name, outcome.fault);
			expect(outcome.value[0] > 0, cell.name, "no tps");
		}
	}
}

/* ---- What has to be caught ---- */

/* Locks that exclude nobody lose something soon, though not in every run. */
static void loss_is_caught(void)
{
	enum { TRIES = 40 };
	const struct rwi_database_load load = { .script = RWI_TPCB,
						.clients = 8,
						.seconds = 0.25,
						.patience_s = 20,
						.random = 1 };
	struct rwi_database_work work = { .fault = NULL };

	for (int i = 0; i < TRIES && !work.fault; i++) {
		struct rwi_database *db = make(1, false);

		if (!db || !run(db, "rmw-pair", &load, &work))
			return;
		rwi_database_free(db);
	}
	expect(work.fault != NULL, "rmw-pair", "not caught");
}

int main(int argc, char **argv)
{
	struct rwi_database *db;

	if (argc == 2 && !strcmp(argv[1], "--caught")) {
		part_runs("busted-exclusion", true);
		loss_is_caught();
		return faults != 0;
	}
	db = make(2, false);
	if (db) {
		balance_holds(db, 2);
		rwi_database_free(db);
	}
	latches_are_counted(false);
	latches_are_counted(true);
	part_runs("rwsem", false);
	return faults != 0;
}
