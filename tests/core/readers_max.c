/* SPDX-License-Identifier: MIT */
/*
 * When all read holds are out, a try fails, waits that can fail say EAGAIN,
 * and the others wait for one to come back.
 */
#include "support/t.h"

#include "port/port.h"
#include "rwsem/rwsem.h"

#include <errno.h>

static rwsem_t sem;
static const unsigned flags[] = { 0, RWSEM_PREFER_READERS, RWSEM_PREFER_WRITERS,
				  RWSEM_RECURSIVE_READ, RWSEM_DEBUG };
enum { FLAGS = sizeof flags / sizeof *flags, HOLDS = 2 };

static void read_once(void *arg)
{
	(void)arg;
	t_doing("down_read");
	rwsem_down_read(&sem);
	rwsem_up_read(&sem);
	t_doing(NULL);
}

static void fail_to_read(void *arg)
{
	const struct timespec past = { 0, 0 };
	const struct timespec later = t_in_us(CLOCK_MONOTONIC, 60000000);

	(void)arg;
	t_doing("down_read_*");
	t_false(rwsem_down_read_trylock(&sem));
	t_eq(rwsem_down_read_until(&sem, CLOCK_MONOTONIC, &later), EAGAIN);
	t_eq(rwsem_down_read_until(&sem, CLOCK_MONOTONIC, &past), EAGAIN);
	t_eq(rwsem_down_read_until(&sem, CLOCK_REALTIME, &past), EAGAIN);
	t_eq(rwsem_down_read_interruptible(&sem), EAGAIN);
	t_false(rwsem_down_write_trylock(&sem));
	t_eq(rwsem_down_write_until(&sem, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	t_doing(NULL);
}

static void elsewhere(void (*body)(void *))
{
	t_threads(1, body, NULL);
	t_join();
}

T_TEST(full)
{
	rwi_tunables.readers_max = HOLDS;
	for (int i = 0; i < FLAGS; i++) {
		t_eq(rwsem_init(&sem, flags[i]), 0);
		for (int k = 0; k < HOLDS; k++)
			rwsem_down_read_non_owner(&sem);
		elsewhere(fail_to_read);
		t_await_asleep(t_threads(1, read_once, NULL));
		t_await_asleep(t_threads(1, read_once, NULL));
		t_false(t_finished(1));
		t_false(t_finished(2));
		rwsem_up_read_non_owner(&sem);
		t_join();
		/* There is room for one again. */
		elsewhere(read_once);
		rwsem_down_read_non_owner(&sem);
		elsewhere(fail_to_read);
		for (int k = 0; k < HOLDS; k++)
			rwsem_up_read_non_owner(&sem);
		t_false(rwsem_is_locked(&sem));
	}
}

/* A writer that waits is not forgotten over readers that wait for room. */
static void write_once(void *arg)
{
	(void)arg;
	t_doing("down_write");
	rwsem_down_write(&sem);
	rwsem_up_write(&sem);
	t_doing(NULL);
}

T_TEST(writers_behind_a_full_lock)
{
	rwi_tunables.readers_max = HOLDS;
	for (int i = 0; i < FLAGS; i++) {
		t_eq(rwsem_init(&sem, flags[i]), 0);
		for (int k = 0; k < HOLDS; k++)
			rwsem_down_read_non_owner(&sem);
		t_await_asleep(t_threads(1, read_once, NULL));
		t_await_asleep(t_threads(1, write_once, NULL));
		t_await_asleep(t_threads(1, read_once, NULL));
		for (int k = 0; k < HOLDS; k++)
			rwsem_up_read_non_owner(&sem);
		t_join();
		t_false(rwsem_is_locked(&sem));
		t_false(rwsem_is_contended(&sem));
	}
}

/* A crowd through a narrow door. */
static void read_often(void *arg)
{
	uint32_t *inside = arg;

	for (unsigned i = 0; i < t_rounds(2000); i++) {
		t_doing("down_read");
		rwsem_down_read(&sem);
		t_le(t_add(inside, 1) + 1, HOLDS);
		if (t_random(16) == 0)
			t_pause();
		t_add(inside, -1u);
		rwsem_up_read(&sem);
		t_doing(NULL);
	}
}

T_TEST(never_more_than_the_maximum)
{
	uint32_t inside = 0;

	rwi_tunables.readers_max = HOLDS;
	for (int i = 0; i < FLAGS; i++) {
		t_eq(rwsem_init(&sem, flags[i]), 0);
		t_threads(4, read_often, &inside);
		t_join();
		t_false(rwsem_is_locked(&sem));
	}
}
