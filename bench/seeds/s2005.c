/* SPDX-License-Identifier: MIT */
/*
 * The dd test of 2005: what does a read lock around each small write cost?
 *
 * "dd if=/dev/zero of=out bs=32 count=10M", with the lock taken for reading
 * around each write(2) as the message took it in the kernel; the file is on
 * tmpfs, or /dev/null to leave less besides the lock.  The message has one CPU
 * and one thread; here more threads follow, each with a file of its own and all
 * with the same lock, and then some with a write lock now and then, which is
 * what a big reader semaphore pays for.
 *
 * A read lock costs five nanoseconds among a thousand for the write, and two
 * runs of the same loop differ by more.  So each run has two halves.  The first
 * is dd, and gives the message's "real user sys".  The second writes block
 * after block, in turn without the lock and with it, and takes the median of
 * the differences between neighbours.  That is what is compared.  Without a
 * lock both of a pair are the same, which shows what pairs cannot tell.  The
 * instructions of a read lock and its release are counted besides.
 */
#define _GNU_SOURCE /* O_TMPFILE, memfd_create, getrusage */
#include "bench/clock.h"
#include "bench/locks.h"
#include "bench/machine.h"
#include "bench/seeds/2005_figures.h"
#include "bench/seeds/crew.h"
#include "bench/seeds/exclusion.h"
#include "bench/seeds/seed.h"
#include "bench/seeds/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { WRITE_SIZE = 32, WRITES = 10 * 1024 * 1024, SHORTER = 40 };

/*
 * A block is 20,000 writes on each CPU.  On tmpfs half as many pairs do: they
 * take three times as long.
 */
enum { BLOCK = 20000, WARM_UP_PAIRS = 2, PAIRS = 200, PAIRS_SHORT = 30 };

/* One of so many writes, where there are writers. */
enum { WRITER_EVERY = 10000 };

enum target { TMPFS, NOWHERE };
enum parameter { TARGET, TOTAL_WRITES, MEASURED_PAIRS, WRITERS };

enum value {
	EXTRA_NS,
	EXTRA_Q1_NS,
	EXTRA_Q3_NS,
	REAL_S,
	USER_S,
	SYS_S,
	WRITES_PER_S,
	INSTRUCTIONS,
	VALUES
};

static const char *const values[] = {
	"extra_ns", "extra_q1_ns",  "extra_q3_ns",  "real_s", "user_s",
	"sys_s",    "writes_per_s", "instructions", NULL,
};
_Static_assert(sizeof values / sizeof values[0] == VALUES + 1, "their names");
_Static_assert((int)VALUES <= (int)RWI_SEED_VALUES_MAX, "too many");

/* ---- What the threads do ---- */

struct dd {
	const struct rwi_design *design; /* null: no lock */
	void *lock;
	enum target target;
	bool writers;
	unsigned threads;
	unsigned long writes; /* of each thread, as dd */
	unsigned long block;  /* of each thread, in a block */
	unsigned pairs;       /* including the warm-up */
	double *time_s;       /* of each block: bare, locked, bare, ... */
	pthread_barrier_t barrier;
	/* Guarded by the lock; atomic only for locks that fail. */
	atomic_ulong written;
};

struct seat {
	_Alignas(128) struct dd *dd;
	int zero, out;
	uint64_t taken, put;   /* bytes */
	unsigned long expect;  /* writes, of which both must be 32 times */
	unsigned long reads;   /* sections since the last write section */
	unsigned long written; /* write sections */
	bool keeps_time;       /* the first of all */
	double begin_s, end_s; /* of a block */
	int error;             /* of a call */
	const char *wrong;     /* with the file */
	char buffer[WRITE_SIZE];
};

static inline void take(struct seat *s)
{
	const ssize_t n = read(s->zero, s->buffer, sizeof s->buffer);

	if (n > 0)
		s->taken += (uint64_t)n;
	else
		s->error = errno;
}

static inline void put(struct seat *s)
{
	const ssize_t n = write(s->out, s->buffer, sizeof s->buffer);

	if (n > 0)
		s->put += (uint64_t)n;
	else
		s->error = errno;
}

static void write_bare(struct seat *s, unsigned long writes, bool takes)
{
	while (writes--) {
		if (takes)
			take(s);
		put(s);
	}
}

static void write_reading(struct seat *s, unsigned long writes, bool takes)
{
	const struct rwi_design *design = s->dd->design;
	void *lock = s->dd->lock;

	while (writes--) {
		if (takes)
			take(s);
		design->down_read(lock);
		put(s);
		design->up_read(lock);
	}
}

static void write_writing(struct seat *s, bool takes)
{
	struct dd *dd = s->dd;
	unsigned long written;

	if (takes)
		take(s);
	dd->design->down_write(dd->lock);
	written = atomic_load_explicit(&dd->written, memory_order_relaxed);
	put(s);
	atomic_store_explicit(&dd->written, written + 1, memory_order_relaxed);
	dd->design->up_write(dd->lock);
	s->written++;
}

