/* SPDX-License-Identifier: MIT */
/*
 * Where a field bounds the read holds, the lock works up to the bound: with
 * the field made narrow, as many readers as it can count keep a writer out and
 * each other not, over and over, so that every count wraps.
 */
#include "support/designs.h"

#include "port/port.h"

enum { BITS = 3, ROUNDS = 12, HOLDS_MAX = 2048 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	uint64_t holds;
	uint32_t inside, written;
};

static void read_to_the_limit(void *arg)
{
	struct shared *s = arg;

	for (uint64_t i = 0; i < s->holds; i++)
		t_down_read(s->design, s->lock);
	t_store(&s->inside, 1);
	t_await(!t_load(&s->inside));
	for (uint64_t i = 0; i < s->holds; i++)
		t_up_read(s->design, s->lock);
}

static void write_once(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_store(&s->written, t_load(&s->inside) ? 2 : 1);
	t_up_write(s->design, s->lock);
}

/* One less than the limit, and one more that this thread holds. */
static void fill(struct shared *s)
{
	const struct rwi_design *d = s->design;

	t_down_read(d, s->lock);
	t_threads(1, read_to_the_limit, s);
	t_await(t_load(&s->inside));
	if (d->down_write_trylock)
		t_false(d->down_write_trylock(s->lock));
	t_up_read(d, s->lock);
	t_down_read(d, s->lock);
	t_await_asleep(t_threads(1, write_once, s));
	t_eq(t_load(&s->written), 0);
	t_store(&s->inside, 0);
	t_up_read(d, s->lock);
	t_join();
	t_eq(t_load(&s->written), 1);
}

T_DESIGNS(readers_max, T_SHARED)
{
	struct shared s = { .design = design, .lock = lock };

	if (!design->readers_max)
		t_skip("no field bounds its readers");
	rwi_tunables.count_bits = BITS;
	s.holds = design->readers_max() - 1;
	t_le(s.holds, HOLDS_MAX);
	for (unsigned round = 0; round < ROUNDS; round++) {
		s.written = 0;
		fill(&s);
		/* Writers count, too. */
		t_down_write(design, lock);
		t_up_write(design, lock);
	}
}
