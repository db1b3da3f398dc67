/* SPDX-License-Identifier: MIT */
/*
 * A reader that comes while one writer follows another, at any point of the
 * change, is inside with neither, and is inside before the next but one.
 */
#include "support/designs.h"
#include "support/steps.h"

#include <stdalign.h>

static alignas(64) unsigned char lock[RWI_LOCK_SIZE_MAX];
static const struct rwi_design *design;
static struct t_guarded guarded;
static uint32_t writes, writes_at_read;

static void write_long(void *arg)
{
	(void)arg;
	t_down_write(design, lock);
	t_enter_write(&guarded);
	t_sleep_us(20000);
	t_leave_write(&guarded);
	t_add(&writes, 1);
	t_up_write(design, lock);
}

static void read_once(void *arg)
{
	(void)arg;
	t_down_read(design, lock);
	t_enter_read(&guarded);
	t_store(&writes_at_read, t_load(&writes));
	t_leave_read(&guarded);
	t_up_read(design, lock);
}

static void come_to_read(void *arg)
{
	(void)arg;
	t_await_asleep(t_threads(1, read_once, NULL));
}

static void change_of_writers(void (*before)(void *))
{
	design = rwi_design_find("brandenburg-2009-phase-fair");
	t_true(design);
	t_down_write(design, lock);
	if (before)
		before(NULL);
	for (int i = 0; i < 2; i++)
		t_await_asleep(t_threads(1, write_long, NULL));
	if (!before)
		t_at_step("brandenburg_2009_phase_fair/between_phases",
			  come_to_read, NULL);
	t_up_write(design, lock);
	t_all_steps_taken();
	t_join();
	t_eq(writes, 2);
	t_le(writes_at_read, 1);
}

T_TEST(a_reader_between_two_phases)
{
	change_of_writers(NULL);
}

T_TEST(a_reader_before_the_change)
{
	change_of_writers(come_to_read);
}