static void write_locked(struct seat *s, unsigned long writes, bool takes)
{
	while (s->dd->writers && writes + s->reads >= WRITER_EVERY) {
		const unsigned long reads = WRITER_EVERY - 1 - s->reads;

		write_reading(s, reads, takes);
		write_writing(s, takes);
		writes -= reads + 1;
		s->reads = 0;
	}
	write_reading(s, writes, takes);
	s->reads += writes;
}

static void write_some(struct seat *s, unsigned long writes, bool takes,
		       bool locked)
{
	if (locked && s->dd->design)
		write_locked(s, writes, takes);
	else
		write_bare(s, writes, takes);
	s->expect += writes;
}

/* Is the file as long as this many writes make it? */
static void check_length(struct seat *s, unsigned long writes)
{
	struct stat status;

	if (s->dd->target != TMPFS)
		return;
	if (fstat(s->out, &status))
		s->error = errno;
	else if (status.st_size != (off_t)writes * WRITE_SIZE)
		s->wrong = "a file has not the length that was written";
}

static void empty(struct seat *s)
{
	if (s->dd->target != TMPFS)
		return;
	if (ftruncate(s->out, 0) || lseek(s->out, 0, SEEK_SET))
		s->error = errno;
}

static void copy(void *argument)
{
	struct seat *s = argument;

	write_some(s, s->dd->writes, true, true);
}

/* From when the first of them began until the last was done. */
static double crew_time_s(const struct seat *seats, unsigned threads)
{
	double begin_s = seats[0].begin_s, end_s = seats[0].end_s;

	for (unsigned i = 1; i < threads; i++) {
		if (seats[i].begin_s < begin_s)
			begin_s = seats[i].begin_s;
		if (seats[i].end_s > end_s)
			end_s = seats[i].end_s;
	}
	return end_s - begin_s;
}

static void write_block(struct seat *s, bool locked, double *time_s)
{
	struct dd *dd = s->dd;

	empty(s);
	pthread_barrier_wait(&dd->barrier);
	s->begin_s = rwi_time_s(CLOCK_MONOTONIC);
	write_some(s, dd->block, false, locked);
	s->end_s = rwi_time_s(CLOCK_MONOTONIC);
	pthread_barrier_wait(&dd->barrier);
	/* The next begin waits for the keeper. */
	if (s->keeps_time)
		*time_s = crew_time_s(s, dd->threads);
	check_length(s, dd->block);
}

/* Which of a pair goes first changes with each. */
static void write_blocks(void *argument)
{
	struct seat *s = argument;

	for (unsigned i = 0; i < 2 * s->dd->pairs; i++) {
		const bool locked = i % 2 != i / 2 % 2;

		write_block(s, locked, &s->dd->time_s[i / 2 * 2 + locked]);
	}
}

/* ---- Files ---- */

/* A file without a name is gone when it is closed, whatever happens. */
static int open_nameless(const char *directory)
{
	struct statfs fs;
	int fd;

	if (!directory || statfs(directory, &fs) || fs.f_type != TMPFS_MAGIC)
		return -1;
	fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	return fd;
}

static int open_target(enum target target)
{
	int fd;

	if (target == NOWHERE)
		return open("/dev/null", O_WRONLY | O_CLOEXEC);
	fd = open_nameless("/dev/shm");
	if (fd < 0)
		fd = open_nameless(secure_getenv("XDG_RUNTIME_DIR"));
	/* The kernel keeps these on a tmpfs of its own. */
	if (fd < 0)
		fd = memfd_create("dd", MFD_CLOEXEC);
	return fd;
}

static int open_files(struct seat *s, enum target target)
{
	s->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (s->zero < 0)
		return errno;
	s->out = open_target(target);
	return s->out < 0 ? errno : 0;
}

static void close_files(const struct seat *s)
{
	if (s->zero >= 0)
		close(s->zero);
	if (s->out >= 0)
		close(s->out);
}

/* ---- A run ---- */

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static int run_crew(struct dd *dd, struct seat *seats, void (*work)(void *seat),
		    double *elapsed_s)
{
	const struct rwi_crew crew = {
		.threads = dd->threads,
		.work = work,
		.seats = seats,
		.seat_size = sizeof *seats,
		.patience_s = 600,
	};

	return rwi_crew_run(&crew, elapsed_s);
}

