/* SPDX-License-Identifier: MIT */
/* A held lock refuses the tries that conflict with the hold, and no others. */
#include "support/designs.h"

struct shared {
	const struct rwi_design *design;
	void *lock;
	bool read, write; /* what another thread's tries returned */
};

static void try_both(void *arg)
{
	struct shared *s = arg;

	t_doing("down_write_trylock");
	s->write = s->design->down_write_trylock(s->lock);
	if (s->write)
		s->design->up_write(s->lock);
	t_doing("down_read_trylock");
	s->read = s->design->down_read_trylock(s->lock);
	if (s->read)
		s->design->up_read(s->lock);
}

static void expect(struct shared *s, bool read, bool write)
{
	t_threads(1, try_both, s);
	t_join();
	t_eq(s->read, read);
	t_eq(s->write, write);
}

T_DESIGNS(try_excluded, T_TRY)
{
	struct shared s = { .design = design, .lock = lock };
	const bool shared = !(design->traits & RWI_MUTEX);

	expect(&s, true, true);
	t_down_write(design, lock);
	expect(&s, false, false);
	t_up_write(design, lock);
	expect(&s, true, true);
	t_down_read(design, lock);
	expect(&s, shared, false);
	t_up_read(design, lock);
	expect(&s, true, true);
	t_true(design->down_write_trylock(lock));
	expect(&s, false, false);
	t_up_write(design, lock);
	t_true(design->down_read_trylock(lock));
	expect(&s, shared, false);
	t_up_read(design, lock);
}
T_CATCHES(try_excluded, exclusion, "busted-exclusion");
