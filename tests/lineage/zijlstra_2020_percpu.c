/* SPDX-License-Identifier: MIT */
/*
 * zijlstra-2020-percpu: readers go to and fro between the fast path and being
 * careful; the writer's sum is right though it is no snapshot; and all works
 * without membarrier(2).
 */
#include "support/mix.h"

#include "designs/parts/percpu.h"
#include "port/port.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { THREADS = 3, ROUNDS = 1000, WRITES = 200, READS = 200 };

static unsigned char lock[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));
static const struct rwi_design *design;
static struct t_guarded guarded;
static uint32_t reads, stop, written, looking;

static void begin(void)
{
	design = rwi_design_find("zijlstra-2020-percpu");
	t_eq(design->init(lock), 0);
}

/* ---- To and fro ---- */

static void read_on(void *arg)
{
	(void)arg;
	while (!t_load(&stop)) {
		t_down_read(design, lock);
		t_enter_read(&guarded);
		t_leave_read(&guarded);
		t_up_read(design, lock);
		t_add(&reads, 1);
	}
}

/* So many reads between writes that readers calm down. */
T_TEST(to_and_fro)
{
	begin();
	t_threads(2, read_on, NULL);
	for (unsigned i = 0; i < t_rounds(WRITES); i++) {
		const uint32_t before = t_load(&reads);

		t_await(t_load(&reads) - before >= READS);
		t_down_write(design, lock);
		t_enter_write(&guarded);
		t_leave_write(&guarded);
		t_up_write(design, lock);
	}
	t_store(&stop, 1);
	t_join();
	t_eq(guarded.a, t_rounds(WRITES));
	design->destroy(lock);
}

/* ---- The sum ---- */

/* While the writer adds up, a reader is refused between any two counters. */
static void be_refused(struct rwi_point *point)
{
	static _Thread_local bool within;

	if (within || strcmp(point->name, "zijlstra_2020_percpu/sum") != 0)
		return;
	within = true;
	t_false(design->down_read_trylock(lock));
	t_add(&looking, 1);
	within = false;
}

static void write_once(void *arg)
{
	(void)arg;
	t_down_write(design, lock);
	t_store(&written, 1);
	t_up_write(design, lock);
}

T_TEST(the_sum_counts_every_holder)
{
	enum { ADDED_UP = 3 * RWI_CPUS };

	begin();
	t_down_read(design, lock);
	rwi_step_hook = be_refused;
	t_threads(1, write_once, NULL);
	t_await(t_load(&written) || t_load(&looking) >= ADDED_UP);
	t_eq(t_load(&written), 0);
	t_up_read(design, lock);
	t_join();
	t_eq(t_load(&written), 1);
	design->destroy(lock);
}

/* ---- Without membarrier ---- */

static bool refuse_membarrier(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof code / sizeof *code, code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
	       !rwi_membarrier();
}

T_TEST(without_membarrier)
{
	if (!refuse_membarrier())
		t_skip("the system does not let us refuse membarrier");
	begin();
	t_mix(design, lock, THREADS, t_rounds(ROUNDS), true);
	t_mix(design, lock, THREADS, t_rounds(ROUNDS), false);
	design->destroy(lock);
}
