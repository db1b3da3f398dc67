/* SPDX-License-Identifier: MIT */
/*
 * A real-time waiter on the CPU of an ordinary holder sleeps, so the holder
 * can finish; it does not wait actively for a thread that it keeps from
 * running.
 */
#include "support/t.h"

#include "port/port.h"
#include "rwsem/rwsem.h"

#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 20, PRIORITY = 10, HOLD_US = 500 };

static rwsem_t sem;
static cpu_set_t here;
static uint32_t held, write_waits;

static void hold(void *arg)
{
	(void)arg;
	t_eq(sched_setaffinity(0, sizeof here, &here), 0);
	if (write_waits)
		rwsem_down_read(&sem);
	else
		rwsem_down_write(&sem);
	t_store(&held, 1);
	/* Until the other waits; then work that it must not hold up. */
	t_await(rwsem_is_contended(&sem));
	t_work_us(HOLD_US);
	if (write_waits)
		rwsem_up_read(&sem);
	else
		rwsem_up_write(&sem);
}

static void wait_in_real_time(void *arg)
{
	const struct sched_param priority = { .sched_priority = PRIORITY };

	(void)arg;
	t_eq(sched_setaffinity(0, sizeof here, &here), 0);
	t_eq(pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority), 0);
	t_doing("down_*");
	if (write_waits) {
		rwsem_down_write(&sem);
		rwsem_up_write(&sem);
	} else {
		rwsem_down_read(&sem);
		rwsem_up_read(&sem);
	}
	t_doing(NULL);
}

static void may_be_real_time(void *arg)
{
	const struct sched_param priority = { .sched_priority = PRIORITY };

	(void)arg;
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority))
		t_skip("not allowed to use SCHED_FIFO");
}

/* One CPU of those that this process may use. */
static void choose_cpu(void)
{
	cpu_set_t all;
	size_t cpu = 0;

	t_eq(sched_getaffinity(0, sizeof all, &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
}

static void rounds(void)
{
	t_threads(1, may_be_real_time, NULL);
	t_join();
	choose_cpu();
	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		t_store(&held, 0);
		t_threads(1, hold, NULL);
		t_await(t_load(&held));
		t_threads(1, wait_in_real_time, NULL);
		t_join();
	}
	t_ge(t_load(&rwi_event_count[RWI_EVENT_sleep]), 1);
}

T_TEST(fifo_reader_behind_an_ordinary_writer)
{
	rounds();
	/* The writer was seen on this CPU, so nobody waited actively for it. */
	t_ge(t_load(&rwi_event_count[RWI_EVENT_opt_nospin]), t_rounds(ROUNDS));
	t_eq(t_load(&rwi_event_count[RWI_EVENT_opt_fail]), 0);
}

T_TEST(fifo_writer_behind_an_ordinary_reader)
{
	write_waits = 1;
	rounds();
}
