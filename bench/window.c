/* SPDX-License-Identifier: MIT */
/*
 * Threads are created asleep, released together, and count in locals.  The
 * calling thread keeps the time: it moves the phase from warming up to
 * measuring to the end, and each thread notes where its count stood.
 *
 * A thread looks at the phase after each batch of pairs.  Alone, a large
 * batch makes the look free; in company a batch must be small, for a writer
 * that readers starve finishes its batch undisturbed after they have gone, and
 * those pairs would count.
 */
#define _GNU_SOURCE /* affinity */

#include "bench/window.h"

#include "bench/locks.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	OWN_LINES = 128,
	CHECK_EVERY = 1024,
	BATCH_ALONE = 1024,
	BATCH = 16,
	STUCK_S = 10
};

enum phase { CREATED, WARM_UP, MEASURE, STOP };

struct run {
	const struct rwi_window *window;
	void *lock;
	unsigned batch;
	const struct rwi_section *check; /* what a pair does that checks */
	pthread_mutex_t mutex;           /* with started: leaving CREATED */
	pthread_cond_t started;
	_Alignas(OWN_LINES) atomic_int phase;
	struct rwi_guarded guarded;
};

/* What a thread counts; stored once, at the end. */
struct counts {
	uint64_t operations, checked, wrong;
	double begin_s, end_s; /* of its measured time; 0: it had none */
	double cpu_s;          /* that it got in it */
};

struct seat {
	_Alignas(OWN_LINES) struct run *run;
	pthread_t thread;
	bool writes;
	struct counts counts;
};

static double clock_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int sleep_until(double at_s)
{
	const time_t whole = (time_t)at_s;
	const struct timespec at = { whole,
				     (long)(1e9 * (at_s - (double)whole)) };

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

unsigned rwi_window_batch(unsigned threads)
{
	return threads == 1 ? BATCH_ALONE : BATCH;
}

/* ---- One thread ---- */

/* A pair of acquire and release with work inside that checks the lock. */
static void working_pair(const struct seat *s, struct counts *c)
{
	const struct rwi_design *d = s->run->window->design;
	const struct rwi_section *section = s->run->check;
	void *lock = s->run->lock;

	c->checked++;
	if (s->writes) {
		d->down_write(lock);
		section->write(&s->run->guarded);
		d->up_write(lock);
	} else {
		d->down_read(lock);
		c->wrong += !section->read(&s->run->guarded);
		d->up_read(lock);
	}
}

/* Pairs with nothing inside, by direct calls if the design has such a loop. */
static void empty_pairs(const struct seat *s, unsigned pairs)
{
	const struct rwi_design *d = s->run->window->design;
	void *lock = s->run->lock;

	if (s->writes && d->write_pairs)
		d->write_pairs(lock, pairs);
	else if (!s->writes && d->read_pairs)
		d->read_pairs(lock, pairs);
	else if (s->writes)
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

/* One batch; `done` pairs came before it.  Returns how many it had. */
static unsigned batch_of(const struct seat *s, struct counts *c, uint64_t done)
{
	const struct rwi_window *w = s->run->window;
	const unsigned pairs = s->run->batch;
	unsigned working = pairs;

	if (!w->section->read)
		working = !(w->design->traits & RWI_NO_EXCLUSION) &&
			  done >= c->checked * CHECK_EVERY;
	for (unsigned i = 0; i < working; i++)
		working_pair(s, c);
	empty_pairs(s, pairs - working);
	return pairs;
}

static void *take_seat(void *arg)
{
	struct seat *s = arg;
	struct run *run = s->run;
	struct counts c = { 0 }; /* nothing shared is written in the loop */
	uint64_t done = 0, warm = 0;

	pthread_mutex_lock(&run->mutex);
	while (atomic_load(&run->phase) == CREATED)
		pthread_cond_wait(&run->started, &run->mutex);
	pthread_mutex_unlock(&run->mutex);

	for (;;) {
		const int phase =
		    atomic_load_explicit(&run->phase, memory_order_relaxed);

		if (phase == STOP)
			break;
		if (phase == MEASURE && c.begin_s == 0) {
			warm = done;
			c.begin_s = clock_s(CLOCK_MONOTONIC);
			c.cpu_s = -clock_s(CLOCK_THREAD_CPUTIME_ID);
		}
		done += batch_of(s, &c, done);
	}
	/* Who slept through all the measured time did nothing in it. */
	if (c.begin_s > 0) {
		c.cpu_s += clock_s(CLOCK_THREAD_CPUTIME_ID);
		c.end_s = clock_s(CLOCK_MONOTONIC);
		c.operations = done - warm;
	}
	s->counts = c;
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

/* Start the threads, keep the time, join them. */
static int run_seats(struct run *run, struct seat *seats, unsigned threads)
{
	const struct rwi_window *w = run->window;
	unsigned created = 0;
	int error = 0;

	while (created < threads && !error) {
		struct seat *seat = &seats[created];

		seat->run = run;
		seat->writes = created >= w->readers;
		error = create(seat, w->cpus ? w->cpus[created] : -1);
		created += !error;
	}
	if (!error) {
		set_phase(run, WARM_UP);
		error = sleep_until(clock_s(CLOCK_MONOTONIC) + w->warmup_s);
	}
	if (!error) {
		set_phase(run, MEASURE);
		error = sleep_until(clock_s(CLOCK_MONOTONIC) + w->measured_s);
	}
	set_phase(run, STOP);
	return join(seats, created) ? error : EDEADLK;
}

static void add_up(const struct run *run, const struct seat *seats,
		   unsigned threads, struct rwi_outcome *out)
{
	const struct rwi_window *w = run->window;
	uint64_t written = 0;
	double begin = INFINITY, end = 0;

	for (unsigned i = 0; i < threads; i++) {
		const struct counts *c = &seats[i].counts;
		const bool writes = seats[i].writes;

		out->seats[i].operations = c->operations;
		out->seats[i].cpu = w->cpus ? w->cpus[i] : -1;
		out->seats[i].writes = writes;
		*(writes ? &out->writes : &out->reads) += c->operations;
		out->checked += c->checked;
		out->wrong += c->wrong;
		out->cpu_seconds += c->cpu_s;
		written += writes ? c->checked : 0;
		if (c->begin_s > 0) {
			begin = fmin(begin, c->begin_s);
			end = fmax(end, c->end_s);
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
	struct run *run = aligned_alloc(OWN_LINES, sizeof *run);

	if (!run)
		return NULL;
	memset(run, 0, sizeof *run);
	run->window = window;
	run->batch = rwi_window_batch(window->readers + window->writers);
	run->check =
	    window->section->read ? window->section : rwi_section_find("lines");
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

int rwi_window_run(const struct rwi_window *window,
		   struct rwi_outcome **outcome)
{
	const unsigned threads = window->readers + window->writers;
	struct run *run = new_run(window);
	struct seat *seats = aligned_alloc(OWN_LINES, threads * sizeof *seats);
	int error = ENOMEM;

	*outcome =
	    calloc(1, sizeof **outcome + threads * sizeof(*outcome)->seats[0]);
	if (run && run->lock && seats && *outcome) {
		memset(seats, 0, threads * sizeof *seats);
		error = run_seats(run, seats, threads);
	}
	if (!error) {
		add_up(run, seats, threads, *outcome);
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
