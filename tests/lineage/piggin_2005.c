/* SPDX-License-Identifier: MIT */
/*
 * piggin-2005: the token of a read hold stays with its thread, wherever that
 * runs, and nobody else can release the hold.
 */
#include "support/designs.h"

#include <sched.h>
#include <string.h>

enum { HOLDS = 4 };

static unsigned char lock[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));
static const struct rwi_design *design;

static void begin(void)
{
	design = rwi_design_find("piggin-2005");
	t_eq(design->init(lock), 0);
}

/* Move to the next CPU there is, if there is more than one. */
static void move(const cpu_set_t *allowed)
{
	static size_t cpu;
	cpu_set_t one;

	do
		cpu = (cpu + 1) % CPU_SETSIZE;
	while (!CPU_ISSET(cpu, allowed));
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	t_eq(sched_setaffinity(0, sizeof one, &one), 0);
}

T_TEST(holds_move_with_their_thread)
{
	cpu_set_t allowed;

	begin();
	t_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
	for (int i = 0; i < HOLDS; i++) {
		move(&allowed);
		t_true(design->down_read_trylock(lock));
	}
	for (int i = 0; i < HOLDS; i++) {
		t_false(design->down_write_trylock(lock));
		move(&allowed);
		t_up_read(design, lock);
	}
	t_true(design->down_write_trylock(lock));
	t_up_write(design, lock);
	design->destroy(lock);
}

static void release_anothers(void *arg)
{
	(void)arg;
	t_up_read(design, lock);
}

static void take_here_release_there(void *arg)
{
	(void)arg;
	t_down_read(design, lock);
	t_threads(1, release_anothers, NULL);
	t_join();
}

T_TEST(nobody_else_can_release)
{
	struct t_outcome outcome;

	begin();
	t_child(take_here_release_there, NULL, 20 * t_slower(), &outcome);
	t_false(outcome.stuck);
	t_true(outcome.status != 0);
	t_true(strstr(outcome.text, "released without a token"));
	design->destroy(lock);
}
