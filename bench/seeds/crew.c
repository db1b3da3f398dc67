/* SPDX-License-Identifier: MIT */
/*
 * Threads that begin together.
 *
 * A thread that never comes back may still use what it was given, so memory of
 * a crew that is stuck is never freed.
 */
#define _GNU_SOURCE /* affinity, pthread_timedjoin_np */
#include "bench/seeds/crew.h"

#include "bench/clock.h"
#include "bench/machine.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

/* Some designs keep a thousand bytes for each thread; sanitizers need more. */
enum { STACK_SIZE = 256 * 1024 };

struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t open;
	bool is_open, called_off;
};

struct member {
	pthread_t thread;
	struct gate *gate;
	void (*work)(void *seat);
	void *seat;
	double end_s;
};

static void *take_part(void *argument)
{
	struct member *m = argument;
	bool called_off;

	pthread_mutex_lock(&m->gate->mutex);
	while (!m->gate->is_open)
		pthread_cond_wait(&m->gate->open, &m->gate->mutex);
	called_off = m->gate->called_off;
	pthread_mutex_unlock(&m->gate->mutex);
	if (!called_off)
		m->work(m->seat);
	m->end_s = rwi_time_s(CLOCK_MONOTONIC);
	return NULL;
}

static int create(struct member *member, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t set;
	sigset_t all;
	int error = pthread_attr_init(&attr);

	if (error)
		return error;
	/* Interrupts are for the thread that waits for the crew. */
	sigfillset(&all);
	error = pthread_attr_setsigmask_np(&attr, &all);
	if (!error)
		error = pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (!error && cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t)cpu, &set);
		error = pthread_attr_setaffinity_np(&attr, sizeof set, &set);
	}
	if (!error)
		error =
		    pthread_create(&member->thread, &attr, take_part, member);
	pthread_attr_destroy(&attr);
	return error;
}

/* False if one of them does not come back. */
static bool join(struct member *members, unsigned threads, double patience_s)
{
	struct timespec at;

	/* The form with a clock is not known to sanitizers. */
	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += (time_t)patience_s + 1;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_timedjoin_np(members[i].thread, NULL, &at))
			return false;
	return true;
}

static double last_end_s(const struct member *members, unsigned threads)
{
	double last = members[0].end_s;

	for (unsigned i = 1; i < threads; i++)
		if (members[i].end_s > last)
			last = members[i].end_s;
	return last;
}

/* Members and gate in one piece, which a stuck crew keeps. */
struct hall {
	struct gate gate;
	struct member members[];
};

static int run(const struct rwi_crew *crew, struct hall *hall, double *begin_s)
{
	int cpus[RWI_CPUS_MAX];
	unsigned cores, created = 0;
	const bool pins = crew->threads <= rwi_machine_cpus(cpus, &cores);
	int error = 0;

	while (!error && created < crew->threads) {
		struct member *m = &hall->members[created];

		m->gate = &hall->gate;
		m->work = crew->work;
		m->seat = (char *)crew->seats + created * crew->seat_size;
		error = create(m, pins ? cpus[created] : -1);
		created += !error;
	}
	pthread_mutex_lock(&hall->gate.mutex);
	hall->gate.is_open = true;
	hall->gate.called_off = error != 0;
	*begin_s = rwi_time_s(CLOCK_MONOTONIC);
	pthread_cond_broadcast(&hall->gate.open);
	pthread_mutex_unlock(&hall->gate.mutex);
	if (!join(hall->members, created, crew->patience_s))
		error = ETIMEDOUT;
	return error;
}

int rwi_crew_run(const struct rwi_crew *crew, double *elapsed_s)
{
	struct hall *hall =
	    calloc(1, sizeof *hall + crew->threads * sizeof hall->members[0]);
	double begin_s;
	int error;

	if (!hall)
		return errno;
	pthread_mutex_init(&hall->gate.mutex, NULL);
	pthread_cond_init(&hall->gate.open, NULL);
	error = run(crew, hall, &begin_s);
	if (!error)
		*elapsed_s = last_end_s(hall->members, crew->threads) - begin_s;
	if (error == ETIMEDOUT)
		return error;
	pthread_cond_destroy(&hall->gate.open);
	pthread_mutex_destroy(&hall->gate.mutex);
	free(hall);
	return error;
}
