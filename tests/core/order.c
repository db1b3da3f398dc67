/* SPDX-License-Identifier: MIT */
/*
 * The queue is in order of arrival, readers in it enter together, and a first
 * waiter is passed at most until it has lost a given number of competitions.
 */
#include "support/t.h"

#include "port/port.h"
#include "rwsem/rwsem.h"

#include <string.h>

static rwsem_t sem;

/* ---- Order ---- */

enum { WAITERS = 8 };
static uint32_t turn, turn_of[WAITERS];

static void write_once(void *arg)
{
	t_doing("down_write");
	rwsem_down_write(&sem);
	*(uint32_t *)arg = turn++;
	rwsem_up_write(&sem);
	t_doing(NULL);
}

static void read_once(void *arg)
{
	t_doing("down_read");
	rwsem_down_read(&sem);
	*(uint32_t *)arg = t_add(&turn, 1);
	rwsem_up_read(&sem);
	t_doing(NULL);
}

/* A letter for each waiter, in order of arrival behind a hold. */
static void queue(const char *waiters)
{
	turn = 0;
	for (unsigned i = 0; waiters[i]; i++)
		t_await_asleep(waiters[i] == 'w'
				   ? t_threads(1, write_once, &turn_of[i])
				   : t_threads(1, read_once, &turn_of[i]));
}

T_TEST(queued_writers_enter_in_order)
{
	for (unsigned kind = 0; kind < 2; kind++) {
		if (kind)
			rwsem_down_read(&sem);
		else
			rwsem_down_write(&sem);
		queue("wwwwwwww");
		if (kind)
			rwsem_up_read(&sem);
		else
			rwsem_up_write(&sem);
		t_join();
		for (uint32_t i = 0; i < WAITERS; i++)
			t_eq(turn_of[i], i);
	}
}

T_TEST(queued_readers_enter_together)
{
	rwsem_down_write(&sem);
	queue("wrwrwr");
	rwsem_up_write(&sem);
	t_join();
	t_eq(turn_of[0], 0);
	/* The readers have places 1 to 3, in any order. */
	t_eq(turn_of[1] + turn_of[3] + turn_of[5], 6);
	t_eq(turn_of[2], 4);
	t_eq(turn_of[4], 5);

	rwsem_down_write(&sem);
	queue("rwrww");
	rwsem_up_write(&sem);
	t_join();
	t_eq(turn_of[0] + turn_of[2], 1);
	t_eq(turn_of[1], 2);
	t_eq(turn_of[3], 3);
	t_eq(turn_of[4], 4);
}

/* ---- A lost competition ---- */

static uint32_t competing, stolen;

/* Hold a competitor back until the lock has been stolen from it. */
static void before_spin(struct rwi_point *point)
{
	if (strcmp(point->name, "compete: before the spin") != 0)
		return;
	t_store(&competing, 1);
	while (!t_load(&stolen))
		t_pause();
}

T_TEST(a_loser_keeps_its_place)
{
	rwi_tunables.handoff_ns = UINT32_MAX;
	for (unsigned round = 0; round < 2; round++) {
		const char *waiters = round ? "rww" : "www";

		t_store(&competing, 0);
		t_store(&stolen, 0);
		rwi_step_hook = before_spin;
		rwsem_down_write(&sem);
		queue(waiters);
		rwsem_up_write(&sem);
		t_await(t_load(&competing));
		t_true(rwsem_down_write_trylock(&sem));
		t_store(&stolen, 1);
		t_await(t_load(&rwi_event_count[RWI_EVENT_requeue]) ==
			round + 1);
		rwsem_up_write(&sem);
		t_join();
		for (uint32_t i = 0; waiters[i]; i++)
			t_eq(turn_of[i], i);
	}
}

/* ---- Bypasses ---- */

enum { ROUNDS = 30, TRIES = 3 };
static uint32_t stop;

static void steal_write(void *arg)
{
	(void)arg;
	while (!t_load(&stop)) {
		t_doing("down_write");
		rwsem_down_write(&sem);
		t_work_us(2);
		rwsem_up_write(&sem);
		t_doing(NULL);
	}
}

/*
 * One waiter against one thief, who cannot lose a competition as long as the
 * waiter has not held the lock: all that are lost are the waiter's.
 */
static uint64_t lost_by_one_waiter(bool write)
{
	const uint64_t *requeued = &rwi_event_count[RWI_EVENT_requeue];
	const uint64_t before = t_load(requeued);
	uint64_t lost;

	t_store(&stop, 0);
	t_threads(1, steal_write, NULL);
	t_await(rwsem_is_locked(&sem));
	t_doing("down_*");
	if (write)
		rwsem_down_write(&sem);
	else
		rwsem_down_read(&sem);
	lost = t_load(requeued) - before;
	t_doing(NULL);
	t_store(&stop, 1);
	if (write)
		rwsem_up_write(&sem);
	else
		rwsem_up_read(&sem);
	t_join();
	return lost;
}

T_TEST(a_first_waiter_loses_so_often_and_no_more)
{
	/* Count tries, not time. */
	rwi_tunables.handoff_ns = UINT32_MAX;
	rwi_tunables.arrival_spin_ns = 0;
	rwi_tunables.competitor_spin_ns = 0;
	for (uint32_t tries = 0; tries <= TRIES; tries++) {
		rwi_tunables.handoff_tries = tries;
		for (unsigned i = 0; i < t_rounds(ROUNDS); i++)
			t_le(lost_by_one_waiter(i % 2), tries);
	}
}
