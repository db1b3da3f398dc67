/* SPDX-License-Identifier: MIT */
/*
 * An interruptible wait ends with EINTR after a signal handler ran, however
 * that was installed; other waits go on.
 */
#include "support/designs.h"

#include <errno.h>
#include <signal.h>

enum { ROUNDS = 10 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	bool write;
	bool interruptible;
	int result;
};

static void wait_once(void *arg)
{
	struct shared *s = arg;

	t_doing("down_*");
	if (s->interruptible)
		s->result = s->write
				? s->design->down_write_interruptible(s->lock)
				: s->design->down_read_interruptible(s->lock);
	else if (s->write)
		s->design->down_write(s->lock);
	else
		s->design->down_read(s->lock);
	t_doing(NULL);
	if (s->result)
		return;
	if (s->write)
		s->design->up_write(s->lock);
	else
		s->design->up_read(s->lock);
}

/* Interrupt a waiter until it answers. */
static void interrupt(struct shared *s)
{
	const unsigned thread = t_threads(1, wait_once, s);

	t_await_asleep(thread);
	while (!t_finished(thread)) {
		t_signal(thread, SIGUSR1);
		t_pause();
	}
	t_join();
	t_eq(s->result, EINTR);
	s->result = 0;
}

static void interrupt_all(struct shared *s)
{
	s->interruptible = true;
	for (int i = 0; i < ROUNDS; i++) {
		s->write = i % 2;
		t_down_write(s->design, s->lock);
		interrupt(s);
		t_up_write(s->design, s->lock);
	}
	t_down_read(s->design, s->lock);
	s->write = true;
	interrupt(s);
	t_up_read(s->design, s->lock);
}

T_DESIGNS(a_handler_ends_the_wait, T_INTERRUPTIBLE)
{
	struct shared s = { .design = design, .lock = lock };

	t_count_signals(0);
	interrupt_all(&s);
}

T_DESIGNS(so_does_one_that_restarts_calls, T_INTERRUPTIBLE)
{
	struct shared s = { .design = design, .lock = lock };

	t_count_signals(SA_RESTART);
	interrupt_all(&s);
}

T_DESIGNS(no_signal_no_interrupt, T_INTERRUPTIBLE)
{
	struct shared s = { .design = design,
			    .lock = lock,
			    .interruptible = true };

	wait_once(&s);
	t_eq(s.result, 0);
	for (int i = 0; i < 2; i++) {
		s.write = i;
		t_down_write(design, lock);
		t_await_asleep(t_threads(1, wait_once, &s));
		t_up_write(design, lock);
		t_join();
		t_eq(s.result, 0);
	}
}

T_DESIGNS(plain_waits_go_on, T_ANY)
{
	enum { SIGNALS = 100 };
	struct shared s = { .design = design, .lock = lock };

	t_count_signals(0);
	for (int i = 0; i < 2; i++) {
		unsigned thread;

		s.write = i;
		t_down_write(design, lock);
		thread = t_threads(1, wait_once, &s);
		for (int k = 0; k < SIGNALS; k++) {
			t_await_asleep(thread);
			t_signal(thread, SIGUSR1);
		}
		t_false(t_finished(thread));
		t_up_write(design, lock);
		t_join();
	}
}
