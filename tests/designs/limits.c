/* SPDX-License-Identifier: MIT */
/*
 * A field of the word bounds the read holds of some designs.  With the field
 * made small, all the holds there can be, and more waiters than that, are
 * counted right: everybody gets in, and the lock is free in the end.
 */
#include "support/designs.h"

#include "port/port.h"

enum { BITS = 3, WAITERS = 12 };

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

T_DESIGNS(limits, T_LIMITED)
{
	struct shared s = { .design = design, .lock = lock };
	uint64_t max;

	rwi_tunables.count_bits = BITS;
	max = design->readers_max();
	t_ge(max, 2);
	t_ge(WAITERS, max);
	/* All read holds at once, the last of them with a writer behind. */
	for (uint64_t i = 0; i < max; i++)
		t_down_read(design, lock);
	for (uint64_t i = 1; i < max; i++)
		t_up_read(design, lock);
	t_await_asleep(t_threads(1, write_once, &s));
	t_up_read(design, lock);
	t_join();
	/* More waiters than the field can count, half of them readers. */
	t_down_write(design, lock);
	for (unsigned i = 0; i < WAITERS; i++)
		t_await_asleep(i % 2 ? t_threads(1, read_once, &s)
				     : t_threads(1, write_once, &s));
	t_up_write(design, lock);
	t_join();
	t_eq(s.guarded.a, 1 + WAITERS / 2);
}
