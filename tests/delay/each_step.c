/* SPDX-License-Identifier: MIT */
/*
 * A thread may lose its CPU at any step.  So delay threads at every step of
 * the slow paths, at one step at a time and at all of them at random, while a
 * mix of all operations runs on each lock that has the step: exclusion holds
 * and everybody gets in.  The semaphore's word is sound at every step, under
 * each policy, and idle in the end.  Every step must have been taken.
 *
 * The steps of a design are called after its file, "file/step"; those of the
 * parts that designs share are taken to be in all of the lineage, those without
 * such a name are the semaphore's.
 *
 * (Arcangeli found a hang of the kernel's first rwsem this way in 2001.)
 */
#include "support/mix.h"
#include "support/word.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* Some steps need luck, and rounds shrink in slow builds: then again. */
enum { THREADS = 3, ROUNDS = 60, ROUNDS_ALL = 1500, RUNS_MAX = 200 };

extern struct rwi_point __start_rwi_steps[], __stop_rwi_steps[];

static unsigned char lock[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));
static bool is_rwsem;

static void delay(struct rwi_point *point)
{
	const int saved = errno;

	if (is_rwsem)
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
	rwi_tunables.wait_timeout_ns = 50000;
	rwi_step_hook = delay;
}

static void run(const struct rwi_design *design, unsigned rounds)
{
	const rwsem_t *sem = (const rwsem_t *)lock;
	uint64_t idle;

	memset(lock, 0, sizeof lock);
	if (design->init)
		t_eq(design->init(lock), 0);
	is_rwsem = t_is_rwsem(design);
	idle = is_rwsem ? sem->word_ : 0;
	t_mix(design, lock, THREADS, rounds, false);
	t_mix(design, lock, THREADS, rounds, true);
	if (is_rwsem)
		t_eq(sem->word_, idle);
	t_down_write(design, lock);
	t_up_write(design, lock);
	if (design->destroy)
		design->destroy(lock);
}

/* The length of the file's name in "file/step", or in "file.c". */
static size_t stem(const char *name)
{
	return strcspn(name, "/.");
}

/* Can this design come by this step? */
static bool has_step(const struct rwi_design *design, const char *step)
{
	const size_t length = stem(step);
	bool of_a_design = false;

	if (step[length] != '/')
		return t_is_rwsem(design);
	if (!design->file || t_is_rwsem(design))
		return false;
	if (length == stem(design->file) &&
	    !strncmp(step, design->file, length))
		return true;
	for (const struct rwi_design *const *d = rwi_designs; *d; d++)
		of_a_design =
		    of_a_design || ((*d)->file && length == stem((*d)->file) &&
				    !strncmp(step, (*d)->file, length));
	return !of_a_design && design->year;
}

static bool runs_here(const struct rwi_design *design)
{
	return !(design->traits & (RWI_BROKEN | RWI_NO_EXCLUSION)) &&
	       (t_is_rwsem(design) || !t_missing(design, T_ANY));
}

/* All that can come by this step.  False if none of them is here. */
static bool run_all(const char *step)
{
	bool here = false;

	for (const struct rwi_design *const *d = rwi_designs; *d; d++) {
		if (!runs_here(*d) || !has_step(*d, step))
			continue;
		run(*d, t_rounds(ROUNDS));
		here = true;
	}
	return here;
}

T_TEST(each_step)
{
	struct rwi_point *p;

	make_slow_paths_common();
	for (p = __start_rwi_steps; p < __stop_rwi_steps; p++) {
		unsigned runs = 1;
		bool here;

		arm_all(0);
		t_store(&p->armed, 1);
		here = run_all(p->name);
		while (here && !t_load(&p->hits) && runs++ < RUNS_MAX) {
			t_seed++;
			run_all(p->name);
		}
		if (!here)
			t_say("  not here: %s\n", p->name);
		else if (!t_load(&p->hits))
			t_fail("never taken: %s", p->name);
		t_say("  %8u %s\n", t_load(&p->hits), p->name);
	}
}

T_TEST(all_steps)
{
	make_slow_paths_common();
	arm_all(1);
	for (const struct rwi_design *const *d = rwi_designs; *d; d++)
		if (runs_here(*d) && (t_is_rwsem(*d) || (*d)->year))
			run(*d, t_rounds(ROUNDS_ALL));
}
