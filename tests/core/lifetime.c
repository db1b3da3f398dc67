/* SPDX-License-Identifier: MIT */
/*
 * Everything works before main, in destructors of thread-specific data, in
 * atexit handlers, and in other threads at all these times.
 */
#include "support/t.h"

#include "rwsem/rwsem.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static rwsem_t sem, debug_sem;
static uint32_t used_before_main;

static void *wait_for_both(void *arg)
{
	rwsem_t *s = arg;

	rwsem_down_write(s);
	rwsem_up_write(s);
	rwsem_down_read(s);
	rwsem_up_read(s);
	return NULL;
}

/* Hold it, let another thread queue, release: the whole waiting machinery. */
static bool use(rwsem_t *s)
{
	pthread_t other;

	rwsem_down_write(s);
	if (pthread_create(&other, NULL, wait_for_both, s))
		return false;
	while (!rwsem_is_contended(s))
		t_pause();
	rwsem_up_write(s);
	rwsem_down_read(s);
	rwsem_up_read(s);
	return pthread_join(other, NULL) == 0;
}

__attribute__((constructor(101))) static void use_early(void)
{
	used_before_main = rwsem_init(&debug_sem, RWSEM_DEBUG) == 0 &&
			   use(&sem) && use(&debug_sem);
}

T_TEST(before_main)
{
	t_true(used_before_main);
	t_true(use(&sem));
	t_true(use(&debug_sem));
}

/* ---- At the end of the process ---- */

static void at_exit(void)
{
	if (!use(&sem) || !use(&debug_sem))
		_exit(3);
}

static void leave(void *arg)
{
	(void)arg;
	t_eq(atexit(at_exit), 0);
	rwsem_down_write(&sem);
	rwsem_up_write(&sem);
	exit(0);
}

T_TEST(in_atexit_handlers)
{
	t_child_passes(leave, NULL);
}

/* ---- At the end of a thread ---- */

static pthread_key_t key;
static uint32_t destructors;

/* A second round of destructors comes after everybody else's first. */
static void in_destructor(void *value)
{
	const uintptr_t rounds = (uintptr_t)value;

	t_true(use(&sem));
	t_true(use(&debug_sem));
	t_add(&destructors, 1);
	if (rounds > 1)
		pthread_setspecific(key, (void *)(rounds - 1));
}

static void end_with_destructor(void *arg)
{
	(void)arg;
	t_true(use(&debug_sem));
	pthread_setspecific(key, (void *)(uintptr_t)2);
}

T_TEST(in_destructors_of_thread_specific_data)
{
	t_eq(pthread_key_create(&key, in_destructor), 0);
	t_threads(2, end_with_destructor, NULL);
	t_join();
	t_eq(destructors, 4);
}
