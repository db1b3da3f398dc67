/* SPDX-License-Identifier: MIT */
/*
 * More waiters than are told in one section of a bucket, and more semaphores
 * than one in a bucket: all readers get in together, each queue keeps its
 * order, and nobody is taken for another's waiter.
 */
#include "support/word.h"

#include "core/park.h"

#include <errno.h>

/* ---- A crowd of readers ---- */

enum { READERS = 2 * RWI_TUNABLE_tell_count_max + 10 };

static rwsem_t sem;
static struct t_meeting inside;
static uint32_t written;

static void meet_inside(void *arg)
{
	(void)arg;
	t_doing("down_read");
	rwsem_down_read(&sem);
	t_meet(&inside);
	rwsem_up_read(&sem);
	t_doing(NULL);
}

static void write_once(void *arg)
{
	(void)arg;
	t_doing("down_write");
	rwsem_down_write(&sem);
	t_store(&written, 1);
	rwsem_up_write(&sem);
	t_doing(NULL);
}

/* One writer among them, who waits for them or they for it. */
static void let_in(bool downgrade, unsigned writer_at)
{
	t_store(&written, 0);
	inside.count = READERS + downgrade;
	rwsem_down_write(&sem);
	for (unsigned i = 0; i <= READERS; i++)
		t_await_asleep(i == writer_at
				   ? t_threads(1, write_once, NULL)
				   : t_threads(1, meet_inside, NULL));
	if (downgrade) {
		rwsem_downgrade_write(&sem);
		/* They are told in several sections, all by now. */
		t_eq(rwi_readers(t_load(&sem.word_)), READERS + 1);
		t_eq(t_load(&written), 0);
		t_meet(&inside);
		rwsem_up_read(&sem);
	} else {
		rwsem_up_write(&sem);
	}
	t_join();
	t_eq(t_load(&sem.word_), 0);
}

T_TEST(a_crowd_of_readers_gets_in_together)
{
	let_in(false, 0);
	let_in(false, READERS / 2);
	let_in(false, READERS);
	let_in(true, 0);
	let_in(true, READERS / 2);
}

/* ---- Neighbours in a bucket ---- */

enum { NEIGHBOURS = 3, CANDIDATES = 65536, WAITERS = 4 };

static rwsem_t candidates[CANDIDATES];
static rwsem_t *neighbours[NEIGHBOURS];
static uint32_t turn[NEIGHBOURS];

/* What one waiter waits for, and which place it has. */
struct place {
	unsigned neighbour;
	uint32_t expected;
};

static void find_neighbours(void)
{
	unsigned found = 0;

	for (unsigned i = 0; i < CANDIDATES && found < NEIGHBOURS; i++)
		if (rwi_bucket_of(&candidates[i]) ==
		    rwi_bucket_of(&candidates[0]))
			neighbours[found++] = &candidates[i];
	t_eq(found, NEIGHBOURS);
}

static void write_in_turn(void *arg)
{
	const struct place *place = arg;

	t_doing("down_write");
	rwsem_down_write(neighbours[place->neighbour]);
	t_eq(t_add(&turn[place->neighbour], 1), place->expected);
	rwsem_up_write(neighbours[place->neighbour]);
	t_doing(NULL);
}

static void give_up(void *arg)
{
	const struct timespec at = t_in_us(CLOCK_MONOTONIC, 30000);
	const struct place *place = arg;

	t_doing("down_write_until");
	t_eq(rwsem_down_write_until(neighbours[place->neighbour],
				    CLOCK_MONOTONIC, &at),
	     ETIMEDOUT);
	t_doing(NULL);
}

/*
 * Waiters of all neighbours queue in turn; the first of each, in whose node its
 * queue lives, gives up.  Then one neighbour after the other is released.
 */
T_TEST(neighbours_in_a_bucket)
{
	static struct place places[NEIGHBOURS][WAITERS];
	unsigned leaving[NEIGHBOURS];

	find_neighbours();
	for (unsigned n = 0; n < NEIGHBOURS; n++)
		rwsem_down_write(neighbours[n]);
	for (unsigned n = 0; n < NEIGHBOURS; n++) {
		places[n][0].neighbour = n;
		leaving[n] = t_threads(1, give_up, &places[n][0]);
		t_await_asleep(leaving[n]);
	}
	for (uint32_t w = 1; w < WAITERS; w++) {
		for (unsigned n = 0; n < NEIGHBOURS; n++) {
			places[n][w] = (struct place){ n, w - 1 };
			t_await_asleep(
			    t_threads(1, write_in_turn, &places[n][w]));
		}
	}
	for (unsigned n = 0; n < NEIGHBOURS; n++)
		t_await(t_finished(leaving[n]));
	for (unsigned i = 0; i < NEIGHBOURS; i++) {
		const unsigned n = (i + 1) % NEIGHBOURS;

		t_true(rwsem_is_contended(neighbours[n]));
		t_eq(t_load(&turn[n]), 0);
		rwsem_up_write(neighbours[n]);
		t_await(t_load(&turn[n]) == WAITERS - 1);
	}
	t_join();
	for (unsigned n = 0; n < NEIGHBOURS; n++)
		t_eq(t_load(&neighbours[n]->word_), 0);
}
