/* SPDX-License-Identifier: MIT */
/*
 * Threads are created asleep, released together, and count in memory of their
 * own.  The calling thread keeps the time: it moves the phase from warming up
 * to measuring to the end, and each thread notes where its count stood.
 *
 * A thread looks at the phase after each batch of pairs.  Alone, a large
 * batch makes the look free; in company a batch must be small, for a writer
 * that readers starve finishes its batch undisturbed after they have gone, and
 * those pairs would count.  Where waits are measured, a batch is one pair.
 *
 * A wait counts if it ended after the warm-up and began before the end: one
 * that outlasts the measured time is the one to know about.
 */
#define _GNU_SOURCE /* affinity */

#include "bench/window.h"

#include "bench/clock.h"
#include "bench/locks.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	OWN_LINES = 128,
	CHECK_EVERY = 1024,
	BATCH_ALONE = 1024,
	BATCH = 16,
	STUCK_S = 10
};

enum phase { CREATED, WARM_UP, MEASURE, STOP };

/* What the tests of 2001 count, on one line as they had it. */
struct shared_counters {
	_Alignas(OWN_LINES) atomic_uint inside[RWI_SIDES];
	atomic_uint taken[RWI_SIDES];
};

struct run {
	const struct rwi_window *window;
	void *lock;
	struct rwi_section check; /* what a pair does that checks */
	bool checking;            /* now and then one must */
	bool bare;                /* the other pairs have nothing inside */
	unsigned batch;
	pthread_mutex_t mutex; /* with started: leaving CREATED */
	pthread_cond_t started;
	_Alignas(OWN_LINES) atomic_int phase;
	struct rwi_guarded guarded;
	struct shared_counters counters;
};

/* A thread's own. */
struct seat {
	_Alignas(OWN_LINES) struct run *run;
	pthread_t thread;
	unsigned turn[RWI_SIDES]; /* pairs of one side before the other's */
	unsigned left;            /* of this turn */
	enum rwi_side side;
	uint64_t pairs[RWI_SIDES];
	uint64_t warm[RWI_SIDES]; /* of those, before it was measured */
	uint64_t checked[RWI_SIDES];
	uint64_t wrong;
	double begin_s, end_s; /* of its measured time; 0: it had none */
	double cpu_s;          /* that it got in it */
	uint64_t wait;         /* of the last pair, in ticks */
	struct rwi_waits waits[RWI_SIDES];
};

