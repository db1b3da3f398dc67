/* SPDX-License-Identifier: MIT */
/*
 * Misuse ends the process with SIGABRT and one line that has the state of the
 * semaphore decoded; what is allowed does not.
 */
#include "support/t.h"

#include "rwsem/rwsem.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static rwsem_t sem;

/* The states that the lines below end with; # is any number. */
#define PLAIN_FREE "word 0x0000000000000000 (free), thread #"
#define PLAIN_READ "word 0x0000000100000000 (read holds 1), thread #"
#define FREE       "word 0x0000000000000020 (free, checked), thread #"
#define READ       "word 0x0000000100000020 (read holds 1, checked), thread #"
#define WRITTEN                                                                \
	"word 0x0000000000000021 (written by thread #, checked), thread #"
#define WAITED_FOR                                                             \
	"word 0x0000000000000033 (written by thread #, queued, writer "        \
	"pending, checked), thread #"

/* The whole text, but for what an emulator adds about the signal. */
static bool matches(const char *text, const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern != '#') {
			if (*text++ != *pattern)
				return false;
			continue;
		}
		if (!isdigit((unsigned char)*text))
			return false;
		while (isdigit((unsigned char)*text))
			text++;
	}
	return !*text || !strncmp(text, "qemu: ", 6);
}

static void with_flags(void (*misuse)(void *), unsigned flags, const char *what,
		       const char *state)
{
	struct t_outcome outcome;
	char line[512];

	t_eq(rwsem_init(&sem, flags), 0);
	snprintf(line, sizeof line, "rwsem: %s: semaphore 0x%llx, %s\n", what,
		 (unsigned long long)(uintptr_t)&sem, state);
	t_child(misuse, NULL, 10, &outcome);
	if (!matches(outcome.text, line))
		t_fail("expected: %s  found: %s", line, outcome.text);
	t_true(WIFSIGNALED(outcome.status));
	t_eq(WTERMSIG(outcome.status), SIGABRT);
}

#define DIES(misuse, what, state) with_flags(misuse, RWSEM_DEBUG, what, state)

static void read_sem(void *arg)
{
	(void)arg;
	rwsem_down_read(&sem);
}

static void write_sem(void *arg)
{
	(void)arg;
	t_doing("down_write");
	rwsem_down_write(&sem);
	t_doing(NULL);
}

static void elsewhere(void (*body)(void *))
{
	t_threads(1, body, NULL);
	t_join();
}

/* ---- Asking again ---- */

static void read_read(void *arg)
{
	read_sem(arg);
	read_sem(arg);
}

static void read_write(void *arg)
{
	read_sem(arg);
	write_sem(arg);
}

static void write_read(void *arg)
{
	write_sem(arg);
	read_sem(arg);
}

static void write_write(void *arg)
{
	write_sem(arg);
	write_sem(arg);
}

