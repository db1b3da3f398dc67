/* SPDX-License-Identifier: MIT */
/*
 * AIM7 as two messages ran it: many users, each with a list of jobs that it
 * does in an order of its own, and the number of jobs a minute.
 *
 * Users are threads, and a job is what its original does to the locks of a
 * kernel, with the computing in between.  What takes too long is made smaller:
 *
 *	shorter  every number of operations, every time to compute and every
 *	         sleep is divided by this.  Fractions add up from one execution
 *	         to the next and from user to user, so that the sums are right.
 *	squeeze  computing, and the operations on a user's own address space,
 *	         are divided by this too.  The messages had 80 and 40 CPUs for
 *	         them, which all meet at the same locks.  With 1 the load is
 *	         honest, and leaves each lock nearly idle if there are few CPUs.
 *
 * What a user has in the trees from its start to its exit is put there before
 * the clock starts, and stays: with so small a part of the jobs it would be as
 * much as the jobs themselves.  Directories are locked as today's kernels do:
 * for reading where they are listed.
 */
#define _GNU_SOURCE /* nanosleep */
#include "bench/seeds/aim7.h"

#include "bench/clock.h"
#include "bench/machine.h"
#include "bench/section.h"
#include "bench/seeds/2013_spin_figures.h"
#include "bench/seeds/2014_aim7_figures.h"
#include "bench/seeds/crew.h"
#include "bench/seeds/exclusion.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* AIM7 gives each user about a hundred. */
enum { LIST_MAX = 128, PATIENCE_S = 300 };

/* ---- A user ---- */

struct test {
	const struct rwi_aim7_load *load;
	struct rwi_aim7_objects *objects;
	unsigned executions[RWI_AIM7_JOBS_MAX];
	unsigned list_length;
	double step_ns; /* of work */
};

struct seat {
	_Alignas(128) struct test *test;
	unsigned user;
	uint64_t random;
	unsigned jobs; /* done */
	double end_s;
};

static uint32_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 32);
}

/* What the squeeze divides. */
static bool is_private(enum rwi_aim7_op op)
{
	return op == RWI_AIM7_MM_WRITE || op == RWI_AIM7_MM_SHRINK ||
	       op == RWI_AIM7_MM_READ;
}

/* How often an execution does it, in the mean. */
static double rate(const struct rwi_aim7_load *load,
		   const struct rwi_aim7_job *job, enum rwi_aim7_op op)
{
	const double all = (double)job->ops[op] / load->shorter;

	return is_private(op) ? all / load->squeeze : all;
}

/* How often the first so many executions do it. */
static uint64_t until(double rate, uint64_t executions)
{
	return (uint64_t)(rate * (double)executions);
}

/* How long an execution computes outside its sections. */
static double compute_ns(const struct rwi_aim7_load *load,
			 const struct rwi_aim7_job *job)
{
	double ns = 1e6 * job->ms;

	for (enum rwi_aim7_op op = 0; op < RWI_AIM7_OPS; op++)
		ns -= job->ops[op] * rwi_aim7_sections_ns(op);
	return fmax(ns, 0) / load->shorter / load->squeeze;
}

