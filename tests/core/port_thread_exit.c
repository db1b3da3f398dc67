/* SPDX-License-Identifier: MIT */
/*
 * A thread that asked is noticed when it ends, with its record, after the
 * destructors of its thread-specific data; one that did not is not.
 */
#include "support/t.h"

#include "port/port.h"

#include <pthread.h>

static pthread_key_t key;
static uint32_t notices, destructors;

static void notice(void *record)
{
	t_true(record == rwi_thread_record());
	t_eq(*(uint64_t *)record, 2);
	t_add(&notices, 1);
}

/* A destructor that asks for another round, as others' do. */
static void destroy(void *value)
{
	t_eq(*(uint64_t *)rwi_thread_record(), (uintptr_t)value);
	if ((uintptr_t)value == 1) {
		pthread_setspecific(key, (void *)(uintptr_t)2);
		*(uint64_t *)rwi_thread_record() = 2;
	}
	t_add(&destructors, 1);
}

static void ask(void *arg)
{
	(void)arg;
	*(uint64_t *)rwi_thread_record() = 1;
	rwi_thread_at_exit(notice);
	t_eq(pthread_setspecific(key, (void *)(uintptr_t)1), 0);
	/* Twice is as good as once. */
	rwi_thread_at_exit(notice);
}

static void do_not_ask(void *arg)
{
	(void)arg;
	t_true(rwi_thread_record() != NULL);
}

T_TEST(notice_at_the_end)
{
	t_eq(pthread_key_create(&key, destroy), 0);
	/* The first comes alone, for it makes what the others share. */
	for (int i = 0; i < 3; i++) {
		t_threads(1, ask, NULL);
		t_join();
	}
	t_threads(2, ask, NULL);
	t_threads(2, do_not_ask, NULL);
	t_join();
	t_eq(notices, 5);
	t_eq(destructors, 10);
}
