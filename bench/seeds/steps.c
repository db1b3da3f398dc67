/* SPDX-License-Identifier: MIT */
/*
 * Instructions are a number that no noise reaches, but hardware that counts
 * them is often out of reach in virtual machines.  A debugger's single steps do
 * it anywhere.  What is around the pairs goes out by taking the difference of
 * many pairs and few.
 */
#define _GNU_SOURCE /* kill, ptrace */
#include "bench/seeds/steps.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FEW = 1, MANY = 9, STEPS_MAX = 20000 };

static void read_pairs(const struct rwi_design *design, void *lock,
		       unsigned pairs)
{
	while (pairs--) {
		design->down_read(lock);
		design->up_read(lock);
	}
}

/* Stop, do it, stop again; the parent counts what is between. */
static void be_counted(const struct rwi_design *design, void *lock,
		       unsigned pairs)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	/* The first pair may prepare what later ones find. */
	read_pairs(design, lock, FEW);
	kill(getpid(), SIGSTOP);
	read_pairs(design, lock, pairs);
	kill(getpid(), SIGSTOP);
	_exit(0);
}

/* The signal that stopped the child; 0 if it is not stopped, but gone. */
static int wait_for_stop(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) != child)
		if (errno != EINTR)
			return 0;
	return WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

/* Steps between two stops, or -1; then *signal is as above. */
static long count(pid_t child, int *signal)
{
	*signal = wait_for_stop(child);
	if (*signal != SIGSTOP ||
	    ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL))
		return -1;
	for (long steps = 0; steps < STEPS_MAX; steps++) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL))
			return -1;
		*signal = wait_for_stop(child);
		if (*signal == SIGSTOP)
			return steps;
		if (*signal != SIGTRAP)
			return -1;
	}
	return -1;
}

static long steps_of(const struct rwi_design *design, void *lock,
		     unsigned pairs)
{
	const pid_t child = fork();
	int signal;
	long steps;

	if (child < 0)
		return -1;
	if (!child)
		be_counted(design, lock, pairs);
	steps = count(child, &signal);
	if (!signal)
		return -1;
	kill(child, SIGKILL);
	while (wait_for_stop(child))
		;
	return steps;
}

double rwi_steps_of_read_pair(const struct rwi_design *design, void *lock)
{
	const long few = steps_of(design, lock, FEW);
	const long many = few < 0 ? -1 : steps_of(design, lock, MANY);

	return many < few || few < 0 ? 0 : (double)(many - few) / (MANY - FEW);
}
