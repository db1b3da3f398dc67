/* SPDX-License-Identifier: MIT */
/*
 * Waiters that give up leave nothing behind: whatever time-outs and signals
 * hit, first in the queue or not, owed the lock or not, last in the queue or
 * not, the lock is free in the end and whoever wants it gets it.
 */
#include "support/designs.h"

#include "port/port.h"

#include <errno.h>
#include <signal.h>

enum { THREADS = 3, STORMS = 20, ROUNDS = 30, DEADLINE_US = 300 };

struct storm {
	const struct rwi_design *design;
	void *lock;
	uint32_t stop, done;
};

static void up(struct storm *s, bool write)
{
	if (write)
		t_up_write(s->design, s->lock);
	else
		t_up_read(s->design, s->lock);
}

/* Wait with a deadline about as long as what others hold it for. */
static int wait_until(struct storm *s, bool write)
{
	const struct timespec at =
	    t_in_us(CLOCK_MONOTONIC, t_random(DEADLINE_US));

	return write
		   ? s->design->down_write_until(s->lock, CLOCK_MONOTONIC, &at)
		   : s->design->down_read_until(s->lock, CLOCK_MONOTONIC, &at);
}

static int wait_for_signal(struct storm *s, bool write)
{
	return write ? s->design->down_write_interruptible(s->lock)
		     : s->design->down_read_interruptible(s->lock);
}

static void give_up_often(void *arg)
{
	struct storm *s = arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		const bool write = t_random(2);
		int r;

		t_doing("a wait that may be given up");
		if (s->design->down_read_interruptible && t_random(2))
			r = wait_for_signal(s, write);
		else
			r = wait_until(s, write);
		t_doing(NULL);
		t_true(r == 0 || r == ETIMEDOUT || r == EINTR);
		if (r)
			continue;
		if (t_random(4) == 0)
			t_pause();
		up(s, write);
	}
	t_add(&s->done, 1);
}

/* Somebody who never gives up, and would be stuck on a mark left behind. */
static void stay(void *arg)
{
	struct storm *s = arg;

	while (!t_load(&s->stop)) {
		const bool write = t_random(2);

		if (write)
			t_down_write(s->design, s->lock);
		else
			t_down_read(s->design, s->lock);
		t_pause();
		up(s, write);
		if (t_random(4) == 0)
			t_pause();
	}
}

/* At the end, on a lock that is held, all give up together. */
static void give_up(void *arg)
{
	struct storm *s = arg;

	t_doing("down_*_until");
	t_eq(wait_until(s, t_index() % 2), ETIMEDOUT);
	t_doing(NULL);
}

static void storm_once(const struct rwi_design *design, void *lock,
		       unsigned stayers)
{
	struct storm s = { .design = design, .lock = lock };
	unsigned first;

	t_count_signals(0);
	first = t_threads(THREADS, give_up_often, &s);
	t_threads(stayers, stay, &s);
	while (t_load(&s.done) < THREADS) {
		t_signal(first + t_random(THREADS), SIGUSR1);
		t_pause();
	}
	t_store(&s.stop, 1);
	t_join();
	t_down_write(design, lock);
	t_threads(THREADS, give_up, &s);
	t_join();
	t_up_write(design, lock);
	/* Nobody is left: the lock is free at once, for everybody. */
	t_true(design->down_read_trylock(lock));
	t_up_read(design, lock);
	t_true(design->down_write_trylock(lock));
	t_up_write(design, lock);
}

/* Short storms, for some marks do harm only when nobody is left. */
static void storm(const struct rwi_design *design, void *lock)
{
	for (unsigned i = 0; i < t_rounds(STORMS); i++) {
		storm_once(design, lock, 0);
		storm_once(design, lock, 1);
	}
}

/* Hand-offs at every turn: a waiter is owed the lock from the start. */
static void hasty(const struct rwi_design *design, void *lock)
{
	rwi_tunables.handoff_ns = 0;
	rwi_tunables.handoff_tries = 1;
	rwi_tunables.wait_timeout_ns = 0;
	storm(design, lock);
}

T_DESIGNS(with_usual_hand_off, T_UNTIL | T_TRY)
{
	storm(design, lock);
}

T_DESIGNS(with_hasty_hand_off, T_UNTIL | T_TRY)
{
	hasty(design, lock);
}
T_CATCHES(with_hasty_hand_off, handoff, "busted-handoff");

/* Sleeping at once, so that the paths which sleep see the storm. */
T_DESIGNS(without_spinning, T_UNTIL | T_TRY)
{
	rwi_tunables.arrival_spin_ns = 0;
	rwi_tunables.competitor_spin_ns = 0;
	rwi_tunables.optimistic_spin_ns = 0;
	hasty(design, lock);
}
