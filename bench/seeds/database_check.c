/* SPDX-License-Identifier: MIT */
/*
 * What must be true of the database after a run: nothing that was done under a
 * latch was lost, and nothing was done twice.
 *
 * Pages that no transaction has changed since they were last added up are not
 * added up again; a large database would take longer to check than to run.
 */
#include "bench/seeds/database_inside.h"

static int64_t balance_of_page(const struct rwi_db_table *t,
			       struct rwi_db_page *page, bool history)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < page->count; i++)
		sum += history ? rwi_db_history_of(page, i)->delta
			       : rwi_db_row_of(t, page, i)->balance;
	return sum;
}

/* The frames of a table's rows: *count from here on. */
static struct rwi_db_frame *heap(const struct rwi_database *db,
				 enum rwi_table table, uint32_t *count)
{
	*count = db->tables[table].pages;
	if (table == RWI_HISTORY) {
		*count = atomic_load(&db->history_pages);
		if (*count > RWI_DB_HISTORY_PAGES)
			*count = RWI_DB_HISTORY_PAGES;
	}
	return &db->frames[db->tables[table].first];
}

uint64_t rwi_database_rows(const struct rwi_database *db, enum rwi_table table)
{
	uint32_t count;
	const struct rwi_db_frame *frames = heap(db, table, &count);
	uint64_t rows = 0;

	for (uint32_t i = 0; i < count; i++)
		rows += frames[i].page->count;
	return rows;
}

int64_t rwi_database_balance(const struct rwi_database *db,
			     enum rwi_table table)
{
	const bool history = table == RWI_HISTORY;
	uint32_t count;
	const struct rwi_db_frame *frames = heap(db, table, &count);
	int64_t sum = history ? db->history_before : 0;

	for (uint32_t i = 0; i < count; i++)
		sum += balance_of_page(&db->tables[table], frames[i].page,
				       history);
	return sum;
}

/* The same, of the pages changed since the last time and what was then. */
static int64_t new_balance(struct rwi_database *db, enum rwi_table table)
{
	uint32_t count;
	struct rwi_db_frame *frames = heap(db, table, &count);
	int64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct rwi_db_frame *frame = &frames[i];

		if (frame->lsn != frame->checked_lsn) {
			frame->checked = balance_of_page(&db->tables[table],
							 frame->page, false);
			frame->checked_lsn = frame->lsn;
		}
		sum += frame->checked;
	}
	return sum;
}

static const char *check_balances(struct rwi_database *db)
{
	const int64_t history = rwi_database_balance(db, RWI_HISTORY);

	if (new_balance(db, RWI_ACCOUNTS) != history)
		return "the balances of accounts and history differ";
	if (new_balance(db, RWI_TELLERS) != history)
		return "the balances of tellers and history differ";
	if (new_balance(db, RWI_BRANCHES) != history)
		return "the balances of branches and history differ";
	return NULL;
}

/* The counts of a run in which so many transactions changed something. */
static const char *check_counts(const struct rwi_database *db,
				uint64_t transactions)
{
	const uint64_t bytes =
	    3 * RWI_DB_LOG_UPDATE + RWI_DB_LOG_INSERT + RWI_DB_LOG_COMMIT;
	const uint64_t end = atomic_load(&db->log.end);

	if (rwi_database_rows(db, RWI_HISTORY) != transactions)
		return "rows of the history were lost";
	if (db->log.records != 5 * transactions ||
	    end - db->log.begin != bytes * transactions)
		return "records of the log were lost";
	if (atomic_load(&db->flushed) != end)
		return "the end of the log was not flushed";
	if (db->completed != transactions ||
	    atomic_load(&db->next_xid) - db->first_xid != transactions)
		return "the count of completed transactions is wrong";
	if (db->flushes > transactions)
		return "the log was flushed too often";
	return NULL;
}

/* Each transaction of the run is committed, and no other. */
static const char *check_states(const struct rwi_database *db,
				uint64_t transactions)
{
	uint64_t committed = 0;

	for (uint64_t i = 0; i <= transactions; i++) {
		const uint64_t state = db->states[i / 32] >> (i % 32 * 2);

		committed += (state & RWI_DB_STATE) == RWI_DB_COMMITTED;
	}
	return committed == transactions ? NULL : "commits were lost";
}

/* Nobody has anything any more. */
static const char *check_idle(const struct rwi_database *db)
{
	const size_t locks[] = {
		[RWI_ROW_ACCOUNT] = RWI_DB_STRIPES,
		[RWI_ROW_TELLER] = db->tables[RWI_TELLERS].rows,
		[RWI_ROW_BRANCH] = db->tables[RWI_BRANCHES].rows,
	};

	for (unsigned i = 0; i < db->clients; i++)
		if (atomic_load(&db->running[i]))
			return "a transaction still runs";
	for (int kind = RWI_ROW_ACCOUNT; kind <= RWI_ROW_BRANCH; kind++)
		for (size_t i = 0; i < locks[kind]; i++)
			if (db->row_owners[kind][i])
				return "a row is still locked";
	for (uint32_t i = 0; i < db->pages; i++)
		if (atomic_load(&db->frames[i].pins))
			return "a page is still pinned";
	return NULL;
}

const char *rwi_db_check(struct rwi_database *db,
			 const struct rwi_db_client *clients,
			 const struct rwi_database_load *load,
			 const struct rwi_database_work *work)
{
	const uint64_t changing =
	    load->script == RWI_TPCB ? work->transactions : 0;
	const char *fault = NULL;

	for (unsigned i = 0; i < load->clients && !fault; i++)
		fault = clients[i].fault;
	if (!fault)
		fault = check_counts(db, changing);
	if (!fault)
		fault = check_states(db, changing);
	if (!fault)
		fault = check_idle(db);
	if (!fault)
		fault = check_balances(db);
	return fault;
}
