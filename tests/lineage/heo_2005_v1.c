/* SPDX-License-Identifier: MIT */
/* heo-2005-v1: a counter that is about to run over is emptied in time. */
#include "support/mix.h"

#include "port/port.h"

enum { HOLDS = 40, THREADS = 3, ROUNDS = 1000 };

static unsigned char lock[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));
static const struct rwi_design *design;
static uint32_t written;

/* Counters from -3 to 3, where -4 is a writer's mark. */
static void begin(void)
{
	rwi_tunables.count_bits = 3;
	design = rwi_design_find("heo-2005-v1");
	t_eq(design->init(lock), 0);
}

static void write_once(void *arg)
{
	(void)arg;
	t_down_write(design, lock);
	t_store(&written, 1);
	t_up_write(design, lock);
}

static void release_all(void *arg)
{
	(void)arg;
	for (int i = 0; i < HOLDS; i++) {
		t_eq(t_load(&written), 0);
		t_up_read(design, lock);
	}
}

/* Taken here and released there, so that counters run over both ways. */
T_TEST(every_hold_counts)
{
	begin();
	for (int waited_for = 0; waited_for < 2; waited_for++) {
		unsigned releaser;

		t_store(&written, 0);
		for (int i = 0; i < HOLDS; i++)
			t_down_read(design, lock);
		if (waited_for)
			t_await_asleep(t_threads(1, write_once, NULL));
		releaser = t_threads(1, release_all, NULL);
		t_await(t_finished(releaser));
		t_join();
		t_eq(t_load(&written), waited_for);
		write_once(NULL);
	}
	design->destroy(lock);
}

T_TEST(in_a_mix)
{
	begin();
	t_mix(design, lock, THREADS, t_rounds(ROUNDS), true);
	t_mix(design, lock, THREADS, t_rounds(ROUNDS), false);
	design->destroy(lock);
}
