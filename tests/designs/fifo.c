/* SPDX-License-Identifier: MIT */
/*
 * Where it is promised, nobody passes a waiter: waiters enter in the order of
 * their arrival, neighbouring readers together, and a newcomer does not join
 * readers past a writer who waits.
 */
#include "support/designs.h"

#include <string.h>

enum { WAITERS = 7, ROUNDS = 4 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	const char *kinds; /* 'r' or 'w' for each waiter */
	uint32_t turn, turn_of[WAITERS];
	bool joined;
};

struct waiter {
	struct shared *shared;
	unsigned number;
};

static void enter_once(void *arg)
{
	const struct waiter *w = arg;
	struct shared *s = w->shared;
	const bool write = s->kinds[w->number] == 'w';

	if (write)
		t_down_write(s->design, s->lock);
	else
		t_down_read(s->design, s->lock);
	s->turn_of[w->number] = t_add(&s->turn, 1);
	if (write)
		t_up_write(s->design, s->lock);
	else
		t_up_read(s->design, s->lock);
}

static void join(void *arg)
{
	struct shared *s = arg;

	t_doing("down_read_trylock");
	s->joined = s->design->down_read_trylock(s->lock);
	if (s->joined)
		s->design->up_read(s->lock);
	t_doing(NULL);
}

/* Queue them behind a hold, let go, and see who came when. */
static void in_order(struct shared *s, const char *kinds, bool write)
{
	struct waiter waiters[WAITERS];
	const unsigned count = (unsigned)strlen(kinds);

	s->kinds = kinds;
	s->turn = 0;
	if (write)
		t_down_write(s->design, s->lock);
	else
		t_down_read(s->design, s->lock);
	for (unsigned i = 0; i < count; i++) {
		waiters[i] = (struct waiter){ s, i };
		t_await_asleep(t_threads(1, enter_once, &waiters[i]));
	}
	if (s->design->down_read_trylock) {
		const unsigned newcomer = t_threads(1, join, s);

		t_await(t_finished(newcomer));
	}
	if (write)
		t_up_write(s->design, s->lock);
	else
		t_up_read(s->design, s->lock);
	t_join();
	t_eq(s->joined, false);
	for (unsigned j = 1; j < count; j++)
		for (unsigned i = 0; i < j; i++)
			if (kinds[i] == 'w' || kinds[j] == 'w')
				t_true(s->turn_of[i] < s->turn_of[j]);
}

T_DESIGNS(fifo, RWI_FIFO)
{
	struct shared s = { .design = design, .lock = lock };

	for (unsigned round = 0; round < ROUNDS; round++) {
		in_order(&s, "wwrrwrw", true);
		in_order(&s, "rrwwrwr", true);
		in_order(&s, "wrrwwrr", false);
	}
}
