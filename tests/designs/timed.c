/* SPDX-License-Identifier: MIT */
/*
 * Timed acquisition: a try at the least, never given up early, never for a
 * signal, on both clocks.
 */
#include "support/designs.h"

#include <errno.h>
#include <signal.h>

static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME };
enum { CLOCKS = sizeof clocks / sizeof *clocks, WAIT_MS = 10 };

/* Times that have passed, some of them before any clock began. */
static const struct timespec past[] = { { 0, 0 }, { 1, 999999999 }, { -1, 0 } };
enum { PAST = sizeof past / sizeof *past };

struct shared {
	const struct rwi_design *design;
	void *lock;
	clockid_t clock;
	int64_t ms; /* until the deadline */
	bool write;
};

static int until(const struct shared *s, const struct timespec *deadline)
{
	int r;

	t_doing("down_*_until");
	r = s->write ? s->design->down_write_until(s->lock, s->clock, deadline)
		     : s->design->down_read_until(s->lock, s->clock, deadline);
	t_doing(NULL);
	return r;
}

static void up(const struct shared *s)
{
	if (s->write)
		s->design->up_write(s->lock);
	else
		s->design->up_read(s->lock);
}

/* Call check(s) for both kinds on both clocks. */
static void each(void (*check)(struct shared *), struct shared *s)
{
	for (int i = 0; i < 2 * CLOCKS; i++) {
		s->clock = clocks[i % CLOCKS];
		s->write = i >= CLOCKS;
		check(s);
	}
}

/* ---- On a free lock ---- */

static void succeed_at_once(struct shared *s)
{
	const struct timespec soon = t_in_us(s->clock, 5000000);

	for (int i = 0; i < PAST; i++) {
		t_eq(until(s, &past[i]), 0);
		up(s);
	}
	t_eq(until(s, &soon), 0);
	up(s);
}

T_DESIGNS(a_past_deadline_is_a_try, T_UNTIL)
{
	struct shared s = { .design = design, .lock = lock };

	each(succeed_at_once, &s);
}

/* ---- On a held lock ---- */

static void time_out(void *arg)
{
	struct shared *s = arg;
	const struct timespec deadline = t_in_us(s->clock, s->ms * 1000);

	t_eq(until(s, &deadline), ETIMEDOUT);
	t_ge(t_now_ns(s->clock),
	     deadline.tv_sec * INT64_C(1000000000) + deadline.tv_nsec);
	for (int i = 0; i < PAST; i++)
		t_eq(until(s, &past[i]), ETIMEDOUT);
}

static void time_out_elsewhere(struct shared *s)
{
	t_threads(1, time_out, s);
	t_join();
}

T_DESIGNS(never_early, T_UNTIL)
{
	struct shared s = { .design = design, .lock = lock };

	t_down_write(design, lock);
	for (s.ms = -1; s.ms <= WAIT_MS; s.ms += 3)
		each(time_out_elsewhere, &s);
	t_up_write(design, lock);
	/* The rest: writers behind a reader. */
	t_down_read(design, lock);
	s.ms = WAIT_MS;
	s.write = true;
	for (int i = 0; i < CLOCKS; i++) {
		s.clock = clocks[i];
		time_out_elsewhere(&s);
	}
	t_up_read(design, lock);
}

static void time_out_under_signals(struct shared *s)
{
	const unsigned thread = t_threads(1, time_out, s);

	while (!t_finished(thread)) {
		t_signal(thread, SIGUSR1);
		t_pause();
	}
	t_join();
}

T_DESIGNS(no_signal_ends_it, T_UNTIL)
{
	struct shared s = { .design = design, .lock = lock, .ms = 2 * WAIT_MS };

	t_count_signals(0);
	t_down_write(design, lock);
	each(time_out_under_signals, &s);
	t_up_write(design, lock);
	t_ge(t_load(&t_signals), 1);
}

static void get_it(void *arg)
{
	struct shared *s = arg;
	const struct timespec deadline = t_in_us(s->clock, INT64_C(3600000000));
	const struct timespec never = { INT64_MAX, 999999999 };

	t_eq(until(s, s->ms ? &deadline : &never), 0);
	up(s);
}

static void get_it_in_time(struct shared *s)
{
	for (s->ms = 0; s->ms < 2; s->ms++) {
		t_down_write(s->design, s->lock);
		t_await_asleep(t_threads(1, get_it, s));
		t_up_write(s->design, s->lock);
		t_join();
	}
}

T_DESIGNS(in_time, T_UNTIL)
{
	struct shared s = { .design = design, .lock = lock };

	each(get_it_in_time, &s);
}

/* ---- Bad arguments ---- */

static void refuse(struct shared *s)
{
	static const long bad_ns[] = { -1, 1000000000, INT32_MAX, INT32_MIN };
	const struct timespec good = t_in_us(s->clock, 5000000);
	const clockid_t clock = s->clock;

	for (int i = 0; i < 4; i++) {
		const struct timespec bad = { good.tv_sec, bad_ns[i] };

		t_eq(until(s, &bad), EINVAL);
	}
	s->clock = CLOCK_PROCESS_CPUTIME_ID;
	t_eq(until(s, &good), EINVAL);
	s->clock = clock;
}

static void refuse_elsewhere(void *arg)
{
	each(refuse, arg);
}

/* A mutex checks none of this while it is free. */
T_DESIGNS(bad_times_and_clocks, T_UNTIL | T_SHARED)
{
	struct shared s = { .design = design, .lock = lock };

	refuse_elsewhere(&s);
	t_down_write(design, lock);
	t_threads(1, refuse_elsewhere, &s);
	t_join();
	t_up_write(design, lock);
}
