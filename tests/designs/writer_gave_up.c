/* SPDX-License-Identifier: MIT */
/*
 * A writer that gives up takes nobody with it: readers that waited behind it
 * join those who read, without one of them having to leave.
 */
#include "support/designs.h"

#include <errno.h>

enum { READERS = 2, ROUNDS = 5, DEADLINE_US = 30000 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	uint32_t readers_in;
	bool leave;
};

static void give_up(void *arg)
{
	struct shared *s = arg;
	const struct timespec at = t_in_us(CLOCK_MONOTONIC, DEADLINE_US);

	t_doing("down_write_until");
	t_eq(s->design->down_write_until(s->lock, CLOCK_MONOTONIC, &at),
	     ETIMEDOUT);
	t_doing(NULL);
}

static void read_on(void *arg)
{
	struct shared *s = arg;

	t_down_read(s->design, s->lock);
	t_add(&s->readers_in, 1);
	t_await(t_load(&s->leave));
	t_up_read(s->design, s->lock);
}

T_DESIGNS(writer_gave_up, T_UNTIL | T_SHARED)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct shared s = { .design = design, .lock = lock };
		unsigned writer;

		t_down_read(design, lock);
		writer = t_threads(1, give_up, &s);
		t_await_asleep(writer);
		t_threads(READERS, read_on, &s);
		t_await(t_load(&s.readers_in) == READERS);
		t_await(t_finished(writer));
		t_up_read(design, lock);
		t_store(&s.leave, true);
		t_join();
	}
}
