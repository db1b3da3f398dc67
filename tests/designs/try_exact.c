/* SPDX-License-Identifier: MIT */
/*
 * A try fails only if somebody held the lock in a conflicting mode meanwhile:
 * never on a free lock, never when readers try beside readers, and of several
 * that try at once on a free lock one succeeds.
 */
#include "support/designs.h"

enum { THREADS = 2, ROUNDS = 3000 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	struct t_meeting start, stop;
	uint32_t successes;
	bool write[THREADS];
};

static void try_together(void *arg)
{
	struct shared *s = arg;
	const bool write = s->write[t_index()];

	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		bool got;

		t_meet(&s->start);
		got = write ? s->design->down_write_trylock(s->lock)
			    : s->design->down_read_trylock(s->lock);
		if (got) {
			t_add(&s->successes, 1);
			if (write)
				s->design->up_write(s->lock);
			else
				s->design->up_read(s->lock);
		}
		t_meet(&s->stop);
		t_ge(t_load(&s->successes), 1);
		t_meet(&s->start);
		t_store(&s->successes, 0);
		t_meet(&s->stop);
	}
}

static void race(const struct rwi_design *design, void *lock, bool first,
		 bool second)
{
	struct shared s = { .design = design,
			    .lock = lock,
			    .start.count = THREADS,
			    .stop.count = THREADS,
			    .write = { first, second } };

	t_threads(THREADS, try_together, &s);
	t_join();
}

static void only_read(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < t_rounds(ROUNDS) * 10; i++) {
		t_true(s->design->down_read_trylock(s->lock));
		s->design->up_read(s->lock);
	}
}

T_DESIGNS(one_of_many_tries_succeeds, T_TRY)
{
	race(design, lock, true, true);
	race(design, lock, true, false);
	race(design, lock, false, false);
}

T_DESIGNS(readers_try_beside_readers, T_TRY | T_SHARED)
{
	struct shared s = { .design = design, .lock = lock };

	t_threads(THREADS, only_read, &s);
	t_join();
}
