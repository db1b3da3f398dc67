/* SPDX-License-Identifier: MIT */
/*
 * A waiter that has been granted the lock may return at once and use its stack
 * for other things; whoever granted it looks there no more.
 */
#include "support/designs.h"

#include "port/port.h"

#include <string.h>

enum { READERS = 3, STACK_BYTES = 8192 };

static unsigned char lock[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));
static uint32_t told, spoilt;
static bool leave;

/* Overwrite where the waiter was. */
static RWI_NOINLINE void spoil_stack(void)
{
	unsigned char below[STACK_BYTES];

	memset(below, 0xff, sizeof below);
	__asm__ volatile("" ::"r"(below) : "memory");
}

/* The waker goes on when all that it has told so far have done their worst. */
static void await_spoilt(struct rwi_point *point)
{
	if (strcmp(point->name, "howells_2001_spinlock/reader_told") != 0)
		return;
	t_add(&told, 1);
	t_await(t_load(&spoilt) >= told);
}

static void read_once(void *arg)
{
	const struct rwi_design *design = arg;

	t_down_read(design, lock);
	spoil_stack();
	t_add(&spoilt, 1);
	t_await(t_load(&leave));
	t_up_read(design, lock);
}

T_TEST(nobody_looks_at_a_granted_waiter)
{
	const struct rwi_design *d = rwi_design_find("howells-2001-spinlock");
	void *design = (void *)(uintptr_t)d;

	rwi_step_hook = await_spoilt;
	t_down_write(d, lock);
	for (unsigned i = 0; i < READERS; i++)
		t_await_asleep(t_threads(1, read_once, design));
	t_up_write(d, lock);
	t_eq(told, READERS);
	t_store(&leave, true);
	t_join();
}
