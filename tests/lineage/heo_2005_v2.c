/* SPDX-License-Identifier: MIT */
/*
 * heo-2005-v2: counters that run over are folded, and a reader that came during
 * a writer but reaches the master lock after it is inside.
 */
#include "support/mix.h"

#include "port/port.h"

#include <string.h>

enum { HOLDS = 100, THREADS = 3, ROUNDS = 1000 };

static unsigned char lock[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));
static const struct rwi_design *design;
static uint32_t written, arrived, may_go_on, inside, may_leave;

static void begin(void)
{
	design = rwi_design_find("heo-2005-v2");
	t_eq(design->init(lock), 0);
}

static void write_once(void *arg)
{
	(void)arg;
	t_down_write(design, lock);
	t_store(&written, 1);
	t_up_write(design, lock);
}

/* ---- Overflow ---- */

/* Run over at 32; from 48 on a counter has the bias. */
static void narrow(void)
{
	rwi_tunables.count_bits = 6;
	begin();
}

T_TEST(every_hold_counts)
{
	narrow();
	for (uint32_t waited_for = 0; waited_for < 2; waited_for++) {
		t_store(&written, 0);
		for (int i = 0; i < HOLDS; i++)
			t_down_read(design, lock);
		t_false(design->down_write_trylock(lock));
		if (waited_for)
			t_await_asleep(t_threads(1, write_once, NULL));
		for (int i = 0; i < HOLDS; i++) {
			t_eq(t_load(&written), 0);
			t_up_read(design, lock);
		}
		t_join();
		t_eq(t_load(&written), waited_for);
		t_true(design->down_write_trylock(lock));
		t_up_write(design, lock);
	}
	design->destroy(lock);
}

T_TEST(in_a_mix)
{
	narrow();
	t_mix(design, lock, THREADS, t_rounds(ROUNDS), true);
	t_mix(design, lock, THREADS, t_rounds(ROUNDS), false);
	design->destroy(lock);
}

/* ---- Stragglers ---- */

static void hold_up(struct rwi_point *point)
{
	if (strcmp(point->name, "heo_2005_v2/arrive") != 0)
		return;
	t_store(&arrived, 1);
	t_await(t_load(&may_go_on));
}

static void straggle(void *arg)
{
	(void)arg;
	t_down_read(design, lock);
	t_store(&inside, 1);
	t_await(t_load(&may_leave));
	t_eq(t_load(&written), 0);
	t_up_read(design, lock);
}

T_TEST(stragglers_are_admitted)
{
	begin();
	t_down_write(design, lock);
	rwi_step_hook = hold_up;
	t_threads(1, straggle, NULL);
	t_await(t_load(&arrived));
	t_up_write(design, lock);
	/* It counts already, and the next writer waits for it. */
	t_false(design->down_write_trylock(lock));
	t_await_asleep(t_threads(1, write_once, NULL));
	t_store(&may_go_on, 1);
	t_await(t_load(&inside));
	t_eq(t_load(&written), 0);
	t_store(&may_leave, 1);
	t_join();
	t_eq(t_load(&written), 1);
	design->destroy(lock);
}
