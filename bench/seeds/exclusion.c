/* SPDX-License-Identifier: MIT */
/*
 * A lock that is only ever read looks right whatever it does, and one that is
 * held for very short times nearly so.  Runs of those kinds end with this.
 *
 * Whoever is in counts itself, and looks who else is there when it comes and
 * before it goes.
 */
#define _GNU_SOURCE /* barriers, nanosleep */
#include "bench/seeds/exclusion.h"

#include "bench/seeds/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { READERS = 2, WRITERS = 2, ROUNDS = 20, PATIENCE_S = 20 };

/* A reader waits in the lock for so many sleeps that a writer asks for it. */
enum { SLEEPS_MAX = 10 };

/*
 * Who only yields may go on at once.  Who sleeps while it holds the lock is
 * met there by the others, on one CPU and on many.
 */
static void let_others_run(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000 }, NULL);
}

struct room {
	const struct rwi_design *design;
	void *lock;
	pthread_barrier_t begin;
	atomic_uint readers, writers; /* who are in */
	atomic_uint asking;           /* writers, until they have left */
};

struct seat {
	struct room *room;
	bool writes;
	const char *fault;
};

struct check {
	struct room room;
	struct seat seats[READERS + WRITERS];
};

static void look(struct seat *seat)
{
	const unsigned readers = atomic_load(&seat->room->readers);
	const unsigned writers = atomic_load(&seat->room->writers);

	if (writers && readers)
		seat->fault = "a reader was in beside a writer";
	else if (writers > 1)
		seat->fault = "two writers were in at once";
}

static void read_once(struct seat *seat)
{
	struct room *room = seat->room;

	room->design->down_read(room->lock);
	atomic_fetch_add(&room->readers, 1);
	look(seat);
	for (int i = 0; i < SLEEPS_MAX && !atomic_load(&room->asking); i++)
		let_others_run();
	let_others_run();
	look(seat);
	atomic_fetch_sub(&room->readers, 1);
	room->design->up_read(room->lock);
}

static void write_once(struct seat *seat)
{
	struct room *room = seat->room;

	atomic_fetch_add(&room->asking, 1);
	room->design->down_write(room->lock);
	atomic_fetch_add(&room->writers, 1);
	look(seat);
	let_others_run();
	look(seat);
	atomic_fetch_sub(&room->writers, 1);
	room->design->up_write(room->lock);
	atomic_fetch_sub(&room->asking, 1);
}

/* All begin each round together: nobody is done before others have come. */
static void work(void *argument)
{
	struct seat *seat = argument;

	for (unsigned i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&seat->room->begin);
		if (seat->writes)
			write_once(seat);
		else
			read_once(seat);
	}
}

const char *rwi_exclusion_fault(const struct rwi_design *design, void *lock,
				bool *stuck)
{
	struct check *check;
	struct rwi_crew crew = { .threads = READERS + WRITERS,
				 .work = work,
				 .seat_size = sizeof(struct seat),
				 .patience_s = PATIENCE_S };
	const char *fault = NULL;
	double elapsed_s;
	int error;

	*stuck = false;
	if (design->traits & RWI_NO_EXCLUSION)
		return NULL;
	check = calloc(1, sizeof *check);
	if (!check)
		return "no memory";
	check->room.design = design;
	check->room.lock = lock;
	pthread_barrier_init(&check->room.begin, NULL, READERS + WRITERS);
	for (unsigned i = 0; i < READERS + WRITERS; i++) {
		check->seats[i].room = &check->room;
		check->seats[i].writes = i % 2;
	}
	crew.seats = check->seats;
	error = rwi_crew_run(&crew, &elapsed_s);
	*stuck = error == ETIMEDOUT;
	if (*stuck)
		return "stuck";
	for (unsigned i = 0; !error && i < READERS + WRITERS; i++)
		if (check->seats[i].fault)
			fault = check->seats[i].fault;
	if (error)
		fault = "no threads";
	pthread_barrier_destroy(&check->room.begin);
	free(check);
	return fault;
}
