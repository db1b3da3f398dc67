/* SPDX-License-Identifier: MIT */
/*
 * The mark that says "look at the list" is there whenever a release needs it,
 * and a wake-up that meets somebody who gives up is not lost on the others.
 */
#include "support/steps.h"

#include "designs/design.h"
#include "port/port.h"
#include "support/t.h"

#include <errno.h>

enum { DEADLINE_US = 30000 };

static const struct rwi_design *design;
static unsigned char lock[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));

/* One who gives up, and is stopped when it has slept. */
static struct {
	unsigned number;
	uint32_t slept, go, result;
} quitter;

static void begin(void)
{
	design = rwi_design_find("long-2014-mutex");
	rwi_tunables.optimistic_spin_ns = 0;
	design->down_write(lock);
}

/* Everybody got in, and nobody can be asleep. */
static void end(void)
{
	t_join();
	t_true(design->down_write_trylock(lock));
	design->up_write(lock);
}

static void up(void)
{
	t_doing("up_write");
	design->up_write(lock);
	t_doing(NULL);
}

static void get_in(void *arg)
{
	(void)arg;
	t_doing("down_write");
	design->down_write(lock);
	t_doing(NULL);
	up();
}

static void stop(void *arg)
{
	(void)arg;
	t_store_release(&quitter.slept, 1);
	t_await(t_load_acquire(&quitter.go));
}

static void give_up(void *arg)
{
	const struct timespec at = t_in_us(CLOCK_MONOTONIC, DEADLINE_US);
	int result;

	(void)arg;
	t_at_step("long_2014_mutex/slept", stop, NULL);
	t_doing("down_write_until");
	result = design->down_write_until(lock, CLOCK_MONOTONIC, &at);
	t_doing(NULL);
	quitter.result = (uint32_t)result;
	if (!result)
		up();
}

static void await_stop(void)
{
	t_await(t_load_acquire(&quitter.slept));
}

static void go_on(void)
{
	t_store_release(&quitter.go, 1);
}

static void come_and_sleep(void *arg)
{
	(void)arg;
	t_await_asleep(t_threads(1, get_in, NULL));
}

T_TEST(marked_while_it_is_released)
{
	begin();
	t_at_step("long_2014_mutex/frees", come_and_sleep, NULL);
	up();
	t_all_steps_taken();
	end();
}

/* Woken when its time is up: it takes the lock, and then wakes the next. */
T_TEST(woken_as_it_gives_up)
{
	begin();
	quitter.number = t_threads(1, give_up, NULL);
	t_await_asleep(quitter.number);
	come_and_sleep(NULL);
	await_stop();
	up();
	go_on();
	end();
	t_eq(quitter.result, 0);
}

/* The same, but a third one is faster, and it is for that one to wake. */
T_TEST(woken_as_it_gives_up_in_vain)
{
	begin();
	quitter.number = t_threads(1, give_up, NULL);
	t_await_asleep(quitter.number);
	come_and_sleep(NULL);
	await_stop();
	up();
	t_true(design->down_write_trylock(lock));
	go_on();
	t_await(t_finished(quitter.number));
	t_eq(quitter.result, ETIMEDOUT);
	up();
	end();
}

T_TEST(the_mark_stays_for_others)
{
	begin();
	quitter.number = t_threads(1, give_up, NULL);
	t_await_asleep(quitter.number);
	come_and_sleep(NULL);
	await_stop();
	go_on();
	t_await(t_finished(quitter.number));
	t_eq(quitter.result, ETIMEDOUT);
	up();
	end();
}

static void wakes_nobody(void *arg)
{
	(void)arg;
	t_fail("a mark was left behind");
}

T_TEST(the_last_one_takes_the_mark_off)
{
	begin();
	go_on();
	t_threads(1, give_up, NULL);
	t_join();
	t_eq(quitter.result, ETIMEDOUT);
	t_at_step("long_2014_mutex/freed", wakes_nobody, NULL);
	up();
	end();
}
