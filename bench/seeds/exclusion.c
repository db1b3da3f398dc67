/* SPDX-License-Identifier: MIT */
/*
 * A lock that is only ever read looks right whatever it does, and one that is
 * held for very short times nearly so.  Runs of those kinds end with this.
 *
 * Whoever is in counts itself, and looks who else is there when it comes and
 * before it goes.
 */
#define _GNU_SOURCE /* nanosleep */
#include "bench/seeds/exclusion.h"

#include "bench/seeds/crew.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

enum { READERS = 2, WRITERS = 2, SECTIONS = 30, PATIENCE_S = 20 };

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
	atomic_uint readers, writers; /* who are in */
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

static void stay(struct seat *seat, atomic_uint *here)
{
	atomic_fetch_add(here, 1);
	look(seat);
	let_others_run();
	look(seat);
	atomic_fetch_sub(here, 1);
}

static void work(void *argument)
{
	struct seat *seat = argument;
	struct room *room = seat->room;

	for (unsigned i = 0; i < SECTIONS && !seat->fault; i++) {
		if (seat->writes) {
			room->design->down_write(room->lock);
			stay(seat, &room->writers);
			room->design->up_write(room->lock);
		} else {
			room->design->down_read(room->lock);
			stay(seat, &room->readers);
			room->design->up_read(room->lock);
		}
		let_others_run();
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
	free(check);
	return fault;
}
