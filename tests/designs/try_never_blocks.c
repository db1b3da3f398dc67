/* SPDX-License-Identifier: MIT */
/* A try returns at once, whoever holds the lock and whoever waits for it. */
#include "support/designs.h"

struct shared {
	const struct rwi_design *design;
	void *lock;
};

static void write_once(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_up_write(s->design, s->lock);
}

static void read_once(void *arg)
{
	struct shared *s = arg;

	t_down_read(s->design, s->lock);
	t_up_read(s->design, s->lock);
}

/* The tries of a third party; those that succeed are taken back. */
static void try_both(void *arg)
{
	struct shared *s = arg;

	t_doing("down_write_trylock");
	t_false(s->design->down_write_trylock(s->lock));
	t_doing("down_read_trylock");
	if (s->design->down_read_trylock(s->lock))
		s->design->up_read(s->lock);
}

static void with_waiters(struct shared *s)
{
	t_await_asleep(t_threads(1, write_once, s));
	t_await_asleep(t_threads(1, read_once, s));
	t_threads(1, try_both, s);
	while (!t_finished(3))
		t_pause();
}

T_DESIGNS(try_never_blocks, T_TRY)
{
	struct shared s = { .design = design, .lock = lock };

	t_down_write(design, lock);
	with_waiters(&s);
	t_up_write(design, lock);
	t_join();
	t_down_read(design, lock);
	with_waiters(&s);
	t_up_read(design, lock);
	t_join();
}
