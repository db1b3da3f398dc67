/* SPDX-License-Identifier: MIT */
/*
 * A release is two steps where the word is atomic: leave the word, then see to
 * the queue.  When somebody else has seen to the queue in between, the second
 * step grants nothing twice, forgets nobody and leaves nothing behind.
 */
#include "support/designs.h"

#include "port/port.h"

#include <string.h>

static const char *const names[] = { "howells-2001-xadd", "howells-2001-xadd-c",
				     "arcangeli-2001-xchgadd" };

/* A step at which the first thread that comes is held. */
struct gate {
	uint32_t reached, open;
};

static struct shared {
	const struct rwi_design *design;
	void *lock;
	struct gate released, claimed;
	uint32_t let_go; /* of the write hold */
	uint32_t readers_in, readers_out, writer_in;
	bool leave;
} * now;

static void hold_at(struct gate *gate)
{
	if (t_add(&gate->reached, 1) == 0)
		t_await(t_load(&gate->open));
}

/* Claims before the late one are none of ours. */
static void hold(struct rwi_point *point)
{
	const char *step = strchr(point->name, '/');

	if (!step)
		return;
	if (!strcmp(step, "/released"))
		hold_at(&now->released);
	else if (!strcmp(step, "/claimed") && t_load(&now->released.open))
		hold_at(&now->claimed);
}

static void hold_and_release(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_add(&s->writer_in, 1);
	t_await(t_load(&s->let_go));
	t_add(&s->writer_in, -1u);
	t_up_write(s->design, s->lock);
}

static void read_once(void *arg)
{
	struct shared *s = arg;

	t_down_read(s->design, s->lock);
	t_add(&s->readers_in, 1);
	t_await(t_load(&s->leave));
	t_up_read(s->design, s->lock);
	t_add(&s->readers_out, 1);
}

static void write_once(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_store(&s->writer_in, 1);
	t_up_write(s->design, s->lock);
}

/* A holder, a reader behind it, and the holder on its way out. */
static unsigned start(struct shared *s)
{
	const unsigned holder = t_threads(1, hold_and_release, s);

	t_await(t_load(&s->writer_in));
	t_await_asleep(t_threads(1, read_once, s));
	return holder;
}

/* The holder leaves the word; a newcomer sees to the queue in its place. */
static void overtake(struct shared *s)
{
	t_store(&s->let_go, 1);
	t_await(t_load(&s->released.reached));
	t_threads(1, read_once, s);
	t_await(t_load(&s->readers_in));
}

/* A reader is in and a writer waits: nobody gets in beside the reader. */
static void meet_a_holder(struct shared *s)
{
	const unsigned holder = start(s);
	const unsigned writer = t_threads(1, write_once, s);

	t_await_asleep(writer);
	overtake(s);
	t_store(&s->claimed.open, 1);
	t_store(&s->released.open, 1);
	t_await(t_finished(holder));
	t_await_asleep(writer);
	t_eq(t_load(&s->writer_in), 0);
	t_store(&s->leave, true);
	t_join();
	t_eq(s->writer_in, 1);
}

/* The reader leaves in the middle of the claim, which hides that from it. */
static void meet_a_leaver(struct shared *s)
{
	start(s);
	t_await_asleep(t_threads(1, write_once, s));
	overtake(s);
	t_store(&s->released.open, 1);
	t_await(t_load(&s->claimed.reached));
	t_store(&s->leave, true);
	t_await(t_load(&s->readers_out));
	t_store(&s->claimed.open, 1);
	t_join();
	t_eq(s->writer_in, 1);
}

/* Everybody has been let in and has gone again. */
static void meet_nobody(struct shared *s)
{
	start(s);
	overtake(s);
	t_store(&s->leave, true);
	t_await(t_load(&s->readers_out) == 2);
	t_store(&s->claimed.open, 1);
	t_store(&s->released.open, 1);
	t_join();
}

static void each(void (*scene)(struct shared *))
{
	static unsigned char lock[RWI_LOCK_SIZE_MAX]
	    __attribute__((aligned(64)));

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct shared s = { .design = rwi_design_find(names[i]),
				    .lock = lock };

		if (!s.design || t_missing(s.design, T_ANY))
			continue;
		now = &s;
		rwi_step_hook = hold;
		scene(&s);
		rwi_step_hook = NULL;
		/* Idle. */
		t_down_write(s.design, lock);
		t_up_write(s.design, lock);
		t_down_read(s.design, lock);
		t_up_read(s.design, lock);
	}
}

T_TEST(a_late_waker_meets_a_holder)
{
	each(meet_a_holder);
}

T_TEST(a_late_waker_meets_a_leaver)
{
	each(meet_a_leaver);
}

T_TEST(a_late_waker_meets_nobody)
{
	each(meet_nobody);
}
