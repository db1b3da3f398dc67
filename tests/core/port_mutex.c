/* SPDX-License-Identifier: MIT */
/*
 * The port's mutex excludes, wakes those who sleep for it, keeps all handlers
 * out while it is held, and leaves errno and the signal mask as they were.
 */
#include "support/t.h"

#include "port/port.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { THREADS = 4, ROUNDS = 20000 };

static uint32_t mutex;
static uint64_t counter;

static void count(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		struct rwi_signals saved;

		t_doing("rwi_mutex_lock");
		rwi_mutex_lock(&mutex, &saved);
		counter++;
		if (t_random(64) == 0)
			sched_yield();
		rwi_mutex_unlock(&mutex, &saved);
		t_doing(NULL);
	}
}

static void exclude(void)
{
	t_threads(THREADS, count, NULL);
	t_join();
	t_eq(counter, THREADS * t_rounds(ROUNDS));
	t_eq(mutex, 0);
}

T_TEST(excludes)
{
	exclude();
}

static void lock_once(void *arg)
{
	struct rwi_signals saved;

	(void)arg;
	t_doing("rwi_mutex_lock");
	errno = 99;
	rwi_mutex_lock(&mutex, &saved);
	rwi_mutex_unlock(&mutex, &saved);
	t_eq(errno, 99);
	t_doing(NULL);
}

static void wake_sleepers(void)
{
	for (unsigned round = 0; round < 20; round++) {
		struct rwi_signals saved;

		rwi_mutex_lock(&mutex, &saved);
		for (unsigned i = 0; i < 3; i++)
			t_await_asleep(t_threads(1, lock_once, NULL));
		errno = 98;
		rwi_mutex_unlock(&mutex, &saved);
		t_eq(errno, 98);
		t_join();
		t_eq(mutex, 0);
	}
}

T_TEST(wakes_sleepers)
{
	wake_sleepers();
}

/* ---- A kernel without priority inheritance ---- */

static void refuse_inheritance(void)
{
	enum { LOCK_PI = FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG };
	/* The second argument of the call; its low half, on these machines. */
	const uint32_t op = offsetof(struct seccomp_data, args) + 8;
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, op),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LOCK_PI, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof rules / sizeof *rules,
					    rules };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		t_skip("no seccomp filters here");
}

T_TEST(all_the_same_without_inheritance)
{
	refuse_inheritance();
	wake_sleepers();
	exclude();
}

T_TEST(keeps_handlers_out)
{
	struct rwi_signals saved;
	sigset_t before, inside, after;

	t_count_signals(0);
	sigemptyset(&before);
	sigaddset(&before, SIGWINCH);
	t_eq(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
	for (uint32_t round = 1; round <= 3; round++) {
		rwi_mutex_lock(&mutex, &saved);
		t_eq(raise(SIGUSR1), 0);
		t_eq(t_load(&t_signals), round - 1);
		t_eq(pthread_sigmask(SIG_SETMASK, NULL, &inside), 0);
		/* What a fault raises is not held back. */
		t_false(sigismember(&inside, SIGSEGV));
		t_true(sigismember(&inside, SIGTERM));
		rwi_mutex_unlock(&mutex, &saved);
		t_eq(t_load(&t_signals), round);
		t_eq(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
		t_true(sigismember(&after, SIGWINCH));
		t_false(sigismember(&after, SIGUSR1));
	}
}
