/* SPDX-License-Identifier: MIT */
/* A read hold may be released by a thread that did not take it. */
#include "support/designs.h"

enum { HOLDS = 3 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	uint32_t written;
};

static void take(void *arg)
{
	struct shared *s = arg;

	t_down_read(s->design, s->lock);
}

static void write_once(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_store(&s->written, 1);
	t_up_write(s->design, s->lock);
}

T_DESIGNS(foreign_up_read, RWI_FOREIGN_UP_READ)
{
	struct shared s = { .design = design, .lock = lock };

	for (unsigned waited_for = 0; waited_for < 2; waited_for++) {
		t_threads(HOLDS, take, &s);
		t_join();
		if (waited_for)
			t_await_asleep(t_threads(1, write_once, &s));
		for (int i = 0; i < HOLDS; i++) {
			t_eq(t_load(&s.written), 0);
			t_up_read(design, lock);
		}
		t_join();
		t_eq(t_load(&s.written), waited_for);
	}
}
