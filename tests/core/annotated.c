/* SPDX-License-Identifier: MIT */
/*
 * ThreadSanitizer sees the semaphore as a reader-writer mutex: in a program
 * built for it, with a library that is not, it is silent about what is right,
 * and reports races, inversions of lock order, and wrong releases.
 */
#include "support/t.h"

#include "rwsem/rwsem.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

static rwsem_t sem, other;
static uint64_t data, copy;

static void start(pthread_t threads[2], void *(*one)(void *),
		  void *(*two)(void *))
{
	t_eq(pthread_create(&threads[0], NULL, one, NULL), 0);
	t_eq(pthread_create(&threads[1], NULL, two, NULL), 0);
}

static void run(void *(*one)(void *), void *(*two)(void *))
{
	pthread_t threads[2];

	start(threads, one, two);
	t_eq(pthread_join(threads[0], NULL), 0);
	t_eq(pthread_join(threads[1], NULL), 0);
}

/* ---- Right ---- */

enum { ROUNDS = 3000 };

static bool write_in_some_way(unsigned way)
{
	const struct timespec soon = t_in_us(CLOCK_MONOTONIC, 100);

	switch (way % 4) {
	case 0:
		return rwsem_down_write_trylock(&sem);
	case 1:
		return rwsem_down_write_until(&sem, CLOCK_MONOTONIC, &soon) ==
		       0;
	case 2:
		return rwsem_down_write_interruptible(&sem) == 0;
	default:
		rwsem_down_write(&sem);
		return true;
	}
}

static bool read_in_some_way(unsigned way)
{
	const struct timespec soon = t_in_us(CLOCK_REALTIME, 100);

	switch (way % 5) {
	case 0:
		return rwsem_down_read_trylock(&sem);
	case 1:
		return rwsem_down_read_until(&sem, CLOCK_REALTIME, &soon) == 0;
	case 2:
		return rwsem_down_read_interruptible(&sem) == 0;
	case 3:
		rwsem_down_read_non_owner(&sem);
		return true;
	default:
		rwsem_down_read(&sem);
		return true;
	}
}

static void *guarded(void *arg)
{
	uint64_t seen = 0;

	(void)arg;
	for (unsigned i = 0; i < ROUNDS; i++) {
		if (write_in_some_way(i)) {
			data++;
			if (i % 3) {
				rwsem_up_write(&sem);
			} else {
				rwsem_downgrade_write(&sem);
				seen += data;
				rwsem_up_read(&sem);
			}
		}
		if (read_in_some_way(i)) {
			seen += data;
			if (i % 5 == 3)
				rwsem_up_read_non_owner(&sem);
			else
				rwsem_up_read(&sem);
		}
	}
	rwsem_down_write(&sem);
	copy += seen;
	rwsem_up_write(&sem);
	return NULL;
}

static void right(void *arg)
{
	(void)arg;
	t_eq(rwsem_init(&sem, RWSEM_PREFER_WRITERS), 0);
	run(guarded, guarded);
	rwsem_destroy(&sem);
}

/* ---- Wrong ---- */

static void *write_under_read_hold(void *arg)
{
	(void)arg;
	rwsem_down_read(&sem);
	data++;
	rwsem_up_read(&sem);
	return NULL;
}

static void race(void *arg)
{
	(void)arg;
	run(write_under_read_hold, write_under_read_hold);
}

static void *write_without(void *arg)
{
	(void)arg;
	data++;
	return NULL;
}

static void race_with_nothing(void *arg)
{
	(void)arg;
	run(guarded, write_without);
}

static void inversion(void *arg)
{
	(void)arg;
	rwsem_down_write(&sem);
	rwsem_down_write(&other);
	rwsem_up_write(&other);
	rwsem_up_write(&sem);
	rwsem_down_write(&other);
	rwsem_down_write(&sem);
	rwsem_up_write(&sem);
	rwsem_up_write(&other);
}

/* The library ends the process then; the tool has its say before. */
static void release_of_nothing(void *arg)
{
	(void)arg;
	rwsem_up_write(&sem);
}

/* ---- Verdicts ---- */

T_TEST(silent_about_what_is_right)
{
	t_child_passes(right, NULL);
}

static void expect(void (*body)(void *), const char *report)
{
	struct t_outcome outcome;

	t_child(body, NULL, 20, &outcome);
	t_false(outcome.stuck);
	if (!strstr(outcome.text, report))
		t_fail("expected \"%s\", found: %s", report, outcome.text);
	t_true(outcome.status != 0);
}

T_TEST(reports_what_is_wrong)
{
	expect(race, "data race");
	expect(race_with_nothing, "data race");
	expect(inversion, "lock-order-inversion");
	expect(release_of_nothing, "unlock of an unlocked mutex");
}
