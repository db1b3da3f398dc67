/* SPDX-License-Identifier: MIT */
/*
 * Readers that come and turn back while a writer adds up arrivals and
 * departures do not make up for one that is inside; and a group may hand the
 * lock on as often as it may.
 */
#include "support/designs.h"
#include "support/steps.h"

#include "port/port.h"

#include <stdalign.h>

static alignas(64) unsigned char lock[RWI_LOCK_SIZE_MAX];
static const struct rwi_design *design;
static struct t_guarded guarded;
static uint32_t inside, leave, writes;
static bool started; /* by a thread that is not the main one */

static void begin(void)
{
	design = rwi_design_find("calciu-2013-c-rw-wp");
	t_true(design);
}

static void read_once(void *arg)
{
	(void)arg;
	t_down_read(design, lock);
	t_enter_read(&guarded);
	t_leave_read(&guarded);
	t_up_read(design, lock);
}

static void read_long(void *arg)
{
	(void)arg;
	t_down_read(design, lock);
	t_enter_read(&guarded);
	t_store(&inside, 1);
	t_await(t_load(&leave));
	t_leave_read(&guarded);
	t_up_read(design, lock);
}

/* It arrives, finds the writer announced, departs and waits. */
static void come_and_turn_back(void *arg)
{
	(void)arg;
	t_await_asleep(t_threads(1, read_once, NULL));
	t_store_release(&started, true);
}

static void write_past_reader(void *arg)
{
	(void)arg;
	t_at_step("calciu_2013_c_rw_wp/adding_up", come_and_turn_back, NULL);
	t_down_write(design, lock);
	t_enter_write(&guarded);
	t_add(&writes, 1);
	t_leave_write(&guarded);
	t_up_write(design, lock);
	t_all_steps_taken();
}

T_TEST(a_reader_turns_back_beside_another)
{
	begin();
	t_threads(1, read_long, NULL);
	t_await(t_load(&inside));
	t_threads(1, write_past_reader, NULL);
	t_await(t_load_acquire(&started));
	t_sleep_us(20000);
	t_eq(t_load(&writes), 0);
	t_store(&leave, 1);
	t_join();
	t_eq(writes, 1);
}

/* A reader that comes after a writer has looked and before it has the lock. */
static void come_to_stay(void *arg)
{
	(void)arg;
	t_threads(1, read_long, NULL);
	t_await(t_load(&inside));
	t_store_release(&started, true);
}

static void write_past_newcomer(void *arg)
{
	(void)arg;
	t_at_step("calciu_2013_c_rw_wp/first_of_group", come_to_stay, NULL);
	t_down_write(design, lock);
	t_enter_write(&guarded);
	t_add(&writes, 1);
	t_leave_write(&guarded);
	t_up_write(design, lock);
	t_all_steps_taken();
}

T_TEST(a_reader_comes_before_the_announcement)
{
	begin();
	t_threads(1, write_past_newcomer, NULL);
	t_await(t_load_acquire(&started));
	t_sleep_us(20000);
	t_eq(t_load(&writes), 0);
	t_store(&leave, 1);
	t_join();
	t_eq(writes, 1);
}

/* ---- Patience ---- */

static void write_again_and_again(void *arg)
{
	(void)arg;
	while (!t_load(&leave)) {
		t_down_write(design, lock);
		t_enter_write(&guarded);
		/* Off the CPU, so that the other one queues meanwhile. */
		t_sleep_us(200);
		t_leave_write(&guarded);
		t_up_write(design, lock);
		t_add(&writes, 1);
	}
}

/* Writers of which one always waits, so that only patience lets a reader in. */
T_TEST(patience_ends)
{
	begin();
	rwi_tunables.patience_ns = 1000000;
	t_threads(2, write_again_and_again, NULL);
	t_await(t_load(&writes));
	for (int i = 0; i < 5; i++)
		read_once(NULL);
	t_store(&leave, 1);
	t_join();
}
