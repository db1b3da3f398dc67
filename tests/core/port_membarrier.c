/* SPDX-License-Identifier: MIT */
/*
 * rwi_membarrier() orders other threads: of a thread that stores and loads with
 * no fence between, and one that has this call between, at least one sees the
 * other's store.
 */
#include "support/t.h"

#include "port/port.h"

enum { ROUNDS = 20000 };

static struct t_meeting start = { 2, 0, 0 }, stop = { 2, 0, 0 };

/* On lines of their own. */
static struct {
	uint32_t value;
} __attribute__((aligned(128))) mine, yours, seen[2];

static void without_fence(void *arg)
{
	(void)arg;
	for (unsigned i = 1; i <= t_rounds(ROUNDS); i++) {
		t_meet(&start);
		t_store(&mine.value, i);
		__asm__ volatile("" ::: "memory");
		seen[0].value = t_load(&yours.value) == i;
		t_meet(&stop);
	}
}

static void with_call(void *arg)
{
	(void)arg;
	for (unsigned i = 1; i <= t_rounds(ROUNDS); i++) {
		t_meet(&start);
		t_store(&yours.value, i);
		t_true(rwi_membarrier());
		seen[1].value = t_load(&mine.value) == i;
		t_meet(&stop);
		t_true(seen[0].value || seen[1].value);
	}
}

T_TEST(one_of_two_sees_the_other)
{
	if (!rwi_membarrier())
		t_skip("the system has no private expedited membarrier");
	t_threads(1, without_fence, NULL);
	t_threads(1, with_call, NULL);
	t_join();
}