static void doze(double seconds)
{
	const double whole = floor(seconds);
	struct timespec left = { (time_t)whole,
				 (long)(1e9 * (seconds - whole)) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* The user's `turn`th execution of this job. */
static void execute(const struct seat *s, unsigned number, unsigned turn,
		    unsigned disk)
{
	const struct test *t = s->test;
	const struct rwi_aim7_job *job = &rwi_aim7_jobs[number];
	const uint64_t before =
	    (uint64_t)s->user * t->executions[number] + turn;
	const double steps = compute_ns(t->load, job) / t->step_ns;
	uint64_t times[RWI_AIM7_OPS], sections = 0;

	for (enum rwi_aim7_op op = 0; op < RWI_AIM7_OPS; op++) {
		const double each = rate(t->load, job, op);

		times[op] = until(each, before + 1) - until(each, before);
		sections += times[op] * rwi_aim7_sections(op);
	}
	if (!sections)
		rwi_work((uint64_t)steps);
	for (enum rwi_aim7_op op = 0; op < RWI_AIM7_OPS; op++) {
		const struct rwi_aim7_demand demand = {
			.op = op,
			.times = times[op],
			.steps = times[op]
				     ? (uint64_t)(steps / (double)sections)
				     : 0,
			.disk = disk,
		};

		rwi_aim7_do(t->objects, s->user, &demand);
	}
	if (job->sleep_s > 0)
		doze(job->sleep_s / t->load->shorter);
}

/* Every job as often as the list has it, in random order. */
static void do_jobs(void *argument)
{
	struct seat *s = argument;
	const struct test *t = s->test;
	unsigned disk = next_random(&s->random);
	unsigned char list[LIST_MAX], turns[RWI_AIM7_JOBS_MAX] = { 0 };
	unsigned left = 0;

	for (unsigned i = 0; i < RWI_AIM7_JOBS_MAX; i++)
		for (unsigned k = 0; k < t->executions[i]; k++)
			list[left++] = (unsigned char)i;
	while (left) {
		const unsigned at = next_random(&s->random) % left;
		const unsigned char number = list[at];

		list[at] = list[--left];
		execute(s, number, turns[number]++, disk++);
		s->jobs++;
	}
	s->end_s = rwi_time_s(CLOCK_MONOTONIC);
}

/* ---- A point of the sweep ---- */

/* Everything of one run, in one piece that threads which are stuck keep. */
struct run {
	const struct rwi_design *design;
	struct rwi_aim7_load load;
	struct test test;
	struct seat seats[];
};

static void free_run(struct run *r)
{
	if (r->test.objects)
		rwi_aim7_objects_free(r->test.objects);
	free(r);
}

static struct run *new_run(const struct rwi_aim7_load *load,
			   const struct rwi_design *design)
{
	const size_t size =
	    sizeof(struct run) + load->users * sizeof(struct seat);
	struct run *r = aligned_alloc(_Alignof(struct run), size);

	if (!r)
		return NULL;
	memset(r, 0, size);
	r->design = design;
	r->load = *load;
	r->test.load = &r->load;
	r->test.step_ns = rwi_work_ns();
	r->test.list_length =
	    rwi_aim7_executions(load->mix, r->test.executions);
	r->test.objects = rwi_aim7_objects_new(design, load->users);
	for (unsigned i = 0; i < load->users; i++) {
		struct seat *s = &r->seats[i];

		s->test = &r->test;
		s->user = i;
		/* Never zero, where this generator would stay. */
		s->random =
		    (load->random + i + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		next_random(&s->random);
	}
	if (r->test.objects && r->test.list_length <= LIST_MAX)
		return r;
	free_run(r);
	return NULL;
}

static void keep_times(const struct run *r, struct rwi_aim7_result *result)
{
	const double users = r->load.users;
	double last = r->seats[0].end_s, sum = 0, squares = 0, begin;

	for (unsigned i = 0; i < r->load.users; i++)
		last = fmax(last, r->seats[i].end_s);
	begin = last - result->elapsed_s;
	for (unsigned i = 0; i < r->load.users; i++)
		sum += r->seats[i].end_s - begin;
	result->mean_s = sum / users;
	for (unsigned i = 0; i < r->load.users; i++)
		squares += pow(r->seats[i].end_s - begin - result->mean_s, 2);
	result->sd_s = sqrt(squares / users);
	result->jobs_per_min =
	    60 * (double)result->jobs / r->load.shorter / result->elapsed_s;
}

/* Null if all was done that is on the lists, and nothing else. */
static const char *work_fault(const struct run *r,
			      const struct rwi_aim7_result *result)
{
	if (result->jobs != (uint64_t)r->load.users * r->test.list_length)
		return "not every job was done";
	for (enum rwi_aim7_op op = 0; op < RWI_AIM7_OPS; op++) {
		uint64_t all = 0;

		for (unsigned i = 0; rwi_aim7_jobs[i].name; i++)
			all += until(rate(&r->load, &rwi_aim7_jobs[i], op),
				     (uint64_t)r->load.users *
					 r->test.executions[i]);
		if (result->use.done[op] != all)
			return "a job has not done all that it should";
	}
	return NULL;
}

static const char *judge(const struct run *r, struct rwi_aim7_result *result,
			 bool *stuck)
{
	const struct rwi_aim7_objects *objects = r->test.objects;
	const char *fault = rwi_aim7_objects_fault(objects);

	result->jobs = 0;
	for (unsigned i = 0; i < r->load.users; i++)
		result->jobs += r->seats[i].jobs;
	result->use = rwi_aim7_use(objects);
	keep_times(r, result);
	if (!fault)
		fault = work_fault(r, result);
	/* The jobs hardly ever read what others write. */
	if (!fault)
		fault = rwi_exclusion_fault(r->design, rwi_aim7_a_lock(objects),
					    stuck);
	return fault;
}

const char *rwi_aim7_run(const struct rwi_aim7_load *load,
			 const struct rwi_design *design,
			 struct rwi_aim7_result *result, bool *stuck)
{
	struct run *r = new_run(load, design);
	struct rwi_crew crew = { .threads = load->users,
				 .work = do_jobs,
				 .seat_size = sizeof(struct seat),
				 .patience_s = PATIENCE_S };
	const char *fault;
	int error;

	*stuck = false;
	if (!r)
		return "no memory";
	crew.seats = r->seats;
	error = rwi_crew_run(&crew, &result->elapsed_s);
	*stuck = error == ETIMEDOUT;
	if (*stuck)
		return "stuck";
	fault = error ? "no threads" : judge(r, result, stuck);
	if (!*stuck)
		free_run(r);
	return fault;
}

/* ---- A cell: a range of users, as the messages have them ---- */

/* Of full runs, whatever the mix. */
enum { SHORTER_FULL = 50 };

/* A cell's: which mix, and for which numbers of users. */
enum parameter { MIX, FIRST, LAST, STEP };

enum value {
	JOBS_PER_MIN,
	ELAPSED_S,
	SD_S,
	JTI_PERCENT,
	WAIT_NS, /* one for each class */
	LATE_PERCENT = WAIT_NS + RWI_AIM7_CLASSES,
	SHORTER,
	SQUEEZE,
	VALUES
};

static const char *const values[] = {
	"jobs_per_min",  "elapsed_s",     "sd_s",         "jti_percent",
	"files_wait_ns", "roots_wait_ns", "dirs_wait_ns", "ids_wait_ns",
	"late_percent",  "shorter",       "squeeze",      NULL,
};
_Static_assert(sizeof values / sizeof values[0] == VALUES + 1, "their names");
_Static_assert((int)VALUES <= (int)RWI_SEED_VALUES_MAX, "too many");

/* A user's computing and sections, in milliseconds. */
static double user_ms(const struct rwi_aim7_load *load)
{
	unsigned executions[RWI_AIM7_JOBS_MAX];
	double ns = 0;

	rwi_aim7_executions(load->mix, executions);
	for (unsigned i = 0; rwi_aim7_jobs[i].name; i++) {
		const struct rwi_aim7_job *job = &rwi_aim7_jobs[i];
		double once = compute_ns(load, job);

		for (enum rwi_aim7_op op = 0; op < RWI_AIM7_OPS; op++)
			once += rate(load, job, op) * rwi_aim7_sections_ns(op);
		ns += executions[i] * once;
	}
	return 1e-6 * ns;
}

/*
 * Shortened runs are so much shorter that a user has this to do.  With much
 * less, threads would end before others have begun.
 */
static const double short_user_ms = 0.4;

static unsigned shorter(const struct rwi_aim7_mix *mix,
			const struct rwi_seed_options *options)
{
	const struct rwi_aim7_load whole = { .mix = mix,
					     .shorter = 1,
					     .squeeze = options->squeeze };

	if (options->full)
		return SHORTER_FULL;
	return (unsigned)fmax(user_ms(&whole) / short_user_ms + 0.5, 1);
}

static void add_use(struct rwi_aim7_use *to, const struct rwi_aim7_use *use)
{
	for (unsigned i = 0; i < RWI_AIM7_CLASSES; i++) {
		to->acquired[i] += use->acquired[i];
		to->wait_s[i] += use->wait_s[i];
	}
	to->late += use->late;
}

static void fill_in(double *value, const struct rwi_aim7_use *use)
{
	double acquired = 0;

	for (unsigned i = 0; i < RWI_AIM7_CLASSES; i++) {
		const double of_class = (double)use->acquired[i];

		acquired += of_class;
		if (use->acquired[i])
			value[WAIT_NS + i] = 1e9 * use->wait_s[i] / of_class;
	}
	if (acquired > 0)
		value[LATE_PERCENT] = 100 * (double)use->late / acquired;
}

/* The means over the range. */
static const char *sweep(const struct rwi_seed_cell *cell,
			 const struct rwi_design *design,
			 struct rwi_aim7_load *load, double *value)
{
	const long *at = cell->parameter;
	const long count = (at[LAST] - at[FIRST]) / at[STEP] + 1;
	const double points = (double)count;
	struct rwi_aim7_use use = { .late = 0 };

	for (long users = at[FIRST]; users <= at[LAST]; users += at[STEP]) {
		struct rwi_aim7_result result;
		const char *fault;
		bool stuck;

		load->users = (unsigned)users;
		fault = rwi_aim7_run(load, design, &result, &stuck);
		if (fault)
			return fault;
		value[JOBS_PER_MIN] += result.jobs_per_min / points;
		value[ELAPSED_S] += result.elapsed_s / points;
		value[SD_S] += result.sd_s / points;
		value[JTI_PERCENT] +=
		    100 * (1 - result.sd_s / result.mean_s) / points;
		add_use(&use, &result.use);
	}
	fill_in(value, &use);
	return NULL;
}

static bool run(const struct rwi_seed_cell *cell,
		const struct rwi_design *design,
		const struct rwi_seed_options *options,
		struct rwi_seed_outcome *outcome)
{
	const struct rwi_aim7_mix *mix = &rwi_aim7_mixes[cell->parameter[MIX]];
	struct rwi_aim7_load load = { .mix = mix,
				      .squeeze = options->squeeze,
				      .random = options->random };
	const char *fault = "the squeeze must be above 0";

	memset(outcome->value, 0, sizeof outcome->value);
	if (options->squeeze > 0) {
		load.shorter = shorter(mix, options);
		outcome->value[SHORTER] = load.shorter;
		outcome->value[SQUEEZE] = load.squeeze;
		fault = sweep(cell, design, &load, outcome->value);
	}
	if (fault)
		snprintf(outcome->fault, sizeof outcome->fault, "%s", fault);
	return !fault;
}

struct range {
	const char *mix;
	long first, last;
	long step, full_step;
};

/* How long each user sleeps, which all can do at once. */
static double asleep_s(const struct rwi_aim7_load *load)
{
	unsigned executions[RWI_AIM7_JOBS_MAX];
	double s = 0;

	rwi_aim7_executions(load->mix, executions);
	for (unsigned i = 0; rwi_aim7_jobs[i].name; i++)
		s += executions[i] * rwi_aim7_jobs[i].sleep_s;
	return s / load->shorter;
}

/*
 * And a thread comes and goes for each, which takes about 0.05 ms; the checks
 * at the end of each point take another time.
 */
static const double thread_ms = 0.05, point_s = 0.02;

static double range_s(const struct range *range,
		      const struct rwi_seed_options *options)
{
	const struct rwi_aim7_mix *mix = rwi_aim7_mix_find(range->mix);
	const struct rwi_aim7_load load = { .mix = mix,
					    .shorter = shorter(mix, options),
					    .squeeze = options->squeeze };
	const double one_ms = user_ms(&load), sleep_s = asleep_s(&load);
	const long step = options->full ? range->full_step : range->step;
	int cpus[RWI_CPUS_MAX];
	unsigned cores;
	const unsigned cpu_count = rwi_machine_cpus(cpus, &cores);
	double s = 0;

	for (long users = range->first; users <= range->last; users += step)
		s += fmax(1e-3 * (double)users * one_ms / cpu_count, sleep_s) +
		     1e-3 * (double)users * thread_ms + point_s;
	return s;
}

static bool cell_of(const struct range *ranges, unsigned place,
		    const struct rwi_seed_options *options,
		    struct rwi_seed_cell *cell)
{
	const struct range *range = &ranges[place];
	const struct rwi_aim7_mix *mix;

	if (!range->mix)
		return false;
	mix = rwi_aim7_mix_find(range->mix);
	*cell = (struct rwi_seed_cell){
		.threads = (unsigned)range->last,
		.parameter = { [MIX] = mix - rwi_aim7_mixes,
			       [FIRST] = range->first,
			       [LAST] = range->last,
			       [STEP] = options->full ? range->full_step
						      : range->step },
		.seconds = options->squeeze > 0 ? range_s(range, options) : 0,
	};
	snprintf(cell->name, sizeof cell->name, "%s-%ld-%ld", range->mix,
		 range->first, range->last);
	return true;
}

/* ---- The two parts ---- */

/* Values that are columns of tables say how much exactly. */
#define SIZES                                                                  \
	"shortened runs do, at a few numbers of users, so small a part of "    \
	"each job and each sleep that a user takes 0.4 ms, and full runs a "   \
	"50th at all of the message's; results are scaled to whole jobs; a "   \
	"squeeze divides what users do apart from each other"

static const char *const locks[] = {
	"long-2014-mutex",
	"lespinasse-2013-readers",
	"chen-2013-preread",
	"chen-2013",
	"bueso-2014",
	"long-2014",
	"rwsem",
	"glibc",
	NULL,
};

/* The first of each with few users, for whom the message has no number. */
static const struct range ranges_2013[] = {
	{ "alltests", 1, 100, 99, 9 },
	{ "alltests", 500, 2000, 1500, 100 },
	{ "custom", 1, 100, 99, 9 },
	{ "custom", 500, 2000, 1500, 100 },
	{ "disk", 1, 100, 99, 9 },
	{ "disk", 500, 2000, 1500, 100 },
	{ "high_systime", 1, 100, 99, 9 },
	{ "high_systime", 500, 2000, 1500, 100 },
	{ "shared", 1, 100, 99, 9 },
	{ "shared", 500, 2000, 1500, 100 },
	{ "short", 1, 100, 99, 9 },
	{ "short", 500, 2000, 1500, 100 },
	{ .mix = NULL },
};

static bool cell_2013(unsigned place, const struct rwi_seed_options *options,
		      struct rwi_seed_cell *cell)
{
	return cell_of(ranges_2013, place, options, cell);
}

static const struct range ranges_2014[] = {
	{ "custom", 200, 1000, 800, 100 },
	{ "custom", 1100, 2000, 900, 100 },
	{ "high_systime", 200, 1000, 800, 100 },
	{ "high_systime", 1100, 2000, 900, 100 },
	{ .mix = NULL },
};

static bool cell_2014(unsigned place, const struct rwi_seed_options *options,
		      struct rwi_seed_cell *cell)
{
	return cell_of(ranges_2014, place, options, cell);
}

#define FEW_CPUS                                                               \
	"with few CPUs and no squeeze each lock is nearly idle: a tie is due"
static const char few_cpus[] = FEW_CPUS;
static const char asleep[] = "sleeps bound this mix; " FEW_CPUS;
static const char directories[] =
    "this mix shares only directories, mutexes in that kernel: a tie is due";
static const char alone[] = "this mix hardly shares a lock: a tie is due";

#define SPINS(mix, gain, why)                                                  \
	{                                                                      \
		"writers that read first and spin do more of " mix,            \
		    mix "-500-2000", "chen-2013", mix "-500-2000",             \
		    "lespinasse-2013-readers", 1 + (gain) / 100.0, why         \
	}

static const struct rwi_seed_claim claims_2013[] = {
	SPINS("alltests", 14.5, few_cpus),
	SPINS("custom", 17, few_cpus),
	SPINS("disk", 11, directories),
	SPINS("high_systime", 5, asleep),
	SPINS("shared", 15, few_cpus),
	SPINS("short", 4, alone),
	{ 0 },
};

const struct rwi_seed_part rwi_seed_part_2013_spin = {
	.name = "2013-spin",
	.title = "AIM7: jobs a minute, means over ranges of users; " SIZES,
	.message = "Chen, linux-kernel, June 2013; 8 sockets with 80 cores",
	.locks = locks,
	.values = values,
	.rounds = 3,
	.squeeze = 40,
	.cell = cell_2013,
	.run = run,
	.claims = claims_2013,
	.figures = rwi_seed_2013_spin_figures,
};

#define MORE_JOBS(cell, after, before, why)                                    \
	{                                                                      \
		"readers that spin and writers that spin again do more jobs",  \
		    cell, "long-2014", cell, "bueso-2014",                     \
		    (double)(after) / (before), why                            \
	}

static const struct rwi_seed_claim claims_2014[] = {
	MORE_JOBS("custom-200-1000", 477404, 446135, few_cpus),
	MORE_JOBS("custom-1100-2000", 484734, 449665, few_cpus),
	MORE_JOBS("high_systime-200-1000", 154217, 152437, asleep),
	MORE_JOBS("high_systime-1100-2000", 278942, 269695, asleep),
	{ 0 },
};

const struct rwi_seed_part rwi_seed_part_aim7_2014 = {
	.name = "2014-aim7",
	.title = "AIM7: jobs a minute, means over ranges of users; " SIZES,
	.message = "Long, linux-kernel, August 2014; 4 sockets with 40 cores",
	.locks = locks,
	.values = values,
	.rounds = 3,
	.squeeze = 20,
	.cell = cell_2014,
	.run = run,
	.claims = claims_2014,
	.figures = rwi_seed_2014_aim7_figures,
};
