/* SPDX-License-Identifier: MIT */
/*
 * A signal handler forks in the middle of a wait.  In the child the queue is
 * gone; the wait goes on, and gives up as it should.
 */
#include "support/t.h"

#include "rwsem/rwsem.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static rwsem_t sem;
static uint32_t child; /* a process id; 0 not yet, and in the child */

static void fork_here(int signal)
{
	const int saved = errno;

	(void)signal;
	if (!t_load(&child))
		t_store(&child,
			(uint32_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	errno = saved;
}

static void expect_child(void)
{
	int status;

	t_eq(waitpid((pid_t)t_load(&child), &status, 0), (pid_t)t_load(&child));
	t_eq(status, 0);
	t_store(&child, 0);
}

/* Here the thread that waits is the only one, and the lock is held for ever. */
static void leave_child(bool as_it_should)
{
	/* Not by _exit(): a sanitizer would look for the parent's threads. */
	if (t_load(&child) == 0)
		syscall(SYS_exit_group, as_it_should ? 0 : 1);
}

static void interruptible(void *arg)
{
	const bool *write = arg;
	int r;

	t_doing("down_*_interruptible");
	r = *write ? rwsem_down_write_interruptible(&sem)
		   : rwsem_down_read_interruptible(&sem);
	leave_child(r == EINTR);
	t_doing(NULL);
	t_eq(r, EINTR);
}

static void until(void *arg)
{
	const bool *write = arg;
	const struct timespec at = t_in_us(CLOCK_MONOTONIC, 300000);
	int r;

	t_doing("down_*_until");
	r = *write ? rwsem_down_write_until(&sem, CLOCK_MONOTONIC, &at)
		   : rwsem_down_read_until(&sem, CLOCK_MONOTONIC, &at);
	leave_child(r == ETIMEDOUT);
	t_doing(NULL);
	t_eq(r, ETIMEDOUT);
}

static void fork_in(void (*wait)(void *))
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_handler = fork_here;
	t_eq(sigaction(SIGUSR2, &action, NULL), 0);
	for (int i = 0; i < 2; i++) {
		bool write = i;
		unsigned waiter;

		rwsem_down_write(&sem);
		waiter = t_threads(1, wait, &write);
		t_await_asleep(waiter);
		t_signal(waiter, SIGUSR2);
		t_await(t_load(&child));
		t_join();
		expect_child();
		rwsem_up_write(&sem);
		t_false(rwsem_is_locked(&sem));
		t_false(rwsem_is_contended(&sem));
	}
}

T_TEST(in_an_interruptible_wait)
{
	fork_in(interruptible);
}

T_TEST(in_a_timed_wait)
{
	fork_in(until);
}
