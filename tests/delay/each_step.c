/* SPDX-License-Identifier: MIT */
/*
 * A thread may lose its CPU at any step.  So delay threads at every step of
 * the slow paths, at one step at a time and at all of them at random, while a
 * mix of all operations runs under each policy: exclusion holds, everybody
 * gets in, the word is sound at every step and idle in the end.  Every step
 * must have been taken.
 *
 * (Arcangeli found a hang of the kernel's first rwsem this way in 2001.)
 */
#include "support/mix.h"
#include "support/word.h"

#include <errno.h>
#include <sched.h>

enum { THREADS = 3, ROUNDS = 60, ROUNDS_ALL = 1500 };

extern struct rwi_point __start_rwi_steps[], __stop_rwi_steps[];

static unsigned char lock[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));

static void delay(struct rwi_point *point)
{
	const int saved = errno;

	t_sound_word((const rwsem_t *)lock);
	if (!t_load(&point->armed))
		return;
	switch (t_random(8)) {
	case 0:
	case 1:
		sched_yield();
		break;
	case 2:
		t_sleep_us(t_random(100));
		break;
	case 3:
	case 4:
		rwi_delay(t_random(5000));
		break;
	default:
		break;
	}
	errno = saved;
}

static void arm_all(uint32_t armed)
{
	struct rwi_point *p;

	for (p = __start_rwi_steps; p < __stop_rwi_steps; p++)
		t_store(&p->armed, armed);
}

/* Readers told one by one, so that a crowd of three needs several sections. */
static void make_slow_paths_common(void)
{
	rwi_tunables.tell_count_max = 1;
	rwi_tunables.arrival_spin_ns = 300;
	rwi_tunables.competitor_spin_ns = 1000;
	rwi_tunables.handoff_ns = 50000;
	rwi_tunables.patience_ns = 100000;
	rwi_step_hook = delay;
}

static void run(const struct rwi_design *design, unsigned rounds)
{
	const rwsem_t *sem = (const rwsem_t *)lock;
	uint64_t idle;

	if (design->init)
		t_eq(design->init(lock), 0);
	idle = sem->word_;
	t_mix(design, lock, THREADS, rounds, false);
	t_eq(sem->word_, idle);
	t_mix(design, lock, THREADS, rounds, true);
	t_eq(sem->word_, idle);
	t_true(design->down_write_trylock(lock));
	design->up_write(lock);
	if (design->destroy)
		design->destroy(lock);
}

static void run_policies(unsigned rounds)
{
	for (const struct rwi_design *const *d = rwi_designs; *d; d++)
		if (t_is_rwsem(*d))
			run(*d, rounds);
}

T_TEST(each_step)
{
	struct rwi_point *p;

	make_slow_paths_common();
	for (p = __start_rwi_steps; p < __stop_rwi_steps; p++) {
		arm_all(0);
		t_store(&p->armed, 1);
		run_policies(t_rounds(ROUNDS));
	}
	for (p = __start_rwi_steps; p < __stop_rwi_steps; p++) {
		t_say("  %8u %s\n", t_load(&p->hits), p->name);
		if (!t_load(&p->hits))
			t_fail("never taken: %s", p->name);
	}
}

T_TEST(all_steps)
{
	make_slow_paths_common();
	arm_all(1);
	run_policies(t_rounds(ROUNDS_ALL));
}
