/* SPDX-License-Identifier: MIT */
/*
 * Two threads with empty sections, one only by tries, the other by waits that
 * block: every wait ends.
 */
#include "support/designs.h"

enum { ROUNDS = 200000 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	uint32_t stop;
};

static void only_try(void *arg)
{
	struct shared *s = arg;

	while (!t_load(&s->stop)) {
		if (s->design->down_read_trylock(s->lock))
			s->design->up_read(s->lock);
		if (s->design->down_write_trylock(s->lock))
			s->design->up_write(s->lock);
	}
}

static void only_wait(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		t_down_read(s->design, s->lock);
		t_up_read(s->design, s->lock);
		t_down_write(s->design, s->lock);
		t_up_write(s->design, s->lock);
	}
	t_store(&s->stop, 1);
}

T_DESIGNS(try_beside_blocking, T_TRY)
{
	struct shared s = { .design = design, .lock = lock };

	t_threads(1, only_try, &s);
	t_threads(1, only_wait, &s);
	t_join();
}