static int sleep_until(double at_s)
{
	const time_t whole = (time_t)at_s;
	const struct timespec at = { whole,
				     (long)(1e9 * (at_s - (double)whole)) };

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

unsigned rwi_window_batch(const struct rwi_workload *test)
{
	if (test->waits)
		return 1;
	return rwi_workload_threads(test) == 1 ? BATCH_ALONE : BATCH;
}

/* ---- One thread ---- */

/* Count as the tests of 2001 did; false if the lock let somebody else in. */
static bool count_in(struct shared_counters *c, enum rwi_side side)
{
	const unsigned before = atomic_fetch_add(&c->inside[side], 1);

	atomic_fetch_add(&c->taken[side], 1);
	return !atomic_load(&c->inside[!side]) && (side == RWI_READ || !before);
}

/* What a thread does while it holds the lock. */
static void hold(struct seat *s, const struct rwi_section *section)
{
	struct run *run = s->run;

	if (run->window->shared_counters)
		s->wrong += !count_in(&run->counters, s->side);
	if (section->read && s->side == RWI_READ)
		s->wrong += !section->read(&run->guarded, section->amount);
	else if (section->write)
		section->write(&run->guarded, section->amount);
	s->checked[s->side] += section->checks;
	if (run->window->yield)
		sched_yield();
	if (run->window->shared_counters)
		atomic_fetch_sub(&run->counters.inside[s->side], 1);
}

/* A pair of acquire and release. */
static void pair(struct seat *s, const struct rwi_section *section)
{
	const struct rwi_design *d = s->run->window->design;
	const bool waits = s->run->window->test->waits;
	const uint64_t began = waits ? rwi_ticks() : 0;
	void *lock = s->run->lock;

	if (s->side == RWI_READ)
		d->down_read(lock);
	else
		d->down_write(lock);
	if (waits)
		s->wait = rwi_ticks() - began;
	hold(s, section);
	if (s->side == RWI_READ)
		d->up_read(lock);
	else
		d->up_write(lock);
}

/* Pairs with nothing inside, by direct calls if the design has such a loop. */
static void bare_pairs(const struct seat *s, unsigned pairs)
{
	const struct rwi_design *d = s->run->window->design;
	void *lock = s->run->lock;

	if (s->side == RWI_WRITE && d->write_pairs)
		d->write_pairs(lock, pairs);
	else if (s->side == RWI_READ && d->read_pairs)
		d->read_pairs(lock, pairs);
	else if (s->side == RWI_WRITE)
		for (; pairs; pairs--) {
			d->down_write(lock);
			d->up_write(lock);
		}
	else
		for (; pairs; pairs--) {
			d->down_read(lock);
			d->up_read(lock);
		}
}

/* How many pairs of which side come next. */
static unsigned next_batch(struct seat *s)
{
	unsigned pairs;

	if (!s->left) {
		if (s->turn[!s->side])
			s->side = !s->side;
		s->left = s->turn[s->side];
	}
	pairs = s->left < s->run->batch ? s->left : s->run->batch;
	s->left -= pairs;
	return pairs;
}

static void run_batch(struct seat *s)
{
	const struct run *run = s->run;
	const struct rwi_section *section = run->window->section;
	unsigned pairs = next_batch(s);

	s->pairs[s->side] += pairs;
	if (run->checking &&
	    s->pairs[s->side] > s->checked[s->side] * CHECK_EVERY) {
		pair(s, &run->check);
		pairs--;
	}
	if (run->bare)
		bare_pairs(s, pairs);
	else
		while (pairs--)
			pair(s, section);
}

static void wait_for_start(struct run *run)
{
	pthread_mutex_lock(&run->mutex);
	while (atomic_load(&run->phase) == CREATED)
		pthread_cond_wait(&run->started, &run->mutex);
	pthread_mutex_unlock(&run->mutex);
}

static void begin(struct seat *s)
{
	memcpy(s->warm, s->pairs, sizeof s->warm);
	s->begin_s = rwi_time_s(CLOCK_MONOTONIC);
	s->cpu_s = -rwi_time_s(CLOCK_THREAD_CPUTIME_ID);
}

static void end(struct seat *s)
{
	s->cpu_s += rwi_time_s(CLOCK_THREAD_CPUTIME_ID);
	s->end_s = rwi_time_s(CLOCK_MONOTONIC);
}

static void *take_seat(void *arg)
{
	struct seat *s = arg;
	struct run *run = s->run;
	const bool waits = run->window->test->waits;
	bool waited = false;

	wait_for_start(run);
	for (;;) {
		const int phase =
		    atomic_load_explicit(&run->phase, memory_order_relaxed);

		if (waited && phase != WARM_UP)
			rwi_waits_add(&s->waits[s->side], s->wait);
		if (phase == STOP)
			break;
		if (phase == MEASURE && s->begin_s == 0)
			begin(s);
		run_batch(s);
		waited = waits;
	}
	if (s->begin_s > 0)
		end(s);
	else /* Who slept through all the measured time did nothing in it. */
		memcpy(s->warm, s->pairs, sizeof s->warm);
	return NULL;
}

/* ---- The window ---- */

static int create(struct seat *seat, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t set;
	sigset_t all;
	int error = pthread_attr_init(&attr);

	if (error)
		return error;
	/* Interrupts are for the thread that keeps the time. */
	sigfillset(&all);
	error = pthread_attr_setsigmask_np(&attr, &all);
	if (!error && cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t)cpu, &set);
		error = pthread_attr_setaffinity_np(&attr, sizeof set, &set);
	}
	if (!error)
		error = pthread_create(&seat->thread, &attr, take_seat, seat);
	pthread_attr_destroy(&attr);
	return error;
}

static void set_phase(struct run *run, enum phase phase)
{
	pthread_mutex_lock(&run->mutex);
	atomic_store(&run->phase, phase);
	pthread_cond_broadcast(&run->started);
	pthread_mutex_unlock(&run->mutex);
}

/* False if one of the threads does not come out of the lock. */
static bool join(struct seat *seats, unsigned threads)
{
	struct timespec at;

	/* The form with a clock is not known to sanitizers. */
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += STUCK_S;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_timedjoin_np(seats[i].thread, NULL, &at))
			return false;
	return true;
}

static void assign(struct seat *seat, struct run *run, unsigned place)
{
	const struct rwi_workload *t = run->window->test;
	const bool writes = place >= t->readers;

	seat->run = run;
	if (place >= t->readers + t->writers) {
		memcpy(seat->turn, t->turn, sizeof seat->turn);
		seat->side = seat->turn[RWI_READ] ? RWI_READ : RWI_WRITE;
		/* Half of them begin with the other side. */
		if (place % 2)
			seat->left = seat->turn[seat->side];
	} else {
		seat->side = writes ? RWI_WRITE : RWI_READ;
		seat->turn[seat->side] = run->batch;
	}
}

