/* SPDX-License-Identifier: MIT */
/*
 * A thread may lose its CPU at any step.  So delay threads at every step of
 * the slow paths, at one step at a time and at all of them at random, while a
 * mix of all operations runs on each lock that has the step: exclusion holds
 * and everybody gets in.  The semaphore's word is sound at every step, under
 * each policy, and idle in the end.  Every step must have been taken.
 *
 * The steps of a design are called after its file, "file/step"; those without
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
enum {
	THREADS = 3,
	ROUNDS = 200,
	ROUNDS_ALL = 1500,
	RUNS_MAX = 200,
	PART_IN_MAX = 3
};

extern struct rwi_point __start_rwi_steps[], __stop_rwi_steps[];

static unsigned char subject[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));
static bool is_rwsem;

static void delay(struct rwi_point *point)
{
	const int saved = errno;

	if (is_rwsem)
		t_sound_word((const rwsem_t *)subject);
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
	const rwsem_t *sem = (const rwsem_t *)subject;
	uint64_t idle;

	memset(subject, 0, sizeof subject);
	if (design->init)
		t_eq(design->init(subject), 0);
	is_rwsem = t_is_rwsem(design);
	idle = is_rwsem ? sem->word_ : 0;
	t_mix(design, subject, THREADS, rounds, false);
	t_mix(design, subject, THREADS, rounds, true);
	if (is_rwsem)
		t_eq(sem->word_, idle);
	t_down_write(design, subject);
	t_up_write(design, subject);
	if (design->destroy)
		design->destroy(subject);
}

/* The length of the file's name in "file/step", or in "file.c". */
static size_t stem(const char *name)
{
	return strcspn(name, "/.");
}

static bool same_stem(const char *a, const char *b)
{
	return stem(a) == stem(b) && !strncmp(a, b, stem(a));
}

/* Is this a step of the design's own file? */
static bool has_step(const struct rwi_design *design, const char *step)
{
	if (step[stem(step)] != '/')
		return t_is_rwsem(design);
	return !t_is_rwsem(design) && design->file &&
	       same_stem(step, design->file);
}

static bool of_a_part(const char *step)
{
	for (const struct rwi_design *const *d = rwi_designs; *d; d++)
		if (has_step(*d, step))
			return false;
	return true;
}

static bool is_broken(const struct rwi_design *design)
{
	return design->traits & RWI_BROKEN;
}

/* Is it the first design that comes by this step? */
static bool leads(const struct rwi_design *design, const char *step)
{
	const struct rwi_design *const *d = rwi_designs;

	while (is_broken(*d) || !has_step(*d, step))
		d++;
	return *d == design;
}

static void arm(struct rwi_point *step)
{
	arm_all(0);
	t_store(&step->armed, 1);
}

static void expect_taken(const struct rwi_point *step)
{
	t_say("  %8u %s\n", t_load(&step->hits), step->name);
	if (!t_load(&step->hits))
		t_fail("never taken: %s", step->name);
}

/* A file's steps, by the first design that has them for all that do. */
T_DESIGNS(each_step, T_ANY)
{
	struct rwi_point *p;

	(void)lock;
	make_slow_paths_common();
	for (p = __start_rwi_steps; p < __stop_rwi_steps; p++) {
		if (!has_step(design, p->name) || !leads(design, p->name))
			continue;
		arm(p);
		for (unsigned i = 0; i < RUNS_MAX && !t_load(&p->hits);
		     i++, t_seed++)
			for (const struct rwi_design *const *d = rwi_designs;
			     *d; d++)
				if (!is_broken(*d) && has_step(*d, p->name))
					run(*d, t_rounds(ROUNDS));
		expect_taken(p);
	}
}

/* Those of the parts that designs share, by a few designs that have them. */
T_TEST(each_step_of_the_parts)
{
	struct rwi_point *p;

	make_slow_paths_common();
	for (p = __start_rwi_steps; p < __stop_rwi_steps; p++) {
		unsigned took = 0;

		if (!of_a_part(p->name))
			continue;
		arm(p);
		for (unsigned i = 0; i < RUNS_MAX && !took; i++, t_seed++)
			for (const struct rwi_design *const *d = rwi_designs;
			     *d && took < PART_IN_MAX; d++) {
				const uint32_t before = t_load(&p->hits);

				if (!(*d)->year || t_missing(*d, T_ANY))
					continue;
				run(*d, t_rounds(ROUNDS));
				took += t_load(&p->hits) != before;
			}
		expect_taken(p);
	}
}

T_DESIGNS(all_steps, T_ANY)
{
	(void)lock;
	make_slow_paths_common();
	arm_all(1);
	run(design, t_rounds(ROUNDS_ALL));
}
