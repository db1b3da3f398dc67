/* SPDX-License-Identifier: MIT */
/*
 * A waiter that is stopped in a signal handler, even as the one who is to have
 * the lock next, stops the others for a slice and not for good: also when
 * those are woken by signals all the time.
 */
#include "support/t.h"

#include "port/port.h"
#include "rwsem/rwsem.h"

#include <signal.h>
#include <string.h>

enum { SLICE_NS = 20000000 };

static rwsem_t sem;
static uint32_t stopped, resume;

static void stop_here(int signal)
{
	(void)signal;
	t_store(&stopped, 1);
	while (!t_load(&resume))
		t_pause();
}

static void install_stop(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_handler = stop_here;
	t_eq(sigaction(SIGUSR2, &action, NULL), 0);
}

static void read_once(void *arg)
{
	(void)arg;
	t_doing("down_read");
	rwsem_down_read(&sem);
	t_doing(NULL);
	rwsem_up_read(&sem);
}

static void write_once(void *arg)
{
	(void)arg;
	t_doing("down_write");
	rwsem_down_write(&sem);
	t_doing(NULL);
	rwsem_up_write(&sem);
}

static void write_until(void *arg)
{
	const struct timespec at = t_in_us(CLOCK_REALTIME, 60000000);

	(void)arg;
	t_doing("down_write_until");
	t_eq(rwsem_down_write_until(&sem, CLOCK_REALTIME, &at), 0);
	t_doing(NULL);
	rwsem_up_write(&sem);
}

/*
 * The first waiter is stopped, then told to compete; `owed` the lock or not.
 * Returns the number of the one who waits behind it, if anybody does.
 */
static unsigned stop_the_first(void (*first)(void *), void (*second)(void *),
			       bool owed)
{
	unsigned victim, other = 0;

	rwi_tunables.arrival_spin_ns = 0;
	rwi_tunables.slice_ns_min = SLICE_NS;
	rwi_tunables.slice_ns_max = SLICE_NS;
	rwi_tunables.handoff_ns = owed ? 0 : UINT32_MAX;
	install_stop();
	t_store(&stopped, 0);
	t_store(&resume, 0);
	t_eq(rwsem_init(&sem, 0), 0);
	rwsem_down_write(&sem);
	victim = t_threads(1, first, NULL);
	t_await_asleep(victim);
	t_signal(victim, SIGUSR2);
	t_await(t_load(&stopped));
	if (second) {
		other = t_threads(1, second, NULL);
		t_await_asleep(other);
	}
	rwsem_up_write(&sem);
	return other;
}

static void resume_the_first(void)
{
	t_store(&resume, 1);
	t_join();
	t_false(rwsem_is_locked(&sem));
	t_false(rwsem_is_contended(&sem));
}

static void others_get_in(void (*first)(void *), void (*second)(void *),
			  bool owed)
{
	const unsigned other = stop_the_first(first, second, owed);
	unsigned newcomer;

	/* The lock is free, and a try says so. */
	if (rwsem_down_write_trylock(&sem))
		rwsem_up_write(&sem);
	else
		t_await(t_finished(other));
	newcomer = t_threads(1, write_once, NULL);
	t_await(t_finished(other) && t_finished(newcomer));
	t_false(t_finished(1));
	resume_the_first();
}

T_TEST(others_get_in_past_a_stopped_waiter)
{
	void (*const bodies[])(void *) = { read_once, write_once, write_until };

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			for (int owed = 0; owed < 2; owed++)
				others_get_in(bodies[i], bodies[k], owed);
	t_ge(t_load(&rwi_event_count[RWI_EVENT_slice]), 1);
}

/* A try never fails on a lock that nobody holds, whomever it is owed to. */
T_TEST(a_try_takes_what_is_owed_to_a_stopped_waiter)
{
	for (int write = 0; write < 2; write++) {
		stop_the_first(write ? write_once : read_once, NULL, true);
		t_true(write ? rwsem_down_read_trylock(&sem)
			     : rwsem_down_write_trylock(&sem));
		if (write)
			rwsem_up_read(&sem);
		else
			rwsem_up_write(&sem);
		resume_the_first();
	}
}

T_TEST(also_when_signals_keep_them_from_sleeping)
{
	for (int owed = 0; owed < 2; owed++) {
		unsigned other;

		t_count_signals(0);
		other = stop_the_first(write_once, write_once, owed);
		while (!t_finished(other)) {
			t_signal(other, SIGUSR1);
			t_sleep_us(SLICE_NS / 1000 / 10);
		}
		resume_the_first();
	}
}
