/* SPDX-License-Identifier: MIT */
/* No operation changes errno, whatever it goes through. */
#include "support/designs.h"

#include <errno.h>
#include <signal.h>

enum { MARK = 12345, ROUNDS = 200, THREADS = 3 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	uint32_t done;
};

#define KEEP(call)                                                             \
	do {                                                                   \
		errno = MARK;                                                  \
		call;                                                          \
		t_eq(errno, MARK);                                             \
	} while (0)

static void timed(const struct rwi_design *d, void *lock)
{
	const struct timespec soon = t_in_us(CLOCK_MONOTONIC, t_random(2000));
	const struct timespec bad = { 0, -1 };
	int r;

	KEEP(r = d->down_write_until(lock, CLOCK_MONOTONIC, &soon));
	if (!r)
		KEEP(d->up_write(lock));
	KEEP(r = d->down_read_until(lock, CLOCK_MONOTONIC, &soon));
	if (!r)
		KEEP(d->up_read(lock));
	KEEP(r = d->down_read_until(lock, CLOCK_MONOTONIC, &bad));
	if (!r)
		KEEP(d->up_read(lock));
}

static void interruptible(const struct rwi_design *d, void *lock)
{
	int r;

	KEEP(r = d->down_write_interruptible(lock));
	if (!r)
		KEEP(d->up_write(lock));
	KEEP(r = d->down_read_interruptible(lock));
	if (!r)
		KEEP(d->up_read(lock));
}

static void all(void *arg)
{
	struct shared *s = arg;
	const struct rwi_design *d = s->design;
	bool got;

	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		KEEP(d->down_read(s->lock));
		if (i % 16 == 0)
			t_pause();
		KEEP(d->up_read(s->lock));
		KEEP(d->down_write(s->lock));
		if (i % 16 == 0)
			t_pause();
		if (d->downgrade_write && i % 2) {
			KEEP(d->downgrade_write(s->lock));
			KEEP(d->up_read(s->lock));
		} else {
			KEEP(d->up_write(s->lock));
		}
		if (d->down_read_trylock) {
			KEEP(got = d->down_read_trylock(s->lock));
			if (got)
				KEEP(d->up_read(s->lock));
		}
		if (d->down_write_trylock) {
			KEEP(got = d->down_write_trylock(s->lock));
			if (got)
				KEEP(d->up_write(s->lock));
		}
		if (d->down_read_until)
			timed(d, s->lock);
		if (d->down_read_interruptible)
			interruptible(d, s->lock);
	}
	t_add(&s->done, 1);
}

T_DESIGNS(preserves_errno, T_ANY)
{
	struct shared s = { .design = design, .lock = lock };
	const unsigned first = t_threads(THREADS, all, &s);

	t_count_signals(0);
	while (t_load(&s.done) < THREADS) {
		/* The handler leaves errno alone, too. */
		t_signal(first + t_random(THREADS), SIGUSR1);
		t_pause();
	}
	t_join();
}
