/* SPDX-License-Identifier: MIT */
/* Readers hold the lock at the same time. */
#include "support/designs.h"

enum { READERS = 4, ROUNDS = 50 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	struct t_meeting inside, outside;
};

static void meet_inside(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		t_down_read(s->design, s->lock);
		t_meet(&s->inside);
		t_up_read(s->design, s->lock);
		t_meet(&s->outside);
	}
}

T_DESIGNS(readers_overlap, T_SHARED)
{
	struct shared shared = { .design = design,
				 .lock = lock,
				 .inside.count = READERS,
				 .outside.count = READERS };

	t_threads(READERS, meet_inside, &shared);
	t_join();
}
