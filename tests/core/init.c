/* SPDX-License-Identifier: MIT */
/* What is a valid semaphore, and what rwsem_init() accepts. */
#include "support/t.h"

#include "rwsem/rwsem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static rwsem_t in_bss;
static rwsem_t with_initializer = RWSEM_INIT;

/* All functions that need no second thread. */
static void use(rwsem_t *sem)
{
	const struct timespec past = { 0, 0 };

	t_false(rwsem_is_locked(sem));
	t_false(rwsem_is_contended(sem));
	rwsem_down_read(sem);
	t_true(rwsem_is_locked(sem));
	rwsem_assert_held(sem);
	rwsem_up_read(sem);
	rwsem_down_write(sem);
	t_true(rwsem_is_locked(sem));
	rwsem_assert_held(sem);
	rwsem_assert_held_write(sem);
	rwsem_downgrade_write(sem);
	t_true(rwsem_is_locked(sem));
	rwsem_up_read(sem);
	t_true(rwsem_down_read_trylock(sem));
	t_false(rwsem_down_write_trylock(sem));
	rwsem_up_read(sem);
	t_true(rwsem_down_write_trylock(sem));
	t_false(rwsem_down_write_trylock(sem));
	t_false(rwsem_down_read_trylock(sem));
	rwsem_up_write(sem);
	t_eq(rwsem_down_read_until(sem, CLOCK_MONOTONIC, &past), 0);
	rwsem_up_read(sem);
	t_eq(rwsem_down_write_until(sem, CLOCK_REALTIME, &past), 0);
	rwsem_up_write(sem);
	t_eq(rwsem_down_read_interruptible(sem), 0);
	rwsem_up_read(sem);
	t_eq(rwsem_down_write_interruptible(sem), 0);
	rwsem_up_write(sem);
	rwsem_down_read_non_owner(sem);
	rwsem_up_read_non_owner(sem);
	t_false(rwsem_is_locked(sem));
}

static bool all_zero(const void *bytes, size_t size)
{
	const unsigned char *b = bytes;

	while (size && !*b)
		b++, size--;
	return !size;
}

T_TEST(zeroed_memory_is_a_free_semaphore)
{
	rwsem_t local = RWSEM_INIT;
	rwsem_t *allocated = calloc(1, sizeof *allocated);

	t_true(allocated);
	t_true(all_zero(&with_initializer, sizeof with_initializer));
	use(&in_bss);
	use(&with_initializer);
	use(&local);
	use(allocated);
	rwsem_destroy(allocated);
	free(allocated);
}

/* Room for a drop-in over pthread_rwlock_t, whose byte 28 must stay zero. */
T_TEST(layout)
{
	rwsem_t sem = RWSEM_INIT;

	t_le(sizeof sem, 32);
	t_eq(offsetof(rwsem_t, word_), 0);
	t_eq(offsetof(rwsem_t, zero_), 28);
	t_eq(sizeof sem.zero_, 4);
	use(&sem);
	t_eq(sem.zero_, 0);
	t_eq(sem.word_, 0);
	t_eq(sem.flags_, 0);
}

T_TEST(every_flag_alone_and_some_together)
{
	static const unsigned good[] = {
		0,
		RWSEM_PREFER_READERS,
		RWSEM_PREFER_WRITERS,
		RWSEM_RECURSIVE_READ,
		RWSEM_DEBUG,
		RWSEM_PREFER_READERS | RWSEM_RECURSIVE_READ,
		RWSEM_PREFER_WRITERS | RWSEM_RECURSIVE_READ | RWSEM_DEBUG,
		RWSEM_PREFER_READERS | RWSEM_RECURSIVE_READ | RWSEM_DEBUG,
	};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		rwsem_t sem;
		uint64_t idle;

		/* What was there before is of no interest. */
		memset(&sem, 0xa5, sizeof sem);
		t_eq(rwsem_init(&sem, good[i]), 0);
		idle = sem.word_;
		use(&sem);
		t_eq(sem.word_, idle);
		t_eq(sem.zero_, 0);
		rwsem_destroy(&sem);
	}
}

T_TEST(refusals_leave_the_memory_alone)
{
	static const unsigned bad[] = {
		RWSEM_PREFER_READERS | RWSEM_PREFER_WRITERS,
		RWSEM_PREFER_READERS | RWSEM_PREFER_WRITERS | RWSEM_DEBUG,
		RWSEM_PROCESS_SHARED,
		RWSEM_PROCESS_SHARED | RWSEM_DEBUG,
		1u << 5,
		1u << 31,
		~0u,
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		rwsem_t sem, before;

		memset(&sem, 0xa5, sizeof sem);
		before = sem;
		t_eq(rwsem_init(&sem, bad[i]), EINVAL);
		t_eq(memcmp(&sem, &before, sizeof sem), 0);
	}
}