static void write_until(void *arg)
{
	const struct timespec soon = t_in_us(CLOCK_MONOTONIC, 1000000);

	read_sem(arg);
	t_eq(rwsem_down_write_until(&sem, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
}

static void read_interruptible(void *arg)
{
	write_sem(arg);
	t_eq(rwsem_down_read_interruptible(&sem), EINTR);
}

static void write_downgrade_read(void *arg)
{
	write_sem(arg);
	rwsem_downgrade_write(&sem);
	read_sem(arg);
}

T_TEST(recursion)
{
	DIES(read_read, "down_read: this thread reads already", READ);
	DIES(read_write, "down_write: this thread reads already", READ);
	DIES(write_read, "down_read: this thread writes already", WRITTEN);
	DIES(write_write, "down_write: this thread writes already", WRITTEN);
	DIES(write_until, "down_write: this thread reads already", READ);
	DIES(read_interruptible, "down_read: this thread writes already",
	     WRITTEN);
	DIES(write_downgrade_read, "down_read: this thread reads already",
	     READ);
}

/* ---- Releasing ---- */

static void up_read(void *arg)
{
	(void)arg;
	rwsem_up_read(&sem);
}

static void up_read_non_owner(void *arg)
{
	(void)arg;
	rwsem_up_read_non_owner(&sem);
}

static void up_write(void *arg)
{
	(void)arg;
	rwsem_up_write(&sem);
}

static void downgrade(void *arg)
{
	(void)arg;
	rwsem_downgrade_write(&sem);
}

static void read_up_write(void *arg)
{
	read_sem(arg);
	up_write(arg);
}

static void write_up_read(void *arg)
{
	write_sem(arg);
	up_read(arg);
}

static void read_downgrade(void *arg)
{
	read_sem(arg);
	downgrade(arg);
}

static void up_write_elsewhere(void *arg)
{
	write_sem(arg);
	elsewhere(up_write);
}

static void downgrade_elsewhere(void *arg)
{
	write_sem(arg);
	elsewhere(downgrade);
}

T_TEST(release_of_what_is_not_held)
{
	DIES(up_read, "up_read: not held for reading", FREE);
	DIES(up_read_non_owner, "up_read: not held for reading", FREE);
	DIES(up_write, "up_write: not held for writing", FREE);
	DIES(downgrade, "downgrade_write: not held for writing", FREE);
	DIES(read_up_write, "up_write: not held for writing", READ);
	DIES(write_up_read, "up_read: not held for reading", WRITTEN);
	DIES(read_downgrade, "downgrade_write: not held for writing", READ);
	DIES(up_write_elsewhere, "up_write: another thread writes", WRITTEN);
	DIES(downgrade_elsewhere, "downgrade_write: another thread writes",
	     WRITTEN);
}

/* The word alone tells this much of any semaphore. */
T_TEST(unchecked_release_of_what_is_not_held)
{
	with_flags(up_read, 0, "up_read: not held for reading", PLAIN_FREE);
	with_flags(up_write, 0, "up_write: not held for writing", PLAIN_FREE);
	with_flags(downgrade, 0, "downgrade_write: not held for writing",
		   PLAIN_FREE);
	with_flags(read_up_write, 0, "up_write: not held for writing",
		   PLAIN_READ);
}

/* ---- Assertions ---- */

static void assert_held(void *arg)
{
	(void)arg;
	rwsem_assert_held(&sem);
}

static void assert_held_write(void *arg)
{
	(void)arg;
	rwsem_assert_held_write(&sem);
}

static void read_assert_write(void *arg)
{
	read_sem(arg);
	assert_held_write(arg);
}

static void write_assert_elsewhere(void *arg)
{
	write_sem(arg);
	elsewhere(assert_held_write);
}

T_TEST(assertions)
{
	DIES(assert_held, "assert_held: not held", FREE);
	DIES(assert_held_write, "assert_held_write: not held for writing",
	     FREE);
	DIES(read_assert_write, "assert_held_write: not held for writing",
	     READ);
	DIES(write_assert_elsewhere, "assert_held_write: another thread writes",
	     WRITTEN);
	with_flags(assert_held, 0, "assert_held: not held", PLAIN_FREE);
	with_flags(read_assert_write, 0,
		   "assert_held_write: not held for writing", PLAIN_READ);
}

/* ---- Ends ---- */

static void read_destroy(void *arg)
{
	read_sem(arg);
	rwsem_destroy(&sem);
}

static void write_destroy(void *arg)
{
	write_sem(arg);
	rwsem_destroy(&sem);
}

static void waited_for_destroy(void *arg)
{
	write_sem(arg);
	t_await_asleep(t_threads(1, write_sem, NULL));
	t_await(rwsem_is_contended(&sem));
	rwsem_destroy(&sem);
}

static void end_while_writing(void *arg)
{
	(void)arg;
	elsewhere(write_sem);
}

T_TEST(ends)
{
	DIES(read_destroy, "destroy: held or waited for", READ);
	DIES(write_destroy, "destroy: held or waited for", WRITTEN);
	DIES(waited_for_destroy, "destroy: held or waited for", WAITED_FOR);
	DIES(end_while_writing, "thread ends while it holds for writing",
	     WRITTEN);
}

/* ---- No fault ---- */

static void read_try_again(void *arg)
{
	(void)arg;
	rwsem_down_read(&sem);
	t_false(rwsem_down_write_trylock(&sem));
	rwsem_up_read(&sem);
	rwsem_down_write(&sem);
	t_false(rwsem_down_write_trylock(&sem));
	t_false(rwsem_down_read_trylock(&sem));
	rwsem_up_write(&sem);
}

static void non_owner(void *arg)
{
	(void)arg;
	rwsem_down_read_non_owner(&sem);
}

/* A hold on nobody's account: taken there, released here, twice. */
static void hand_over(void *arg)
{
	(void)arg;
	elsewhere(non_owner);
	elsewhere(non_owner);
	rwsem_down_read(&sem);
	rwsem_up_read(&sem);
	rwsem_up_read_non_owner(&sem);
	rwsem_up_read_non_owner(&sem);
	rwsem_destroy(&sem);
}

/* Nobody is accused on the strength of a hold that another released. */
static void released_elsewhere(void *arg)
{
	(void)arg;
	rwsem_down_read(&sem);
	elsewhere(up_read);
	rwsem_down_read(&sem);
	rwsem_up_read(&sem);
	rwsem_down_write(&sem);
	rwsem_up_write(&sem);
	rwsem_destroy(&sem);
}

/* A thread may end while it reads: its hold belongs to nobody. */
static void end_while_reading(void *arg)
{
	(void)arg;
	elsewhere(non_owner);
	rwsem_up_read_non_owner(&sem);
	elsewhere(read_sem);
	rwsem_up_read(&sem);
	rwsem_destroy(&sem);
}

T_TEST(no_fault_where_there_is_none)
{
	void (*const uses[])(void *) = { read_try_again, hand_over,
					 released_elsewhere,
					 end_while_reading };

	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
		t_eq(rwsem_init(&sem, RWSEM_DEBUG), 0);
		t_child_passes(uses[i], NULL);
	}
	t_eq(rwsem_init(&sem, RWSEM_DEBUG | RWSEM_RECURSIVE_READ), 0);
	rwsem_down_read(&sem);
	rwsem_down_read(&sem);
	rwsem_up_read(&sem);
	rwsem_up_read(&sem);
	rwsem_destroy(&sem);
}

/* More holds at once than a thread's list has room for. */
T_TEST(many_holds)
{
	enum { SEMS = 40 };
	static rwsem_t many[SEMS];

	for (int write = 0; write < 2; write++) {
		for (int i = 0; i < SEMS; i++) {
			t_eq(rwsem_init(&many[i], RWSEM_DEBUG), 0);
			if (write)
				rwsem_down_write(&many[i]);
			else
				rwsem_down_read(&many[i]);
		}
		for (int i = 0; i < SEMS; i++) {
			const int k = i % 2 ? i : SEMS - 2 - i;

			if (write)
				rwsem_up_write(&many[k]);
			else
				rwsem_up_read(&many[k]);
		}
		for (int i = 0; i < SEMS; i++)
			rwsem_destroy(&many[i]);
	}
	/* The list is empty again: one more of each is no recursion. */
	rwsem_down_read(&many[0]);
	rwsem_up_read(&many[0]);
	rwsem_down_write(&many[0]);
	rwsem_up_write(&many[0]);
}
