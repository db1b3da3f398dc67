/* SPDX-License-Identifier: MIT */
/*
 * All nodes can be in use, and more threads wait for one.  And a reader that
 * was the last one to leave, and is delayed before it lets the
 * next writer in, lets in none that has been named in the meantime behind
 * readers who are still inside.
 */
#include "support/designs.h"
#include "support/steps.h"

#include <stdalign.h>

static alignas(64) unsigned char lock[RWI_LOCK_SIZE_MAX];
static const struct rwi_design *design;
static struct t_guarded guarded;

/* Readers by number: are they inside, may they leave, have they left? */
enum { READERS = 4 };
static struct {
	uint32_t inside, leave, left;
} readers[READERS];
static uint32_t writes, write_again, late_reader_stays, late_reader_here;

static void stay_late(void *arg)
{
	(void)arg;
	t_store(&late_reader_here, 1);
	t_await(!t_load(&late_reader_stays));
}

static void read_as(unsigned i)
{
	t_down_read(design, lock);
	t_enter_read(&guarded);
	t_store(&readers[i].inside, 1);
	t_await(t_load(&readers[i].leave));
	t_leave_read(&guarded);
	t_up_read(design, lock);
	t_store(&readers[i].left, 1);
}

static void read_0(void *arg)
{
	(void)arg;
	read_as(0);
}

static void read_1(void *arg)
{
	(void)arg;
	read_as(1);
}

static void read_2_stay_late(void *arg)
{
	(void)arg;
	t_at_step("mellor_crummey_1991_mcs/last_reader", stay_late, NULL);
	read_as(2);
	t_all_steps_taken();
}

static void write_once(void)
{
	t_down_write(design, lock);
	t_enter_write(&guarded);
	t_leave_write(&guarded);
	t_up_write(design, lock);
	t_add(&writes, 1);
}

static void write_one(void *arg)
{
	(void)arg;
	write_once();
}

static void write_two(void *arg)
{
	(void)arg;
	write_once();
	t_await(t_load(&write_again));
	write_once();
}

static void start_reader(unsigned i, void (*body)(void *))
{
	t_threads(1, body, NULL);
	t_await(t_load(&readers[i].inside));
}

static void let_leave(unsigned i)
{
	t_store(&readers[i].leave, 1);
	t_await(t_load(&readers[i].left));
}

/* Somebody else must not get in now; give it the time to try. */
static void nobody_writes(uint32_t but)
{
	t_sleep_us(20000);
	t_eq(t_load(&writes), but);
}

static void begin(void)
{
	design = rwi_design_find("mellor-crummey-1991-mcs");
	t_true(design);
}

/* ---- Delayed before it looks for the writer ---- */

static void name_a_writer(void *arg)
{
	(void)arg;
	start_reader(0, read_0);
	start_reader(1, read_1);
	t_await_asleep(t_threads(1, write_one, NULL));
	/* The one in front of the writer leaves, the other stays. */
	let_leave(1);
}

T_TEST(a_writer_named_behind_readers)
{
	begin();
	t_down_read(design, lock);
	t_at_step("mellor_crummey_1991_mcs/last_reader", name_a_writer, NULL);
	t_up_read(design, lock);
	t_all_steps_taken();
	nobody_writes(0);
	let_leave(0);
	t_join();
	t_eq(writes, 1);
}

/* ---- Delayed before it takes the writer's name ---- */

/*
 * Another reader comes, a writer behind it, and the reader leaves as the last
 * one.  So there are two who let the writer in.
 */
static void be_two(void *arg)
{
	(void)arg;
	t_store(&late_reader_stays, 1);
	start_reader(2, read_2_stay_late);
	t_await_asleep(t_threads(1, write_two, NULL));
	t_store(&readers[2].leave, 1);
	t_await(t_load(&late_reader_here));
}

/* The other one does it.  Then the same writer waits behind new readers. */
static void name_it_again(void *arg)
{
	(void)arg;
	t_store(&late_reader_stays, 0);
	t_await(t_load(&writes) == 1);
	t_await(t_load(&readers[2].left));
	start_reader(0, read_0);
	start_reader(1, read_1);
	t_store(&write_again, 1);
	t_sleep_us(20000);
	let_leave(1);
}

T_TEST(the_same_writer_named_again)
{
	begin();
	t_down_read(design, lock);
	t_at_step("mellor_crummey_1991_mcs/last_reader", be_two, NULL);
	t_at_step("mellor_crummey_1991_mcs/nobody_inside", name_it_again, NULL);
	t_up_read(design, lock);
	t_all_steps_taken();
	nobody_writes(1);
	let_leave(0);
	t_join();
	t_eq(writes, 2);
}

/* ---- All nodes in use ---- */

enum { NODES = 1024, WITHOUT_NODE = 3 };

T_TEST(more_holds_than_nodes)
{
	begin();
	for (int i = 0; i < NODES; i++)
		t_down_read(design, lock);
	for (int i = 0; i < WITHOUT_NODE; i++)
		t_await_asleep(t_threads(1, write_one, NULL));
	for (int i = 0; i < NODES; i++) {
		t_eq(t_load(&writes), 0);
		t_up_read(design, lock);
	}
	t_join();
	t_eq(writes, WITHOUT_NODE);
}
