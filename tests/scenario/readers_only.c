/* SPDX-License-Identifier: MIT */
/*
 * One, two, four and eight threads that only read: none ever waits for
 * another, on one lock or on two that lie side by side.  (What their shared
 * count costs is a matter for `rwsem bench`.)
 */
#include "support/t.h"

#include "port/port.h"
#include "rwsem/rwsem.h"

enum { ROUNDS = 20000 };

/* Two in a cache line of 64 bytes. */
static struct {
	_Alignas(64) rwsem_t one;
	rwsem_t other;
} sems;

static void read_one(void *arg)
{
	rwsem_t *sem = arg;

	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		rwsem_down_read(sem);
		rwsem_up_read(sem);
		t_true(rwsem_down_read_trylock(sem));
		rwsem_up_read(sem);
	}
}

static void nobody_waited(void)
{
	t_eq(t_load(&rwi_event_count[RWI_EVENT_bucket]), 0);
	t_eq(t_load(&rwi_event_count[RWI_EVENT_sleep]), 0);
	t_eq(sems.one.word_, 0);
	t_eq(sems.other.word_, 0);
}

T_TEST(one_lock)
{
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		t_threads(threads, read_one, &sems.one);
		t_join();
		nobody_waited();
	}
}

T_TEST(two_locks_side_by_side)
{
	for (unsigned threads = 1; threads <= 4; threads *= 2) {
		t_threads(threads, read_one, &sems.one);
		t_threads(threads, read_one, &sems.other);
		t_join();
		nobody_waited();
	}
}
