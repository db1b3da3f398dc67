/* SPDX-License-Identifier: MIT */
/*
 * Process-wide state is zero at the start and in every forked child, whichever
 * call made it; thread ids are right there, too.
 */
#include "support/t.h"

#include "port/port.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool all_zero(const unsigned char *bytes, size_t size)
{
	while (size && !*bytes)
		bytes++, size--;
	return !size;
}

static pid_t by_fork(void)
{
	return fork();
}

static pid_t by_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static pid_t (*const new_process[])(void) = { by_fork, by_clone };

static uint32_t real_thread_id(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static void expect_success(pid_t pid)
{
	int status;

	t_true(pid > 0);
	t_eq(waitpid(pid, &status, 0), pid);
	t_eq(status, 0);
}

/*
 * Does the system keep its word about MADV_WIPEONFORK?  An emulator may not;
 * then only children that run the handlers of pthread_atfork() are right.
 */
static bool wipes_on_fork(void)
{
	int status;
	pid_t pid;
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	t_true((void *)page != MAP_FAILED);
	if (madvise(page, 4096, MADV_WIPEONFORK))
		return false;
	*page = 1;
	pid = by_clone();
	if (pid == 0)
		syscall(SYS_exit_group, *page);
	t_true(pid > 0);
	t_eq(waitpid(pid, &status, 0), pid);
	return status == 0;
}

static unsigned ways = 2;

/* In the child of a process of that generation; makes children of its own. */
static void look_around(uint32_t generation, unsigned depth)
{
	unsigned char *state = rwi_process_state();
	const uint32_t mine = rwi_process_generation();

	t_true(all_zero(state, RWI_PROCESS_BYTES));
	t_true(mine != 0);
	t_true(mine != generation);
	t_eq(rwi_process_generation(), mine);
	t_eq(rwi_thread_id(), real_thread_id());
	memset(state, 0xa5, RWI_PROCESS_BYTES);
	for (unsigned i = 0; depth && i < ways; i++) {
		const pid_t pid = new_process[i]();

		if (pid == 0) {
			look_around(mine, depth - 1);
			_exit(0);
		}
		expect_success(pid);
		t_eq(rwi_process_generation(), mine);
	}
	t_eq(state[0], 0xa5);
	t_eq(state[RWI_PROCESS_BYTES - 1], 0xa5);
}

T_TEST(state_is_zero_in_every_child)
{
	unsigned char *state = rwi_process_state();

	if (!wipes_on_fork()) {
		t_say("  the system does not wipe on fork: fork() only\n");
		ways = 1;
	}
	t_eq((uintptr_t)state % 64, 0);
	t_true(rwi_process_state() == state);
	/* This very process is a child: of the program's. */
	look_around(0, 2);
}

/* ---- Threads ---- */

enum { THREADS = 8 };
static uint32_t ids[THREADS];
static struct t_meeting all_here = { THREADS, 0, 0 };

static void note_id(void *arg)
{
	(void)arg;
	ids[t_index()] = rwi_thread_id();
	t_eq(rwi_thread_id(), real_thread_id());
	t_eq(rwi_thread_id(), ids[t_index()]);
	t_true(all_zero(rwi_thread_record(), RWI_THREAD_BYTES));
	memset(rwi_thread_record(), 0x5a, RWI_THREAD_BYTES);
	/* Unique among the living. */
	t_meet(&all_here);
}

T_TEST(ids_and_records_of_threads)
{
	t_threads(THREADS, note_id, NULL);
	t_join();
	for (unsigned i = 0; i < THREADS; i++) {
		t_true(ids[i] != 0);
		for (unsigned k = 0; k < i; k++)
			t_true(ids[i] != ids[k]);
	}
}
