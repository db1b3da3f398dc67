/* SPDX-License-Identifier: MIT */
/*
 * long-2019 and long-2020, step by step: what the later corrections of the
 * kernel's semaphore are about, and the limit of its readers.
 */
#include "support/designs.h"
#include "support/steps.h"

#include "port/port.h"

#include <errno.h>
#include <string.h>

enum { READERS = 3, BITS = 3 };
#define FOR_EVER_NS UINT32_MAX

extern struct rwi_point __start_rwi_steps[], __stop_rwi_steps[];

static const char *const names[] = { "long-2019", "long-2020" };
enum { NAMES = sizeof names / sizeof *names };

static struct shared {
	const struct rwi_design *design;
	union {
		unsigned char bytes[RWI_LOCK_SIZE_MAX];
		uint64_t count; /* the first member of both designs */
	} lock;
	uint32_t inside, stopped, queued, resume;
} s;

static uint64_t readers_counted(void)
{
	return t_load(&s.lock.count) >> 8;
}

/* Call check() with a new lock of both designs. */
static void both(void (*check)(void))
{
	for (int i = 0; i < NAMES; i++) {
		memset(&s, 0, sizeof s);
		s.design = rwi_design_find(names[i]);
		check();
		t_true(s.design->down_write_trylock(&s.lock));
		t_up_write(s.design, &s.lock);
		t_eq(s.lock.count, 0);
	}
}

static void stop_here(void *arg)
{
	(void)arg;
	t_store(&s.stopped, 1);
	t_await(t_load_acquire(&s.resume));
}

static void read_on(void *arg)
{
	(void)arg;
	t_down_read(s.design, &s.lock);
	t_add(&s.inside, 1);
	t_await(t_load_acquire(&s.resume));
	t_up_read(s.design, &s.lock);
}

static void read_once(void *arg)
{
	(void)arg;
	t_down_read(s.design, &s.lock);
	t_add(&s.inside, 1);
	t_up_read(s.design, &s.lock);
}

static void write_once(void *arg)
{
	(void)arg;
	t_down_write(s.design, &s.lock);
	t_up_write(s.design, &s.lock);
}

static void say_queued(void *arg)
{
	(void)arg;
	t_store_release(&s.queued, 1);
}

/* A writer that comes first in the queue, and is not passed for long yet. */
static void write_first(void *arg)
{
	(void)arg;
	t_at_step("long_2019/writer_queued", say_queued, NULL);
	write_once(NULL);
	t_all_steps_taken();
}

/* Others have been passed for long at once. */
static void await_first(void)
{
	t_threads(1, write_first, NULL);
	t_await(t_load_acquire(&s.queued));
	rwi_tunables.wait_timeout_ns = 0;
}

/* A writer that has the lock, and has not said so in the owner word. */
static void write_unowned(void *arg)
{
	(void)arg;
	t_at_step("long_2019/not_owned_yet", stop_here, NULL);
	write_once(NULL);
	t_all_steps_taken();
}

/* ---- Readers are counted before they are told ---- */

/* Give readers who have been told too early time to come in. */
static void check_counted(void *arg)
{
	enum { MOMENT_MS = 100 };

	(void)arg;
	for (int i = 0; i < MOMENT_MS && t_load(&s.inside) < READERS; i++)
		t_sleep_us(1000);
	t_le(t_load(&s.inside), readers_counted());
}

static void count_first(void)
{
	t_down_write(s.design, &s.lock);
	for (int i = 0; i < READERS; i++)
		t_await_asleep(t_threads(1, read_on, NULL));
	t_at_step("long_2019/granted", check_counted, NULL);
	t_up_write(s.design, &s.lock);
	t_all_steps_taken();
	t_await(t_load(&s.inside) == READERS);
	t_eq(readers_counted(), READERS);
	t_store_release(&s.resume, 1);
	t_join();
}

T_TEST(readers_are_counted_first)
{
	both(count_first);
}

/* ---- Nobody spins without bound ---- */

static void time_out(void *arg)
{
	const bool write = *(const bool *)arg;
	const struct timespec at = t_in_us(CLOCK_MONOTONIC, 20000);

	t_doing("down_*_until");
	t_eq(write ? s.design->down_write_until(&s.lock, CLOCK_MONOTONIC, &at)
		   : s.design->down_read_until(&s.lock, CLOCK_MONOTONIC, &at),
	     ETIMEDOUT);
	t_doing(NULL);
}

