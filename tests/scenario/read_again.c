/* SPDX-License-Identifier: MIT */
/*
 * A thread reads, a writer asks, the thread reads again and releases both: at
 * any time of the writer's arrival nobody hangs, where reading again is
 * promised to work.  (Elsewhere a checked semaphore reports it: core/faults.c.)
 */
#include "support/designs.h"

enum { ROUNDS = 10000, SPREAD = 300 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	struct t_meeting start;
	struct t_guarded guarded;
};

static void spend(uint32_t loops)
{
	for (uint32_t i = 0; i < loops; i++)
		__asm__ volatile("");
}

static void read_twice(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		t_meet(&s->start);
		t_down_read(s->design, s->lock);
		t_enter_read(&s->guarded);
		spend(t_random(SPREAD));
		t_down_read(s->design, s->lock);
		spend(t_random(SPREAD));
		t_up_read(s->design, s->lock);
		t_leave_read(&s->guarded);
		t_up_read(s->design, s->lock);
	}
}

static void write_once(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		t_meet(&s->start);
		spend(t_random(SPREAD));
		t_down_write(s->design, s->lock);
		t_enter_write(&s->guarded);
		t_leave_write(&s->guarded);
		t_up_write(s->design, s->lock);
	}
}

T_DESIGNS(read_again, RWI_RECURSIVE)
{
	struct shared s = { .design = design, .lock = lock, .start.count = 3 };

	t_threads(1, read_twice, &s);
	t_threads(2, write_once, &s);
	t_join();
	t_eq(s.guarded.b, 2 * t_rounds(ROUNDS));
}
