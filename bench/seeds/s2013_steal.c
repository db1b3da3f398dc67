/* SPDX-License-Identifier: MIT */
/*
 * The database test of the 2013 message on writers that steal the lock.
 *
 * The message has transactions per second of pgbench: 1 to 50 clients, and
 * databases of three sizes.  It names neither the script nor the lock of the
 * kernel that mattered; the numbers are those of the script that only selects.
 * Here the clients and the database are one process, all latches of the
 * database are locks of the design, and both scripts are run.
 *
 * A client of the script that selects computes for a while between its
 * transactions, as does one that talks to a server through a socket; the other
 * script is run as fast as its clients can.
 */
#define _GNU_SOURCE /* getline */
#include "bench/locks.h"
#include "bench/seeds/2013_steal_figures.h"
#include "bench/seeds/database.h"
#include "bench/seeds/exclusion.h"
#include "bench/seeds/seed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double think_ns = 25000;
static const double full_s = 2, short_s = 0.17, patience_s = 20;

enum { SCRIPT, SCALE };
enum { TPS, FEWEST_TPS, LONGEST_MS, SCALE_RUN };

/* ---- The database, kept from run to run ---- */

static struct {
	struct rwi_database *database;
	struct rwi_database_size size;
} kept;

static void forget(void)
{
	rwi_database_free(kept.database);
	kept.database = NULL;
}

/* Null with errno set. */
static struct rwi_database *database_of(long scale, bool full_pages)
{
	if (kept.database && kept.size.scale == scale &&
	    kept.size.full_pages == full_pages)
		return kept.database;
	forget();
	kept.size.scale = scale;
	kept.size.full_pages = full_pages;
	kept.database = rwi_database_new(&kept.size);
	return kept.database;
}

/* The number after `key` in a file, as lines have it; UINT64_MAX if none. */
static uint64_t number_in(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	const size_t length = strlen(key);
	uint64_t number = UINT64_MAX;
	char line[256], *end;

	while (file && fgets(line, sizeof line, file)) {
		unsigned long long found;

		if (strncmp(line, key, length) != 0)
			continue;
		errno = 0;
		found = strtoull(line + length, &end, 10);
		if (!errno && end != line + length)
			number = found;
		break;
	}
	if (file)
		fclose(file);
	return number;
}

/* What a database may have: half of what there was at the first question. */
static uint64_t memory_bytes(void)
{
	static uint64_t bytes;
	uint64_t available, limit;

	if (bytes)
		return bytes;
	available = number_in("/proc/meminfo", "MemAvailable:");
	limit = number_in("/sys/fs/cgroup/memory.max", "");
	bytes = available < UINT64_MAX / 1024 ? available * 1024 : UINT64_MAX;
	if (limit < bytes)
		bytes = limit;
	bytes /= 2;
	return bytes;
}

/* The message's scale, or the nearest that fits in memory. */
static long scale_that_fits(long scale, bool full_pages)
{
	struct rwi_database_size size = { .scale = scale,
					  .full_pages = full_pages };

	while (size.scale > 1 && rwi_database_bytes(&size) > memory_bytes())
		size.scale -= size.scale / 10 + 1;
	return size.scale > 1 ? size.scale : 1;
}

/* ---- Cells ---- */