static void give_up_on_nobody(void)
{
	static const bool kinds[] = { false, true };

	t_threads(1, write_unowned, NULL);
	t_await(t_load(&s.stopped));
	for (int i = 0; i < 2; i++) {
		const unsigned waiter =
		    t_threads(1, time_out, (void *)(uintptr_t)&kinds[i]);

		t_await(t_finished(waiter));
	}
	t_store_release(&s.resume, 1);
	t_join();
}

T_TEST(an_owner_that_is_nobody)
{
	both(give_up_on_nobody);
}

static uint32_t hits(const char *step)
{
	uint32_t sum = 0;

	for (struct rwi_point *p = __start_rwi_steps; p < __stop_rwi_steps; p++)
		if (!strcmp(p->name, step))
			sum += t_load(&p->hits);
	return sum;
}

/* The second in the queue asks for the hand-off; the first is promised it. */
static void follow(void)
{
	enum { TRIES_MAX = 100 };
	uint32_t before;

	rwi_tunables.wait_timeout_ns = FOR_EVER_NS;
	t_threads(1, write_unowned, NULL);
	t_await(t_load(&s.stopped));
	await_first();
	before = hits("long_2019/writer_tries");
	t_await_asleep(t_threads(1, write_once, NULL));
	t_sleep_us(1000);
	t_le(hits("long_2019/writer_tries") - before, TRIES_MAX);
	t_eq(t_load(&s.lock.count) & 7, 7);
	t_store_release(&s.resume, 1);
	t_join();
}

T_TEST(a_later_waiter_sleeps)
{
	both(follow);
}

/* ---- The mark of a hand-off ---- */

/* Who asked for another's hand-off and gives up takes nothing back. */
static void ask_and_leave(void)
{
	const bool write = true;
	unsigned asker;

	rwi_tunables.wait_timeout_ns = FOR_EVER_NS;
	t_down_write(s.design, &s.lock);
	await_first();
	asker = t_threads(1, time_out, (void *)(uintptr_t)&write);
	t_await(t_finished(asker));
	t_eq(t_load(&s.lock.count), 7);
	t_up_write(s.design, &s.lock);
	t_join();
}

/* Who was promised the lock and gives up takes the promise along. */
static void owed_and_leave(void)
{
	const bool write = true;

	rwi_tunables.wait_timeout_ns = 0;
	t_down_write(s.design, &s.lock);
	t_threads(1, time_out, (void *)(uintptr_t)&write);
	t_join();
	t_eq(t_load(&s.lock.count), 1);
	t_up_write(s.design, &s.lock);
}

T_TEST(who_asked_for_it_leaves)
{
	both(ask_and_leave);
}

T_TEST(who_was_promised_it_leaves)
{
	both(owed_and_leave);
}

/* ---- A wake-up finds its waiter told ---- */

static void let_sleepers_look(void *arg)
{
	(void)arg;
	t_sleep_us(2000);
}

static void wake_told(void)
{
	/* Waiters look by themselves once a second. */
	enum { ROUNDS = 20 };

	for (int i = 0; i < ROUNDS; i++) {
		t_down_write(s.design, &s.lock);
		t_await_asleep(t_threads(1, read_once, NULL));
		t_at_step("long_2019/granted", let_sleepers_look, NULL);
		t_up_write(s.design, &s.lock);
		t_all_steps_taken();
		t_join();
	}
}

T_TEST(told_and_woken)
{
	both(wake_told);
}

/* ---- The limit of readers ---- */

static void fill(void)
{
	rwi_tunables.count_bits = BITS;
	t_eq(s.design->readers_max(), (1 << BITS) - 1);
	for (int i = 1; i < 1 << BITS; i++)
		t_down_read(s.design, &s.lock);
	t_false(s.design->down_read_trylock(&s.lock));
	t_await_asleep(t_threads(1, read_once, NULL));
	t_await_asleep(t_threads(1, read_once, NULL));
	t_eq(t_load(&s.inside), 0);
	t_eq(readers_counted(), (1 << BITS) - 1);
	for (int i = 1; i < 1 << BITS; i++)
		t_up_read(s.design, &s.lock);
	t_join();
	t_eq(t_load(&s.inside), 2);
}

T_TEST(a_reader_too_many_waits)
{
	both(fill);
}
