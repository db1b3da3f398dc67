/* SPDX-License-Identifier: MIT */
/*
 * A waiter that gives up settles what follows for those behind it, leaves no
 * mark behind, and takes the lock all the same if that was given to it in the
 * last moment.
 */
#include "support/word.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

enum { FOR_EVER_NS = 4000000000u };

static rwsem_t sem;
static const unsigned flags[] = { 0, RWSEM_PREFER_WRITERS, RWSEM_RECURSIVE_READ,
				  RWSEM_DEBUG };

static void write_until(void *arg)
{
	const struct timespec at = t_in_us(CLOCK_MONOTONIC, 30000);

	(void)arg;
	t_doing("down_write_until");
	t_eq(rwsem_down_write_until(&sem, CLOCK_MONOTONIC, &at), ETIMEDOUT);
	t_doing(NULL);
}

static void write_interruptible(void *arg)
{
	(void)arg;
	t_doing("down_write_interruptible");
	t_eq(rwsem_down_write_interruptible(&sem), EINTR);
	t_doing(NULL);
}

static void read_once(void *arg)
{
	(void)arg;
	t_doing("down_read");
	rwsem_down_read(&sem);
	t_doing(NULL);
	rwsem_up_read(&sem);
}

static uint64_t sections(void)
{
	return t_load(&rwi_event_count[RWI_EVENT_bucket]);
}

static void gives_up(void (*writer)(void *), unsigned policy)
{
	enum { READERS = 2 };
	const bool interrupted = writer == write_interruptible;
	unsigned number;
	uint64_t before;

	t_eq(rwsem_init(&sem, policy), 0);
	rwsem_down_read(&sem);
	number = t_threads(1, writer, NULL);
	t_await_asleep(number);
	for (unsigned i = 0; i < READERS; i++)
		t_await_asleep(t_threads(1, read_once, NULL));
	before = sections();
	while (interrupted && !t_finished(number)) {
		t_signal(number, SIGUSR1);
		t_pause();
	}
	t_join();
	/* All in one section: the readers slept until the writer left. */
	if (interrupted)
		t_eq(sections() - before, 1);
	rwsem_up_read(&sem);
	t_false(rwsem_is_locked(&sem));
	t_false(rwsem_is_contended(&sem));
}

T_TEST(readers_behind_a_writer_that_gives_up)
{
	rwi_tunables.arrival_spin_ns = 0;
	rwi_tunables.slice_ns_min = FOR_EVER_NS;
	t_count_signals(0);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		gives_up(write_interruptible, flags[i]);
		gives_up(write_until, flags[i]);
	}
}

/* ---- In the last moment ---- */

static uint32_t leaving, resume;
static int result;

/* Hold a waiter back when it has decided to go. */
static void before_bucket(struct rwi_point *point)
{
	if (strcmp(point->name, "give up: before the bucket") != 0)
		return;
	t_store(&leaving, 1);
	while (!t_load(&resume))
		t_pause();
}

static void wait_and_leave(void *arg)
{
	const bool write = *(const bool *)arg;
	const struct timespec at = t_in_us(CLOCK_MONOTONIC, 20000);

	t_doing("down_*_until");
	result = write ? rwsem_down_write_until(&sem, CLOCK_MONOTONIC, &at)
		       : rwsem_down_read_until(&sem, CLOCK_MONOTONIC, &at);
	t_doing(NULL);
	if (result)
		return;
	if (write)
		rwsem_up_write(&sem);
	else
		rwsem_up_read(&sem);
}

/* A waiter of this kind has timed out, and is about to say so. */
static void start_leaving(bool *write, bool owed)
{
	rwi_tunables.handoff_ns = owed ? 0 : FOR_EVER_NS;
	rwi_tunables.slice_ns_min = FOR_EVER_NS;
	rwi_step_hook = before_bucket;
	t_store(&leaving, 0);
	t_store(&resume, 0);
	rwsem_down_write(&sem);
	t_threads(1, wait_and_leave, write);
	t_await(t_load(&leaving));
}

static void let_it_leave(void)
{
	t_store(&resume, 1);
	t_join();
}

/* For both kinds, owed the lock or not. */
static void each(void (*check)(bool *write, bool owed))
{
	for (int i = 0; i < 4; i++) {
		bool write = i % 2;

		check(&write, i / 2);
		t_eq(t_load(&sem.word_), 0);
	}
}

static void told_to_compete_and_stolen_from(bool *write, bool owed)
{
	start_leaving(write, owed);
	rwsem_up_write(&sem);
	t_true(rwsem_down_write_trylock(&sem));
	let_it_leave();
	t_eq(result, ETIMEDOUT);
	/* Its marks are gone. */
	t_eq(t_load(&sem.word_), RWI_WRITER);
	rwsem_up_write(&sem);
}

static void told_to_compete_and_in_time(bool *write, bool owed)
{
	start_leaving(write, owed);
	rwsem_up_write(&sem);
	let_it_leave();
	t_eq(result, 0);
}

static void still_in_the_queue(bool *write, bool owed)
{
	start_leaving(write, owed);
	let_it_leave();
	t_eq(result, ETIMEDOUT);
	t_eq(t_load(&sem.word_), RWI_WRITER);
	rwsem_up_write(&sem);
}

T_TEST(in_the_last_moment)
{
	each(still_in_the_queue);
	each(told_to_compete_and_stolen_from);
	each(told_to_compete_and_in_time);
}

T_TEST(granted_in_the_last_moment)
{
	bool write = false;

	start_leaving(&write, false);
	rwsem_downgrade_write(&sem);
	let_it_leave();
	t_eq(result, 0);
	rwsem_up_read(&sem);
	t_eq(t_load(&sem.word_), 0);
}
