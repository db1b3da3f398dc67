/* SPDX-License-Identifier: MIT */
/*
 * A lock that is only ever read looks right whatever it does, so that runs
 * without writers end with this.
 *
 * Writers keep two counters alike.  A reader that sees them differ was in
 * beside a writer; a sum that is too small tells of two writers at once.
 */
#include "bench/seeds/exclusion.h"

#include "bench/seeds/crew.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { READERS = 2, WRITERS = 2, SECTIONS = 300, PATIENCE_S = 20 };

/* Atomic, and used as if they were not, for locks that do not exclude. */
struct pair {
	const struct rwi_design *design;
	void *lock;
	atomic_uint first, second;
};

struct seat {
	struct pair *pair;
	bool writes;
	bool saw_half;
};

struct check {
	struct pair pair;
	struct seat seats[READERS + WRITERS];
};

static unsigned get(const atomic_uint *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static void add_one(atomic_uint *counter)
{
	const unsigned next = get(counter) + 1;

	sched_yield();
	atomic_store_explicit(counter, next, memory_order_relaxed);
}

static void read_once(struct seat *seat)
{
	struct pair *p = seat->pair;
	unsigned first;

	p->design->down_read(p->lock);
	first = get(&p->first);
	sched_yield();
	if (first != get(&p->second))
		seat->saw_half = true;
	p->design->up_read(p->lock);
}

static void write_once(struct pair *p)
{
	p->design->down_write(p->lock);
	add_one(&p->first);
	add_one(&p->second);
	p->design->up_write(p->lock);
}

static void work(void *argument)
{
	struct seat *seat = argument;

	for (unsigned i = 0; i < SECTIONS; i++)
		if (seat->writes)
			write_once(seat->pair);
		else
			read_once(seat);
}

static const char *judge(const struct check *check)
{
	const unsigned expected = WRITERS * SECTIONS;

	for (unsigned i = 0; i < READERS + WRITERS; i++)
		if (check->seats[i].saw_half)
			return "a reader was in beside a writer";
	if (get(&check->pair.first) != expected ||
	    get(&check->pair.second) != expected)
		return "two writers were in at once";
	return NULL;
}

const char *rwi_exclusion_fault(const struct rwi_design *design, void *lock)
{
	struct check *check;
	struct rwi_crew crew = { .threads = READERS + WRITERS,
				 .work = work,
				 .seat_size = sizeof(struct seat),
				 .patience_s = PATIENCE_S };
	const char *fault;
	double elapsed_s;
	int error;

	if (design->traits & RWI_NO_EXCLUSION)
		return NULL;
	check = calloc(1, sizeof *check);
	if (!check)
		return "no memory";
	check->pair.design = design;
	check->pair.lock = lock;
	for (unsigned i = 0; i < READERS + WRITERS; i++) {
		check->seats[i].pair = &check->pair;
		check->seats[i].writes = i % 2;
	}
	crew.seats = check->seats;
	error = rwi_crew_run(&crew, &elapsed_s);
	if (error == ETIMEDOUT)
		return "stuck";
	fault = error ? "no threads" : judge(check);
	free(check);
	return fault;
}
