/* SPDX-License-Identifier: MIT */
/*
 * Locks that count for ever and compare what they have counted: with narrow
 * fields, as many readers as can be told apart keep a writer out and each
 * other not, over and over, so that every count wraps.
 */
#include "support/designs.h"

#include "port/port.h"

#include <stdalign.h>

enum { BITS = 3, ROUNDS = 12 };

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

static void count_past_the_end(const char *name)
{
	static alignas(64) unsigned char lock[RWI_LOCK_SIZE_MAX];
	struct shared s = { .design = rwi_design_find(name), .lock = lock };

	t_true(s.design);
	rwi_tunables.count_bits = BITS;
	s.holds = s.design->readers_max() - 1;
	t_le(s.holds, 1 << BITS);
	for (unsigned round = 0; round < ROUNDS; round++) {
		s.written = 0;
		fill(&s);
		/* The next round begins elsewhere. */
		t_down_read(s.design, lock);
		t_up_read(s.design, lock);
		t_down_write(s.design, lock);
		t_up_write(s.design, lock);
	}
}

T_TEST(ticket)
{
	count_past_the_end("mellor-crummey-1991-ticket");
}

T_TEST(phase_fair)
{
	count_past_the_end("brandenburg-2009-phase-fair");
}

T_TEST(c_rw_wp)
{
	count_past_the_end("calciu-2013-c-rw-wp");
}