/* All as if the message's number of writes had been made. */
static int time_copy(struct dd *dd, struct seat *seats, double *value)
{
	const double made = (double)dd->writes * dd->threads;
	const double scale = (double)WRITES / made;
	struct rusage before, after;
	double elapsed_s;
	int error;

	getrusage(RUSAGE_SELF, &before);
	error = run_crew(dd, seats, copy, &elapsed_s);
	if (error)
		return error;
	getrusage(RUSAGE_SELF, &after);
	value[REAL_S] = scale * elapsed_s;
	value[USER_S] =
	    scale * (seconds(&after.ru_utime) - seconds(&before.ru_utime));
	value[SYS_S] =
	    scale * (seconds(&after.ru_stime) - seconds(&before.ru_stime));
	value[WRITES_PER_S] = made / elapsed_s;
	for (unsigned i = 0; i < dd->threads; i++)
		check_length(&seats[i], dd->writes);
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int time_blocks(struct dd *dd, struct seat *seats, unsigned cpus,
		       double *value)
{
	const unsigned at_once = dd->threads < cpus ? dd->threads : cpus;
	const double writes = (double)dd->block * dd->threads;
	const unsigned measured = dd->pairs - WARM_UP_PAIRS;
	double *extra_ns = dd->time_s; /* the warm-up's place comes free */
	double elapsed_s;
	int error = run_crew(dd, seats, write_blocks, &elapsed_s);

	if (error)
		return error;
	for (unsigned i = 0; i < measured; i++) {
		const double *pair = &dd->time_s[2 * (i + WARM_UP_PAIRS)];

		extra_ns[i] = 1e9 * (pair[1] - pair[0]) * at_once / writes;
	}
	qsort(extra_ns, measured, sizeof *extra_ns, compare_doubles);
	value[EXTRA_Q1_NS] = extra_ns[measured / 4];
	value[EXTRA_Q3_NS] = extra_ns[measured - 1 - measured / 4];
	value[EXTRA_NS] =
	    (extra_ns[measured / 2] + extra_ns[(measured - 1) / 2]) / 2;
	return 0;
}

/* Null if all that was to be written was. */
static const char *judge(const struct dd *dd, const struct seat *seats)
{
	unsigned long written = 0;

	for (unsigned i = 0; i < dd->threads; i++) {
		const struct seat *s = &seats[i];

		if (s->error)
			return s->error == ENOSPC ? "no room for the files"
						  : "reading or writing failed";
		if (s->wrong)
			return s->wrong;
		if (s->taken != (uint64_t)dd->writes * WRITE_SIZE)
			return "not all was read from /dev/zero";
		if (s->put != (uint64_t)s->expect * WRITE_SIZE)
			return "not all was written";
		written += s->written;
	}
	if (written != atomic_load(&dd->written))
		return "two writers were in at once";
	return NULL;
}

/* Run what is set up; null or a fault. */
static const char *measure(struct dd *dd, struct seat *seats, unsigned cpus,
			   double *value, bool *stuck)
{
	const char *fault;
	int error = time_copy(dd, seats, value);

	if (!error)
		error = time_blocks(dd, seats, cpus, value);
	*stuck = error == ETIMEDOUT;
	if (error)
		return *stuck ? "stuck" : "no threads";
	if (dd->design)
		value[INSTRUCTIONS] =
		    rwi_steps_of_read_pair(dd->design, dd->lock);
	fault = judge(dd, seats);
	if (!fault && dd->design)
		fault = rwi_exclusion_fault(dd->design, dd->lock, stuck);
	return fault;
}

static const char *with_files(struct dd *dd, struct seat *seats, unsigned cpus,
			      double *value, bool *stuck)
{
	const char *fault = NULL;
	int error = 0;

	for (unsigned i = 0; i < dd->threads; i++) {
		seats[i].dd = dd;
		seats[i].zero = seats[i].out = -1;
		seats[i].keeps_time = i == 0;
	}
	for (unsigned i = 0; !error && i < dd->threads; i++)
		error = open_files(&seats[i], dd->target);
	fault = error ? "no files" : measure(dd, seats, cpus, value, stuck);
	if (!*stuck)
		for (unsigned i = 0; i < dd->threads; i++)
			close_files(&seats[i]);
	return fault;
}

/* Everything of one run, in one piece that threads which are stuck keep. */
struct run {
	struct dd dd;
	struct seat seats[];
};

static struct run *new_run(const struct rwi_seed_cell *cell,
			   const struct rwi_design *design, unsigned at_once)
{
	const unsigned threads = cell->threads;
	const size_t size = sizeof(struct run) + threads * sizeof(struct seat);
	struct run *r = aligned_alloc(_Alignof(struct run), size);

	if (!r)
		return NULL;
	memset(r, 0, size);
	r->dd.design = design;
	r->dd.target = (enum target)cell->parameter[TARGET];
	r->dd.writers = cell->parameter[WRITERS] != 0;
	r->dd.threads = threads;
	r->dd.writes = (unsigned long)cell->parameter[TOTAL_WRITES] / threads;
	r->dd.block = (unsigned long)BLOCK * at_once / threads;
	r->dd.pairs = WARM_UP_PAIRS + (unsigned)cell->parameter[MEASURED_PAIRS];
	r->dd.time_s = calloc(r->dd.pairs, 2 * sizeof *r->dd.time_s);
	r->dd.lock = design ? rwi_lock_new(design) : NULL;
	pthread_barrier_init(&r->dd.barrier, NULL, threads);
	return r;
}

static void free_run(struct run *r)
{
	pthread_barrier_destroy(&r->dd.barrier);
	if (r->dd.lock)
		rwi_lock_free(r->dd.design, r->dd.lock);
	free(r->dd.time_s);
	free(r);
}

static bool run(const struct rwi_seed_cell *cell,
		const struct rwi_design *design,
		const struct rwi_seed_options *options,
		struct rwi_seed_outcome *outcome)
{
	int list[RWI_CPUS_MAX];
	unsigned cores;
	const unsigned cpus = rwi_machine_cpus(list, &cores);
	const unsigned at_once = cell->threads < cpus ? cell->threads : cpus;
	struct run *r = new_run(cell, design, at_once);
	const char *fault = "no memory";
	bool stuck = false;

	(void)options; /* the cell has its sizes already */
	if (r && r->dd.time_s && (r->dd.lock || !design))
		fault = with_files(&r->dd, r->seats, at_once, outcome->value,
				   &stuck);
	if (fault)
		snprintf(outcome->fault, sizeof outcome->fault, "%s", fault);
	if (r && !stuck)
		free_run(r);
	return !fault;
}

/* ---- The part ---- */

/* About what a write takes, in nanoseconds; with the read in front as dd. */
static const double copy_ns[] = { [TMPFS] = 1300, [NOWHERE] = 550 };
static const double write_ns[] = { [TMPFS] = 950, [NOWHERE] = 300 };

static const struct {
	const char *name;
	enum target target;
	unsigned threads;
	bool writers;
} cells[] = {
	{ "tmpfs-1", TMPFS, 1, false },
	{ "tmpfs-2", TMPFS, 2, false },
	{ "tmpfs-4", TMPFS, 4, false },
	{ "tmpfs-8", TMPFS, 8, false },
	{ "tmpfs-4-writers", TMPFS, 4, true },
	{ "null-1", NOWHERE, 1, false },
	{ "null-2", NOWHERE, 2, false },
	{ "null-4", NOWHERE, 4, false },
	{ "null-8", NOWHERE, 8, false },
	{ "null-4-writers", NOWHERE, 4, true },
};

static bool cell(unsigned place, const struct rwi_seed_options *options,
		 struct rwi_seed_cell *cell)
{
	long writes, pairs, in_blocks;
	enum target target;

	if (place >= sizeof cells / sizeof cells[0])
		return false;
	target = cells[place].target;
	writes = options->full ? WRITES : WRITES / SHORTER;
	pairs = options->full ? PAIRS : PAIRS_SHORT;
	pairs /= target == TMPFS ? 2 : 1;
	in_blocks = (WARM_UP_PAIRS + pairs) * 2 * BLOCK;
	*cell = (struct rwi_seed_cell){
		.threads = cells[place].threads,
		.parameter = { [TARGET] = target,
			       [TOTAL_WRITES] = writes,
			       [MEASURED_PAIRS] = pairs,
			       [WRITERS] = cells[place].writers },
		.seconds = 1e-9 * (copy_ns[target] * (double)writes +
				   write_ns[target] * (double)in_blocks),
	};
	snprintf(cell->name, sizeof cell->name, "%s", cells[place].name);
	return true;
}

static const char *const locks[] = {
	"none", "howells-2001-xadd-c", "heo-2005-v1", "heo-2005-v2", "rwsem",
	NULL,
};

/*
 * From the message's "real": 61.74 s and 59.24 s against 58.63 s without a
 * lock, so 297 ns and 58 ns a write.
 */
static const struct rwi_seed_claim claims[] = {
	{ .says = "the big reader semaphore costs more than an rwsem",
	  .cell_a = "tmpfs-1",
	  .lock_a = "heo-2005-v1",
	  .cell_b = "tmpfs-1",
	  .lock_b = "howells-2001-xadd-c",
	  .ratio = (61.74 - 58.63) / (59.24 - 58.63) },
	{ 0 },
};

const struct rwi_seed_part rwi_seed_part_2005 = {
	.name = "2005",
	.title = "dd with a lock around each write of 32 bytes; seconds are "
		 "scaled to 10,485,760 writes",
	.message = "Heo, linux-kernel, September 2005; one CPU",
	.locks = locks,
	.values = values,
	.less_is_better = true,
	.rounds = 3,
	.cell = cell,
	.run = run,
	.claims = claims,
	.figures = rwi_seed_2005_figures,
};
