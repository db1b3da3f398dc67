/* SPDX-License-Identifier: MIT */
/*
 * Nobody waits actively where that cannot help: with one CPU by affinity, or
 * less than two by quota.  Both are looked up again as time passes.
 */
#include "support/t.h"

#include "port/port.h"
#include "rwsem/rwsem.h"
#include "support/cgroup.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 200, THREADS = 4 };

static rwsem_t sem;

static void contend(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		t_doing("down_write");
		rwsem_down_write(&sem);
		sched_yield();
		rwsem_up_write(&sem);
		t_doing("down_read");
		rwsem_down_read(&sem);
		sched_yield();
		rwsem_up_read(&sem);
		t_doing(NULL);
	}
}

static uint64_t count(enum rwi_event_name event)
{
	return t_load(&rwi_event_count[event]);
}

static void expect_no_spinning(void)
{
	t_false(rwi_may_spin(rwi_now_ns()));
	rwsem_down_write(&sem);
	t_await_asleep(t_threads(THREADS, contend, NULL));
	rwsem_up_write(&sem);
	t_join();
	t_ge(count(RWI_EVENT_opt_nospin), 1);
	t_eq(count(RWI_EVENT_opt_lock), 0);
	t_eq(count(RWI_EVENT_opt_fail), 0);
}

/* The CPUs this process may use; their number. */
static int get_cpus(cpu_set_t *all)
{
	t_eq(sched_getaffinity(0, sizeof *all, all), 0);
	return CPU_COUNT(all);
}

/* Bind the calling thread to one of them, from 0. */
static void bind_to(const cpu_set_t *all, unsigned number)
{
	cpu_set_t one;
	size_t cpu = 0;

	while (!CPU_ISSET(cpu, all) || number--)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	t_eq(sched_setaffinity(0, sizeof one, &one), 0);
}

T_TEST(not_on_one_cpu)
{
	cpu_set_t all;

	get_cpus(&all);
	bind_to(&all, 0);
	expect_no_spinning();
}

T_TEST(as_soon_as_there_are_two_and_no_longer)
{
	cpu_set_t all;

	if (get_cpus(&all) < 2)
		t_skip("one CPU");
	t_true(rwi_may_spin(rwi_now_ns()));
	bind_to(&all, 0);
	t_await(!rwi_may_spin(rwi_now_ns()));
	t_eq(sched_setaffinity(0, sizeof all, &all), 0);
	t_await(rwi_may_spin(rwi_now_ns()));
}

/* Threads that are bound to one CPU each still have many together. */
static void bind_to_own_cpu(void *arg)
{
	bind_to(arg, t_index());
	t_await(rwi_may_spin(rwi_now_ns()));
}

T_TEST(on_two_cpus_one_for_each_thread)
{
	cpu_set_t all;

	if (get_cpus(&all) < 2)
		t_skip("one CPU");
	t_threads(2, bind_to_own_cpu, &all);
	t_join();
}

static void in_half_a_cpu(void *arg)
{
	(void)arg;
	expect_no_spinning();
}

T_TEST(not_in_half_a_cpu)
{
	t_in_cgroup(50, in_half_a_cpu, NULL);
}

static void in_three_cpus(void *arg)
{
	cpu_set_t all;

	(void)arg;
	if (get_cpus(&all) < 2)
		t_skip("one CPU");
	t_true(rwi_may_spin(rwi_now_ns()));
}

T_TEST(in_a_quota_of_three_cpus)
{
	t_in_cgroup(300, in_three_cpus, NULL);
}
