/* SPDX-License-Identifier: MIT */
/*
 * Signals with a handler that returns, two thousand a second to every thread,
 * while reading and writing alternate: nobody is told of them, nobody sleeps
 * for ever.
 */
#include "support/designs.h"

#include <signal.h>

enum { THREADS = 4, ROUNDS = 10000, PERIOD_US = 500 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	uint32_t done;
	struct t_guarded guarded;
};

static void write_now(struct shared *s)
{
	const struct timespec at = t_in_us(CLOCK_REALTIME, 600000000);

	if (s->design->down_write_until && t_random(2)) {
		t_doing("down_write_until");
		t_eq(s->design->down_write_until(s->lock, CLOCK_REALTIME, &at),
		     0);
		t_doing(NULL);
	} else {
		t_down_write(s->design, s->lock);
	}
	t_enter_write(&s->guarded);
	if (t_random(64) == 0)
		t_pause();
	t_leave_write(&s->guarded);
	t_up_write(s->design, s->lock);
}

static void read_now(struct shared *s)
{
	const struct timespec at = t_in_us(CLOCK_MONOTONIC, 600000000);

	if (s->design->down_read_until && t_random(2)) {
		t_doing("down_read_until");
		t_eq(s->design->down_read_until(s->lock, CLOCK_MONOTONIC, &at),
		     0);
		t_doing(NULL);
	} else {
		t_down_read(s->design, s->lock);
	}
	t_enter_read(&s->guarded);
	if (t_random(64) == 0)
		t_pause();
	t_leave_read(&s->guarded);
	t_up_read(s->design, s->lock);
}

static void alternate(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		write_now(s);
		read_now(s);
	}
	t_add(&s->done, 1);
}

T_DESIGNS(signal_storm, T_ANY)
{
	struct shared s = { .design = design, .lock = lock };
	unsigned first;

	t_count_signals(0);
	first = t_threads(THREADS, alternate, &s);
	while (t_load(&s.done) < THREADS) {
		for (unsigned i = 0; i < THREADS; i++)
			t_signal(first + i, SIGUSR1);
		t_sleep_us(PERIOD_US);
	}
	t_join();
	t_eq(s.guarded.b, THREADS * t_rounds(ROUNDS));
	t_ge(t_load(&t_signals), 1);
}
