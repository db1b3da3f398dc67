/* SPDX-License-Identifier: MIT */
/*
 * Waiters time out, or are interrupted, just when the lock is handed to them,
 * again and again: no mark stays behind, the free lock can be taken at once.
 */
#include "support/designs.h"

#include "port/port.h"

#include <errno.h>
#include <signal.h>

enum { ROUNDS = 10000, OTHERS = 10, SPREAD_US = 40, WAITERS = 2 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	unsigned rounds; /* most for our own */
	struct t_meeting start, stop;
	uint32_t done;
};

static void spend_us(uint32_t us)
{
	const uint64_t start = t_now_ns(CLOCK_MONOTONIC);

	while (t_now_ns(CLOCK_MONOTONIC) - start < us * UINT64_C(1000))
		;
}

static void hold(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < s->rounds; i++) {
		t_down_write(s->design, s->lock);
		t_meet(&s->start);
		spend_us(t_random(SPREAD_US));
		t_up_write(s->design, s->lock);
		t_meet(&s->stop);
		/* Nobody is here but this thread. */
		t_true(s->design->down_read_trylock(s->lock));
		s->design->up_read(s->lock);
		t_true(s->design->down_write_trylock(s->lock));
		s->design->up_write(s->lock);
	}
	t_store(&s->done, 1);
}

static int wait_a_little(struct shared *s, bool write)
{
	const clockid_t clock = t_random(2) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	const struct timespec at = t_in_us(clock, t_random(SPREAD_US));

	return write ? s->design->down_write_until(s->lock, clock, &at)
		     : s->design->down_read_until(s->lock, clock, &at);
}

static void time_out(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < s->rounds; i++) {
		/* The first waiter mostly writes, the other mostly reads. */
		const bool write =
		    t_random(4) != 0 ? t_index() == 0 : t_index() != 0;
		int r;

		t_meet(&s->start);
		t_doing("down_*_until");
		r = wait_a_little(s, write);
		t_doing(NULL);
		t_true(r == 0 || r == ETIMEDOUT);
		if (r == 0 && write)
			s->design->up_write(s->lock);
		else if (r == 0)
			s->design->up_read(s->lock);
		t_meet(&s->stop);
	}
}

static void be_interrupted(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < s->rounds; i++) {
		const bool write = t_random(2);
		int r;

		t_meet(&s->start);
		t_doing("down_*_interruptible");
		r = write ? s->design->down_write_interruptible(s->lock)
			  : s->design->down_read_interruptible(s->lock);
		t_doing(NULL);
		t_true(r == 0 || r == EINTR);
		if (r == 0 && write)
			s->design->up_write(s->lock);
		else if (r == 0)
			s->design->up_read(s->lock);
		t_meet(&s->stop);
	}
}

static void run(const struct rwi_design *design, void *lock,
		void (*waiter)(void *), bool signals)
{
	struct shared s = { .design = design,
			    .lock = lock,
			    .rounds = t_rounds(
				t_is_rwsem(design) ? ROUNDS : ROUNDS / OTHERS),
			    .start.count = WAITERS + 1,
			    .stop.count = WAITERS + 1 };
	unsigned first;

	/* Owed after a moment, so that marks are set when time is up. */
	rwi_tunables.handoff_ns = SPREAD_US * 1000 / 2;
	rwi_tunables.arrival_spin_ns = 0;
	t_count_signals(0);
	t_threads(1, hold, &s);
	first = t_threads(WAITERS, waiter, &s);
	while (signals && !t_load(&s.done)) {
		t_signal(first + t_random(WAITERS), SIGUSR1);
		t_sleep_us(SPREAD_US / 2);
	}
	t_join();
}

T_DESIGNS(timeout_at_handoff, T_UNTIL | T_TRY)
{
	run(design, lock, time_out, false);
}

T_DESIGNS(signal_at_handoff, T_INTERRUPTIBLE | T_TRY)
{
	run(design, lock, be_interrupted, true);
}

T_CATCHES(timeout_at_handoff, handoff, "busted-handoff");