static const long scales[] = { 10, 100, 500 };
static const char *const scripts[] = {
	[RWI_SELECT] = "select", [RWI_TPCB] = "tpcb"
};
static const unsigned clients_full[] = { 1, 2, 4, 8, 16, 20, 30, 40, 50 };
/* Two of those that the message's gains are for, and the ends. */
static const unsigned clients_short[] = { 1, 2, 20, 50 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Loading takes long, so all cells of a scale follow each other. */
static bool cell_at(unsigned place, const struct rwi_seed_options *options,
		    struct rwi_seed_cell *cell)
{
	const unsigned *clients = options->full ? clients_full : clients_short;
	const unsigned steps = options->full ? (unsigned)COUNT(clients_full)
					     : (unsigned)COUNT(clients_short);
	const unsigned script = place / steps % COUNT(scripts);
	const unsigned size = place / steps / (unsigned)COUNT(scripts);

	if (size >= COUNT(scales))
		return false;
	*cell = (struct rwi_seed_cell){
		.threads = clients[place % steps],
		.parameter = { [SCRIPT] = (long)script,
			       [SCALE] = scale_that_fits(scales[size],
							 options->full) },
		.seconds = options->full ? full_s : short_s,
	};
	snprintf(cell->name, sizeof cell->name, "%s-%ld-%u", scripts[script],
		 scales[size], cell->threads);
	return true;
}

/* ---- Runs ---- */

static bool fail(struct rwi_seed_outcome *outcome, const char *fault)
{
	snprintf(outcome->fault, sizeof outcome->fault, "%s", fault);
	return false;
}

static bool fail_with(struct rwi_seed_outcome *outcome, int error)
{
	errno = error;
	snprintf(outcome->fault, sizeof outcome->fault, "%m");
	return false;
}

/* Selects write nothing, so the lock itself is asked whether it excludes. */
static bool excludes(const struct rwi_design *design,
		     struct rwi_seed_outcome *outcome)
{
	const char *fault;
	bool stuck;
	void *lock;

	if (!design)
		return true;
	lock = rwi_lock_new(design);
	if (!lock)
		return fail_with(outcome, errno);
	fault = rwi_exclusion_fault(design, lock, &stuck);
	if (!stuck)
		rwi_lock_free(design, lock);
	return fault ? fail(outcome, fault) : true;
}

static bool run(const struct rwi_seed_cell *cell,
		const struct rwi_design *design,
		const struct rwi_seed_options *options,
		struct rwi_seed_outcome *outcome)
{
	const bool selects = cell->parameter[SCRIPT] == RWI_SELECT;
	const struct rwi_database_load load = {
		.script = selects ? RWI_SELECT : RWI_TPCB,
		.clients = cell->threads,
		.seconds = cell->seconds,
		.think_ns = selects ? think_ns / options->squeeze : 0,
		.patience_s = patience_s,
		.random = options->random,
	};
	struct rwi_database_work work = { .fault = NULL };
	struct rwi_database *database =
	    database_of(cell->parameter[SCALE], options->full);
	int error =
	    database ? rwi_database_run(database, design, &load, &work) : errno;

	if (error)
		return fail_with(outcome, error);
	if (work.stuck)
		kept.database = NULL;
	else if (work.fault)
		forget();
	if (work.fault)
		return fail(outcome, work.fault);
	outcome->value[TPS] = (double)work.transactions / work.elapsed_s;
	outcome->value[FEWEST_TPS] = (double)work.fewest / work.elapsed_s;
	outcome->value[LONGEST_MS] = 1e3 * work.longest_s;
	outcome->value[SCALE_RUN] = (double)cell->parameter[SCALE];
	return excludes(design, outcome);
}

/* ---- The part ---- */

static const char *const locks[] = {
	"howells-2001-xadd-c",
	"shi-2013",
	"lespinasse-2013",
	"lespinasse-2013-fast",
	"chen-2013",
	"bueso-2014",
	"long-2014",
	"long-2019",
	"rwsem",
	"glibc",
	NULL,
};

static const char *const values[] = { [TPS] = "tps",
				      [FEWEST_TPS] = "fewest_tps",
				      [LONGEST_MS] = "longest_ms",
				      [SCALE_RUN] = "scale",
				      [SCALE_RUN + 1] = NULL };

#define FEW                                                                    \
	"one or two clients have no lock to wait for, so no lock can gain "    \
	"them this"
#define CLAIM(cell, text, before, after, why)                                  \
	{                                                                      \
		.says = "stealing on the fast path gains " text,               \
		.cell_a = (cell), .lock_a = "lespinasse-2013-fast",            \
		.cell_b = (cell), .lock_b = "shi-2013",                        \
		.ratio = (double)(after) / (before), .reason = (why)           \
	}

/* Those gains that the message itself puts beside its table. */
static const struct rwi_seed_claim claims[] = {
	CLAIM("select-10-1", "19 % with 160 MB, 1 client", 5803, 6906, FEW),
	CLAIM("select-10-20", "16 % with 160 MB, 20 clients", 26940, 31343,
	      NULL),
	CLAIM("select-100-1", "35 % with 1.6 GB, 1 client", 5733, 7729, FEW),
	CLAIM("select-100-2", "102 % with 1.6 GB, 2 clients", 9411, 19009, FEW),
	CLAIM("select-500-2", "25 % with 7.6 GB, 2 clients", 10897, 13611, FEW),
	CLAIM("select-500-20", "14 % with 7.6 GB, 20 clients", 27770, 31689,
	      NULL),
	CLAIM("select-500-50", "51 % with 7.6 GB, 50 clients", 17115, 25925,
	      NULL),
	{ 0 },
};

const struct rwi_seed_part rwi_seed_part_2013_steal = {
	.name = "2013-steal",
	.title = "a database in memory: clients that select, and TPC-B; more "
		 "clients, longer runs and full pages with --full",
	.message = "Lespinasse, linux-kernel, 2013, for Linux 3.10; pgbench "
		   "on a quad-core laptop",
	.locks = locks,
	.values = values,
	.rounds = 3,
	.cell = cell_at,
	.run = run,
	.claims = claims,
	.figures = rwi_seed_2013_steal_figures,
};
