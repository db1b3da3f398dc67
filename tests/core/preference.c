/* SPDX-License-Identifier: MIT */
/* Who is passed over by whom, before and after patience has ended. */
#include "support/t.h"

#include "port/port.h"
#include "rwsem/rwsem.h"

enum { FOR_EVER_NS = 4000000000u };

static rwsem_t sem;
static uint32_t turn, reader_turn, writer_turn;

static void read_once(void *arg)
{
	(void)arg;
	t_doing("down_read");
	rwsem_down_read(&sem);
	t_store(&reader_turn, t_add(&turn, 1) + 1);
	rwsem_up_read(&sem);
	t_doing(NULL);
}

static void write_once(void *arg)
{
	(void)arg;
	t_doing("down_write");
	rwsem_down_write(&sem);
	t_store(&writer_turn, t_add(&turn, 1) + 1);
	rwsem_up_write(&sem);
	t_doing(NULL);
}

/*
 * Let waiters of both sides queue behind a hold, the given one first; say who
 * was served first.
 */
static bool writer_came_first(unsigned flags, void (*first)(void *),
			      void (*second)(void *))
{
	t_store(&turn, 0);
	t_eq(rwsem_init(&sem, flags), 0);
	rwsem_down_write(&sem);
	t_await_asleep(t_threads(1, first, NULL));
	t_await_asleep(t_threads(1, second, NULL));
	rwsem_up_write(&sem);
	t_join();
	return writer_turn < reader_turn;
}

static void try_read(void *arg)
{
	bool *got = arg;

	*got = rwsem_down_read_trylock(&sem);
	if (*got)
		rwsem_up_read(&sem);
}

/* Does a newcomer read beside a reader while a writer waits? */
static bool reader_passes_writer(unsigned flags)
{
	unsigned newcomer;
	bool passes;

	t_eq(rwsem_init(&sem, flags), 0);
	rwsem_down_read(&sem);
	t_await_asleep(t_threads(1, write_once, NULL));
	newcomer = t_threads(1, try_read, &passes);
	t_await(t_finished(newcomer));
	rwsem_up_read(&sem);
	t_join();
	return passes;
}

/* Waiters sleep at once, and sleep on. */
static void no_spinning(uint32_t patience_ns)
{
	rwi_tunables.arrival_spin_ns = 0;
	rwi_tunables.patience_ns = patience_ns;
}

T_TEST(fair_is_in_order_of_arrival)
{
	no_spinning(FOR_EVER_NS);
	t_true(writer_came_first(0, write_once, read_once));
	t_false(writer_came_first(0, read_once, write_once));
	t_false(reader_passes_writer(0));
	t_true(writer_came_first(RWSEM_RECURSIVE_READ, write_once, read_once));
	t_false(writer_came_first(RWSEM_DEBUG, read_once, write_once));
	t_false(reader_passes_writer(RWSEM_RECURSIVE_READ));
	t_false(reader_passes_writer(RWSEM_DEBUG));
}

T_TEST(readers_first)
{
	no_spinning(FOR_EVER_NS);
	t_false(writer_came_first(RWSEM_PREFER_READERS, write_once, read_once));
	t_false(writer_came_first(RWSEM_PREFER_READERS, read_once, write_once));
	t_true(reader_passes_writer(RWSEM_PREFER_READERS));
}

/*
 * Nothing else happens when a writer's patience ends, so it has to see to that
 * itself, and not at the end of a slice.
 */
T_TEST(a_writer_sees_the_end_of_its_patience)
{
	enum { PATIENCE_NS = 5000000, LIMIT_NS = 2000000000 };
	uint64_t start;
	bool passes = true;

	no_spinning(PATIENCE_NS);
	rwi_tunables.slice_ns_min = FOR_EVER_NS;
	t_eq(rwsem_init(&sem, RWSEM_PREFER_READERS), 0);
	rwsem_down_read(&sem);
	t_await_asleep(t_threads(1, write_once, NULL));
	start = t_now_ns(CLOCK_MONOTONIC);
	while (passes) {
		t_pause();
		passes = rwsem_down_read_trylock(&sem);
		if (passes)
			rwsem_up_read(&sem);
	}
	t_le(t_now_ns(CLOCK_MONOTONIC) - start, LIMIT_NS);
	rwsem_up_read(&sem);
	t_join();
}

T_TEST(writers_first)
{
	no_spinning(FOR_EVER_NS);
	t_true(writer_came_first(RWSEM_PREFER_WRITERS, write_once, read_once));
	t_true(writer_came_first(RWSEM_PREFER_WRITERS, read_once, write_once));
	t_false(reader_passes_writer(RWSEM_PREFER_WRITERS));
}

T_TEST(without_patience_every_policy_is_fair)
{
	static const unsigned flags[] = { RWSEM_PREFER_READERS,
					  RWSEM_PREFER_WRITERS };

	no_spinning(0);
	for (int i = 0; i < 2; i++) {
		t_true(writer_came_first(flags[i], write_once, read_once));
		t_false(writer_came_first(flags[i], read_once, write_once));
		t_false(reader_passes_writer(flags[i]));
	}
}
