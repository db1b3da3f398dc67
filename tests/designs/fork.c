/* SPDX-License-Identifier: MIT */
/*
 * A child of fork inherits the hold of the thread that called it, and can
 * release the lock and take it again, although its waiters are gone: by
 * fork(), and by calls that skip the handlers of pthread_atfork().
 */
#include "support/designs.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAITERS = 3 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	bool write; /* what is held across the fork */
};

static void write_once(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_up_write(s->design, s->lock);
}

static void read_once(void *arg)
{
	struct shared *s = arg;

	t_down_read(s->design, s->lock);
	t_up_read(s->design, s->lock);
}

static void release(struct shared *s)
{
	if (s->write)
		t_up_write(s->design, s->lock);
	else
		t_up_read(s->design, s->lock);
}

/*
 * Without the handlers of any runtime, which would look for the threads that
 * the parent has.
 */
static _Noreturn void leave(void)
{
	for (;;)
		syscall(SYS_exit_group, 0);
}

static void use_in_child(struct shared *s)
{
	alarm(20 * t_slower());
	release(s);
	for (int i = 0; i < 2; i++) {
		t_down_write(s->design, s->lock);
		t_up_write(s->design, s->lock);
		t_down_read(s->design, s->lock);
		t_up_read(s->design, s->lock);
	}
	if (s->design->down_write_trylock) {
		t_true(s->design->down_write_trylock(s->lock));
		s->design->up_write(s->lock);
	}
	leave();
}

static pid_t by_fork(void)
{
	return fork();
}

static pid_t by_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void hold_across(struct shared *s, pid_t (*new_process)(void))
{
	int status;
	pid_t pid;

	if (s->write)
		t_down_write(s->design, s->lock);
	else
		t_down_read(s->design, s->lock);
	for (int i = 0; i < WAITERS; i++)
		t_await_asleep(i % 2 ? t_threads(1, read_once, s)
				     : t_threads(1, write_once, s));
	pid = new_process();
	if (pid == 0)
		use_in_child(s);
	t_true(pid > 0);
	t_doing("await the child");
	t_eq(waitpid(pid, &status, 0), pid);
	t_doing(NULL);
	t_eq(status, 0);
	release(s);
	t_join();
}

T_DESIGNS(by_fork_with_its_handlers, RWI_FORK)
{
	for (int i = 0; i < 4; i++) {
		struct shared s = { design, lock, i % 2 };

		hold_across(&s, by_fork);
	}
}

T_DESIGNS(by_a_bare_clone, RWI_FORK)
{
	for (int i = 0; i < 4; i++) {
		struct shared s = { design, lock, i % 2 };

		hold_across(&s, by_clone);
	}
}
