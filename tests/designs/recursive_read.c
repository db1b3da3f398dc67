/* SPDX-License-Identifier: MIT */
/* A thread that reads may read again, though a writer waits. */
#include "support/designs.h"

enum { DEPTH = 5, ROUNDS = 10 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	uint32_t written;
};

static void write_once(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_add(&s->written, 1);
	t_up_write(s->design, s->lock);
}

T_DESIGNS(recursive_read, RWI_RECURSIVE)
{
	struct shared s = { .design = design, .lock = lock };

	for (uint32_t round = 0; round < ROUNDS; round++) {
		t_down_read(design, lock);
		t_await_asleep(t_threads(1, write_once, &s));
		for (int i = 0; i < DEPTH; i++)
			t_down_read(design, lock);
		for (int i = 0; i < DEPTH; i++)
			t_up_read(design, lock);
		t_eq(t_load(&s.written), round);
		t_up_read(design, lock);
		t_join();
		t_eq(t_load(&s.written), round + 1);
	}
}
