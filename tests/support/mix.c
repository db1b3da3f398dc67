/* SPDX-License-Identifier: MIT */
/* A mix of all operations: see mix.h. */
#include "support/mix.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

enum { DEADLINE_US = 400 };

struct mix {
	const struct rwi_design *design;
	void *lock;
	unsigned rounds;
	struct t_meeting meeting; /* of all threads and the one above them */
	uint32_t done;
	uint64_t writes;
	struct t_guarded guarded;
};

/* Stay inside: mostly not at all, sometimes off the CPU. */
static void linger(void)
{
	switch (t_random(64)) {
	case 0:
		t_pause();
		break;
	case 1:
	case 2:
	case 3:
		sched_yield();
		break;
	case 4:
		t_work_us(5);
		break;
	default:
		break;
	}
}

static void as_reader(struct mix *m)
{
	t_enter_read(&m->guarded);
	linger();
	t_leave_read(&m->guarded);
	t_up_read(m->design, m->lock);
}

static void as_writer(struct mix *m)
{
	t_enter_write(&m->guarded);
	t_add(&m->writes, 1);
	linger();
	if (m->design->downgrade_write && t_random(4) == 0) {
		t_downgrade(&m->guarded);
		t_doing("downgrade_write");
		m->design->downgrade_write(m->lock);
		t_doing(NULL);
		linger();
		t_leave_read(&m->guarded);
		t_up_read(m->design, m->lock);
		return;
	}
	t_leave_write(&m->guarded);
	t_up_write(m->design, m->lock);
}

static void try_it(struct mix *m, bool write)
{
	bool (*try)(void *) = write ? m->design->down_write_trylock
				    : m->design->down_read_trylock;

	if (!try)
		return;
	t_doing("down_*_trylock");
	if (try(m->lock)) {
		if (write)
			as_writer(m);
		else
			as_reader(m);
	}
	t_doing(NULL);
}

static void until(struct mix *m, bool write)
{
	const clockid_t clock = t_random(2) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
	const struct timespec at = t_in_us(clock, t_random(DEADLINE_US));
	int r;

	if (!m->design->down_read_until)
		return;
	t_doing("down_*_until");
	r = write ? m->design->down_write_until(m->lock, clock, &at)
		  : m->design->down_read_until(m->lock, clock, &at);
	t_doing(NULL);
	t_true(r == 0 || r == ETIMEDOUT);
	if (r == 0 && write)
		as_writer(m);
	else if (r == 0)
		as_reader(m);
}

static void interruptible(struct mix *m, bool write)
{
	int r;

	if (!m->design->down_read_interruptible)
		return;
	t_doing("down_*_interruptible");
	r = write ? m->design->down_write_interruptible(m->lock)
		  : m->design->down_read_interruptible(m->lock);
	t_doing(NULL);
	t_true(r == 0 || r == EINTR);
	if (r == 0 && write)
		as_writer(m);
	else if (r == 0)
		as_reader(m);
}

static void blocking(struct mix *m, bool write)
{
	if (write) {
		t_down_write(m->design, m->lock);
		as_writer(m);
	} else {
		t_down_read(m->design, m->lock);
		as_reader(m);
	}
}

static void mix(void *arg)
{
	struct mix *m = arg;

	t_meet(&m->meeting);
	for (unsigned i = 0; i < m->rounds; i++) {
		const bool write = t_random(2);

		switch (t_random(8)) {
		case 0:
			try_it(m, write);
			break;
		case 1:
		case 2:
			until(m, write);
			break;
		case 3:
		case 4:
			interruptible(m, write);
			break;
		default:
			blocking(m, write);
			break;
		}
	}
	t_add(&m->done, 1);
	/* In the end, on a lock that is held, all give up together. */
	t_meet(&m->meeting);
	until(m, t_random(2));
	t_meet(&m->meeting);
}

void t_mix(const struct rwi_design *design, void *lock, unsigned threads,
	   unsigned rounds, bool signals)
{
	struct mix m = { .design = design,
			 .lock = lock,
			 .rounds = rounds,
			 .meeting.count = threads + 1 };
	unsigned first;

	t_count_signals(0);
	first = t_threads(threads, mix, &m);
	t_meet(&m.meeting);
	while (signals && t_load(&m.done) < threads) {
		t_signal(first + t_random(threads), SIGUSR1);
		t_pause();
	}
	while (t_load(&m.done) < threads)
		t_pause();
	t_down_write(design, lock);
	t_meet(&m.meeting);
	t_meet(&m.meeting);
	t_up_write(design, lock);
	t_join();
	t_eq(m.guarded.a, m.writes);
	t_eq(m.guarded.b, m.writes);
}
