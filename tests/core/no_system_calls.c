/* SPDX-License-Identifier: MIT */
/*
 * The uncontended paths make no system call: they run under a filter that
 * kills for any but those that end a process and write a message.
 */
#include "support/designs.h"

#include "rwsem/rwsem.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 1000 };

static void forbid_system_calls(void)
{
	static struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = { sizeof rules / sizeof *rules,
					    rules };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		t_skip("no seccomp filters here");
}

static void every_call(const struct rwi_design *d, void *lock,
		       const struct timespec *later)
{
	const struct timespec past = { 0, 0 };

	d->down_read(lock);
	t_false(d->down_write_trylock(lock));
	t_eq(d->down_write_until(lock, CLOCK_REALTIME, &past), ETIMEDOUT);
	d->up_read(lock);
	d->down_write(lock);
	t_false(d->down_read_trylock(lock));
	t_false(d->down_write_trylock(lock));
	t_eq(d->down_read_until(lock, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	d->up_write(lock);
	d->down_write(lock);
	d->downgrade_write(lock);
	d->up_read(lock);
	t_true(d->down_read_trylock(lock));
	d->up_read(lock);
	t_true(d->down_write_trylock(lock));
	d->up_write(lock);
	t_eq(d->down_read_until(lock, CLOCK_MONOTONIC, later), 0);
	d->up_read(lock);
	t_eq(d->down_write_until(lock, CLOCK_REALTIME, &past), 0);
	d->up_write(lock);
	t_eq(d->down_read_interruptible(lock), 0);
	d->up_read(lock);
	t_eq(d->down_write_interruptible(lock), 0);
	d->up_write(lock);
}

static void beside_readers(const struct rwi_design *d, void *lock)
{
	t_true(d->down_read_trylock(lock));
	t_true(d->down_read_trylock(lock));
	d->up_read(lock);
	d->up_read(lock);
}

struct subject {
	const struct rwi_design *design;
	void *lock;
};

static void filtered(void *arg)
{
	const struct subject *s = arg;
	const struct timespec later = t_in_us(CLOCK_MONOTONIC, 60000000);

	/*
	 * A checked semaphore learns once who the thread is.  The others must
	 * do without from their very first call.
	 */
	if (((const rwsem_t *)s->lock)->word_ != 0)
		every_call(s->design, s->lock, &later);
	forbid_system_calls();
	for (int i = 0; i < ROUNDS; i++) {
		every_call(s->design, s->lock, &later);
		beside_readers(s->design, s->lock);
	}
	_exit(0);
}

/* The filter works: a call it does not know kills. */
static void call_once(void *arg)
{
	(void)arg;
	forbid_system_calls();
	syscall(SYS_gettid);
	_exit(0);
}

T_TEST(the_filter_kills)
{
	struct t_outcome outcome;

	t_child(call_once, NULL, 10, &outcome);
	if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 77)
		t_skip("no seccomp filters here");
	t_true(WIFSIGNALED(outcome.status));
	t_eq(WTERMSIG(outcome.status), SIGSYS);
}

T_DESIGNS(no_system_calls, T_RWSEM)
{
	struct subject s = { design, lock };
	struct t_outcome outcome;

	t_child(filtered, &s, 10, &outcome);
	if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 77)
		t_skip("no seccomp filters here");
	if (WIFSIGNALED(outcome.status))
		t_eq(WTERMSIG(outcome.status), 0);
	t_eq(outcome.status, 0);
}
