/* SPDX-License-Identifier: MIT */
/*
 * A fork handler takes the lock for writing before the fork, and both sides
 * release it after: the child can use it, and so can the parent, whose waiters
 * were queued meanwhile.
 */
#include "support/designs.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 10 };

static const struct rwi_design *guarded_by;
static void *guard;

static void write_once(void *arg)
{
	(void)arg;
	t_down_write(guarded_by, guard);
	t_up_write(guarded_by, guard);
}

static void read_once(void *arg)
{
	(void)arg;
	t_down_read(guarded_by, guard);
	t_up_read(guarded_by, guard);
}

static void before(void)
{
	t_down_write(guarded_by, guard);
	t_await_asleep(t_threads(1, write_once, NULL));
	t_await_asleep(t_threads(1, read_once, NULL));
}

static void after(void)
{
	t_up_write(guarded_by, guard);
}

static void use_in_child(void)
{
	alarm(20 * t_slower());
	for (int i = 0; i < 3; i++) {
		write_once(NULL);
		read_once(NULL);
	}
	if (guarded_by->down_write_trylock) {
		t_true(guarded_by->down_write_trylock(guard));
		guarded_by->up_write(guard);
	}
	_exit(0);
}

T_DESIGNS(atfork_prepare, RWI_FORK)
{
	guarded_by = design;
	guard = lock;
	t_eq(pthread_atfork(before, after, after), 0);
	for (unsigned i = 0; i < t_rounds(FORKS); i++) {
		int status;
		const pid_t pid = fork();

		if (pid == 0)
			use_in_child();
		t_true(pid > 0);
		t_doing("await the child");
		t_eq(waitpid(pid, &status, 0), pid);
		t_doing(NULL);
		t_eq(status, 0);
		t_join();
	}
}
