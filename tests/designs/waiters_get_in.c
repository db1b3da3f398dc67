/* SPDX-License-Identifier: MIT */
/* Everybody who waits for a holder gets in when it has left. */
#include "support/designs.h"

enum { READERS = 3, WRITERS = 2, ROUNDS = 10 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	struct t_guarded guarded;
};

static void read_once(void *arg)
{
	struct shared *s = arg;

	t_down_read(s->design, s->lock);
	t_enter_read(&s->guarded);
	t_leave_read(&s->guarded);
	t_up_read(s->design, s->lock);
}

static void write_once(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_enter_write(&s->guarded);
	t_leave_write(&s->guarded);
	t_up_write(s->design, s->lock);
}

/* The waiters of one round, in an order that differs by round. */
static void start_waiters(struct shared *s, unsigned round)
{
	for (unsigned i = 0; i < READERS + WRITERS; i++) {
		const bool writer = (i + round) % (READERS + WRITERS) < WRITERS;

		t_await_asleep(writer ? t_threads(1, write_once, s)
				      : t_threads(1, read_once, s));
	}
}

T_DESIGNS(waiters_get_in, T_ANY)
{
	struct shared s = { .design = design, .lock = lock };

	for (unsigned round = 0; round < ROUNDS; round++) {
		t_down_write(design, lock);
		start_waiters(&s, round);
		t_up_write(design, lock);
		t_join();
		t_down_read(design, lock);
		start_waiters(&s, round);
		t_up_read(design, lock);
		t_join();
	}
	t_eq(s.guarded.a, 2 * ROUNDS * WRITERS);
}
T_CATCHES(waiters_get_in, wakeup, "busted-wakeup");
