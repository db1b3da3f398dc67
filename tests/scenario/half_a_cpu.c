/* SPDX-License-Identifier: MIT */
/*
 * 32 threads in a cgroup of half a CPU, with holds of 10 us of which a tenth
 * are for writing: nobody burns the quota by waiting actively, and nobody
 * waits for ten seconds, ten times what is tolerable.
 */
#include "support/t.h"

#include "port/port.h"
#include "rwsem/rwsem.h"
#include "support/cgroup.h"

enum { THREADS = 32, ROUNDS = 150, HOLD_US = 10, TEN_TIMES_S = 10 };

static rwsem_t sem;
static uint64_t longest_ns;

static void take_turns(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		const uint64_t start = t_now_ns(CLOCK_MONOTONIC);
		const bool write = t_random(10) == 0;
		uint64_t waited, longest = t_load(&longest_ns);

		t_doing("down_*");
		if (write)
			rwsem_down_write(&sem);
		else
			rwsem_down_read(&sem);
		t_doing(NULL);
		waited = t_now_ns(CLOCK_MONOTONIC) - start;
		t_work_us(HOLD_US);
		if (write)
			rwsem_up_write(&sem);
		else
			rwsem_up_read(&sem);
		if (waited > longest)
			t_store(&longest_ns, waited);
	}
}

static void half_a_cpu(void *arg)
{
	(void)arg;
	t_false(rwi_may_spin(rwi_now_ns()));
	t_threads(THREADS, take_turns, NULL);
	t_join();
	t_say("  longest wait %llu us\n",
	      (unsigned long long)longest_ns / 1000);
	t_le(longest_ns, TEN_TIMES_S * UINT64_C(1000000000));
	t_eq(t_load(&rwi_event_count[RWI_EVENT_opt_lock]), 0);
	t_eq(t_load(&rwi_event_count[RWI_EVENT_opt_fail]), 0);
}

T_TEST(half_a_cpu_is_not_burnt)
{
	t_in_cgroup(50, half_a_cpu, NULL);
}