/* Start the threads, keep the time, join them. */
static int run_seats(struct run *run, struct seat *seats, unsigned threads)
{
	const struct rwi_window *w = run->window;
	unsigned created = 0;
	int error = 0;

	while (created < threads && !error) {
		assign(&seats[created], run, created);
		error =
		    create(&seats[created], w->cpus ? w->cpus[created] : -1);
		created += !error;
	}
	if (!error) {
		set_phase(run, WARM_UP);
		error = sleep_until(rwi_time_s(CLOCK_MONOTONIC) + w->warmup_s);
	}
	if (!error) {
		set_phase(run, MEASURE);
		error =
		    sleep_until(rwi_time_s(CLOCK_MONOTONIC) + w->measured_s);
	}
	set_phase(run, STOP);
	return join(seats, created) ? error : EDEADLK;
}

static void add_waits(const struct seat *seats, unsigned threads, double tick_s,
		      struct rwi_outcome *out)
{
	for (int side = 0; side < RWI_SIDES; side++) {
		struct rwi_waits all = { .longest = 0 };

		for (unsigned i = 0; i < threads; i++)
			rwi_waits_merge(&all, &seats[i].waits[side]);
		out->waits[side] = rwi_waits_summarise(&all, tick_s);
	}
}

static void add_up(const struct run *run, const struct seat *seats,
		   unsigned threads, struct rwi_outcome *out)
{
	const struct rwi_window *w = run->window;
	double begin = INFINITY, end = 0;
	uint64_t written = 0;

	for (unsigned i = 0; i < threads; i++) {
		const struct seat *s = &seats[i];

		for (int side = 0; side < RWI_SIDES; side++) {
			const uint64_t pairs = s->pairs[side] - s->warm[side];

			out->pairs[side] += pairs;
			out->by_thread[i] += pairs;
			out->checked += s->checked[side];
		}
		written += s->checked[RWI_WRITE];
		out->wrong += s->wrong;
		out->cpu_seconds += s->cpu_s;
		if (s->begin_s > 0) {
			begin = fmin(begin, s->begin_s);
			end = fmax(end, s->end_s);
		}
	}
	/* Nobody measured: everybody waited, and the lock is stuck. */
	out->seconds = begin < end ? end - begin : w->measured_s;
	out->wrong += run->guarded.first != written;
	out->wrong += run->guarded.second != written;
	if (w->design->traits & RWI_NO_EXCLUSION)
		out->wrong = 0;
}

static struct run *new_run(const struct rwi_window *window)
{
	const struct rwi_section *section = window->section;
	struct run *run = aligned_alloc(OWN_LINES, sizeof *run);

	if (!run)
		return NULL;
	memset(run, 0, sizeof *run);
	run->window = window;
	run->batch = rwi_window_batch(window->test);
	rwi_section_parse("lines", &run->check);
	run->checking =
	    !section->checks && !(window->design->traits & RWI_NO_EXCLUSION);
	run->bare = !section->read && !window->shared_counters &&
		    !window->yield && !window->test->waits;
	pthread_mutex_init(&run->mutex, NULL);
	pthread_cond_init(&run->started, NULL);
	run->lock = rwi_lock_new(window->design);
	return run;
}

static void free_run(struct run *run)
{
	if (run->lock)
		rwi_lock_free(run->window->design, run->lock);
	pthread_cond_destroy(&run->started);
	pthread_mutex_destroy(&run->mutex);
	free(run);
}

/* What a tick takes, from those of a whole window. */
static double tick_s(double began_s, uint64_t began)
{
	return (rwi_time_s(CLOCK_MONOTONIC) - began_s) /
	       (double)(rwi_ticks() - began);
}

int rwi_window_run(const struct rwi_window *window,
		   struct rwi_outcome **outcome)
{
	const unsigned threads = rwi_workload_threads(window->test);
	const double began_s = rwi_time_s(CLOCK_MONOTONIC);
	const uint64_t began = rwi_ticks();
	struct run *run = new_run(window);
	struct seat *seats = aligned_alloc(OWN_LINES, threads * sizeof *seats);
	int error = ENOMEM;

	*outcome = calloc(1, sizeof **outcome +
				 threads * sizeof(*outcome)->by_thread[0]);
	if (run && run->lock && seats && *outcome) {
		memset(seats, 0, threads * sizeof *seats);
		error = run_seats(run, seats, threads);
	}
	if (!error) {
		add_up(run, seats, threads, *outcome);
		add_waits(seats, threads, tick_s(began_s, began), *outcome);
	} else {
		free(*outcome);
		*outcome = NULL;
	}
	/* Threads that are stuck keep what they use. */
	if (error != EDEADLK) {
		free(seats);
		if (run)
			free_run(run);
	}
	return error;
}
