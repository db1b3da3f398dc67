/* SPDX-License-Identifier: MIT */
/* A reader never sees a half-done write, and no write is lost. */
#include "support/designs.h"

#include <sched.h>

enum { READERS = 2, WRITERS = 2, ROUNDS = 40000, OTHERS = 4 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	unsigned rounds; /* most for our own */
	struct t_guarded guarded;
};

/* Now and then give the CPU away inside, so that others meet the holder. */
static void linger(void)
{
	if (t_random(32) == 0)
		sched_yield();
}

static void write_all(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < s->rounds; i++) {
		t_down_write(s->design, s->lock);
		t_enter_write(&s->guarded);
		linger();
		t_leave_write(&s->guarded);
		t_up_write(s->design, s->lock);
	}
}

static void read_all(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < s->rounds; i++) {
		t_down_read(s->design, s->lock);
		t_enter_read(&s->guarded);
		linger();
		t_leave_read(&s->guarded);
		t_up_read(s->design, s->lock);
	}
}

T_DESIGNS(exclusion, T_ANY)
{
	struct shared shared = { .design = design, .lock = lock };

	shared.rounds = t_rounds(t_is_rwsem(design) ? ROUNDS : ROUNDS / OTHERS);
	t_threads(WRITERS, write_all, &shared);
	t_threads(READERS, read_all, &shared);
	t_join();
	t_eq(shared.guarded.a, WRITERS * shared.rounds);
	t_eq(shared.guarded.b, WRITERS * shared.rounds);
}
T_CATCHES(exclusion, exclusion, "busted-exclusion");
