/* SPDX-License-Identifier: MIT */
/*
 * Biased readers and the writer that ends the bias never miss each other, at
 * whichever point they meet; a try for writing that meets a reader's try lets
 * it in; and a thread may read more often than it can remember.
 */
#include "support/designs.h"
#include "support/steps.h"

#include <stdalign.h>

enum { MANY = 100 };

static alignas(64) unsigned char lock[RWI_LOCK_SIZE_MAX];
static const struct rwi_design *design;
static struct t_guarded guarded;
static uint32_t inside, leave, writes;
static bool started; /* by a thread that is not the main one */

/* A lock that is biased: by its first reader. */
static void begin(void)
{
	design = rwi_design_find("dice-2019-bravo");
	t_true(design);
	t_down_read(design, lock);
	t_up_read(design, lock);
}

static void write_long(void *arg)
{
	(void)arg;
	t_down_write(design, lock);
	t_enter_write(&guarded);
	t_sleep_us(20000);
	t_add(&writes, 1);
	t_leave_write(&guarded);
	t_up_write(design, lock);
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

/* ---- A writer comes while a reader reads by its slot ---- */

static void let_writer_wait(void *arg)
{
	(void)arg;
	t_await_asleep(t_threads(1, write_long, NULL));
}

static void let_writer_in(void *arg)
{
	(void)arg;
	t_threads(1, write_long, NULL);
	t_await(t_load(&guarded.inside));
}

static void read_around(const char *step, void (*act)(void *))
{
	begin();
	t_store(&leave, 1);
	t_at_step(step, act, NULL);
	read_long(NULL);
	t_all_steps_taken();
	t_join();
	t_eq(writes, 1);
}

T_TEST(a_writer_comes_before_the_slot_is_filled)
{
	read_around("dice_2019_bravo/was_biased", let_writer_in);
}

T_TEST(a_writer_comes_when_the_slot_is_filled)
{
	read_around("dice_2019_bravo/published", let_writer_wait);
}

/* ---- A reader comes while a writer ends the bias ---- */

static void come_by_slot(void *arg)
{
	(void)arg;
	t_threads(1, read_long, NULL);
	t_await(t_load(&inside));
	t_store_release(&started, true);
}

static void come_and_wait(void *arg)
{
	(void)arg;
	t_await_asleep(t_threads(1, read_long, NULL));
	t_store_release(&started, true);
}

static void write_beside_slot(void *arg)
{
	(void)arg;
	t_at_step("dice_2019_bravo/revoking", come_by_slot, NULL);
	write_long(NULL);
	t_all_steps_taken();
}

static void write_beside_waiter(void *arg)
{
	(void)arg;
	t_at_step("dice_2019_bravo/bias_ended", come_and_wait, NULL);
	write_long(NULL);
	t_all_steps_taken();
}

T_TEST(a_reader_comes_before_the_bias_has_ended)
{
	begin();
	t_threads(1, write_beside_slot, NULL);
	t_await(t_load_acquire(&started));
	t_sleep_us(20000);
	t_eq(t_load(&writes), 0);
	t_store(&leave, 1);
	t_join();
	t_eq(writes, 1);
}

T_TEST(a_reader_comes_when_the_bias_has_ended)
{
	begin();
	t_threads(1, write_beside_waiter, NULL);
	t_await(t_load_acquire(&started));
	t_await(t_load(&inside));
	t_eq(t_load(&writes), 1);
	t_store(&leave, 1);
	t_join();
}

/* ---- Tries ---- */

static uint32_t reader_got_in;

static void try_to_read(void *arg)
{
	(void)arg;
	t_store(&reader_got_in, design->down_read_trylock(lock));
	t_store(&inside, 1);
	t_await(t_load(&leave));
	if (reader_got_in)
		design->up_read(lock);
}

static void meet_a_reader(void *arg)
{
	(void)arg;
	t_threads(1, try_to_read, NULL);
	t_await(t_load(&inside));
}

T_TEST(a_reader_foils_a_try)
{
	begin();
	t_at_step("dice_2019_bravo/bias_ended", meet_a_reader, NULL);
	t_false(design->down_write_trylock(lock));
	t_all_steps_taken();
	t_eq(t_load(&reader_got_in), 1);
	t_store(&leave, 1);
	t_join();
	t_true(design->down_write_trylock(lock));
	design->up_write(lock);
}

/* ---- More than a thread can remember ---- */

static void hold_many(void *arg)
{
	(void)arg;
	for (int i = 0; i < MANY; i++)
		t_down_read(design, lock);
	t_enter_read(&guarded);
	t_store(&inside, 1);
	t_await(t_load(&leave));
	t_leave_read(&guarded);
	for (int i = 0; i < MANY; i++)
		t_up_read(design, lock);
}

T_TEST(many_holds)
{
	begin();
	t_threads(1, hold_many, NULL);
	t_await(t_load(&inside));
	t_await_asleep(t_threads(1, write_long, NULL));
	t_eq(t_load(&writes), 0);
	t_store(&leave, 1);
	t_join();
	t_eq(writes, 1);
}
