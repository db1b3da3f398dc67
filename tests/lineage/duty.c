/* SPDX-License-Identifier: MIT */
/*
 * In the semaphores of 2013 and 2014 a release wakes nobody while somebody is
 * active, be it with an attempt that comes to nothing, or, in the last of them,
 * while somebody spins.  Then the duty is theirs: who takes an attempt back, or
 * has spun in vain, sees to the lock that is free by then.
 */
#include "support/designs.h"

#include "designs/parts/xadd.h"

#include <errno.h>
#include <string.h>

/* A step at which the first thread that comes is held. */
struct gate {
	const char *step;
	uint32_t reached, open;
};

static struct shared {
	const struct rwi_design *design;
	void *lock;
	struct gate first, second;
	bool let_go; /* of the write hold */
	uint32_t readers_in, writers_in;
} * now;

static unsigned char lock[RWI_LOCK_SIZE_MAX] __attribute__((aligned(64)));

static void hold(struct rwi_point *point)
{
	struct gate *gates[] = { &now->first, &now->second };

	for (int i = 0; i < 2; i++)
		if (gates[i]->step && !strcmp(gates[i]->step, point->name) &&
		    t_add(&gates[i]->reached, 1) == 0) {
			t_await(t_load(&gates[i]->open));
			t_doing("an operation, after its gate");
		}
}

static void begin(struct shared *s)
{
	memset(lock, 0, sizeof lock);
	s->lock = lock;
	now = s;
	rwi_step_hook = hold;
}

/* Everybody got in and the lock is idle. */
static void end(struct shared *s)
{
	t_join();
	rwi_step_hook = NULL;
	t_true(s->design->down_write_trylock(lock));
	t_up_write(s->design, lock);
	t_true(s->design->down_read_trylock(lock));
	t_up_read(s->design, lock);
}

static void read_once(void *arg)
{
	struct shared *s = arg;

	t_down_read(s->design, s->lock);
	t_add(&s->readers_in, 1);
	t_up_read(s->design, s->lock);
}

static void write_once(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_add(&s->writers_in, 1);
	t_await(t_load(&s->let_go));
	t_up_write(s->design, s->lock);
}

static bool is_of(const struct rwi_design *d, const char *file)
{
	return d->file && !strcmp(d->file, file);
}

/* ---- An attempt to steal, which is taken back ---- */

T_TEST(the_last_reader_leaves_during_an_attempt)
{
	struct shared s = { .design = rwi_design_find("shi-2013"),
			    .first.step = "shi_2013/refused",
			    .let_go = true };

	begin(&s);
	t_down_read(s.design, lock);
	t_threads(1, write_once, &s);
	t_await(t_load(&s.first.reached));
	t_up_read(s.design, lock);
	t_store(&s.first.open, 1);
	end(&s);
	t_eq(s.writers_in, 1);
}

/* ---- A grant to readers, which is taken back ---- */

/*
 * (Not in shi-2013, where nobody passes a reader at the head.)
 *
 * A writer leaves the word, and before it sees to the reader who waits another
 * one gets in, and leaves again while the reader is let in and is not.
 */
static void meet_a_thief(const struct rwi_design *design)
{
	struct shared s = { .design = design,
			    .first.step = "xadd/released",
			    .second.step = "xadd/stolen" };
	unsigned writer;

	begin(&s);
	writer = t_threads(1, write_once, &s);
	t_await(t_load(&s.writers_in));
	t_await_asleep(t_threads(1, read_once, &s));
	t_store(&s.let_go, true);
	t_await(t_load(&s.first.reached));
	t_down_write(design, lock);
	t_store(&s.first.open, 1);
	t_await(t_load(&s.second.reached) || t_finished(writer));
	t_sleep_us(1000);
	t_eq(t_load(&s.readers_in), 0);
	t_up_write(design, lock);
	t_store(&s.second.open, 1);
	end(&s);
	t_eq(s.readers_in, 1);
}

T_TEST(a_thief_comes_and_goes_during_a_grant)
{
	static const char *const files[] = { "lespinasse_2013.c", "chen_2013.c",
					     "bueso_2014.c", "long_2014.c" };

	for (const struct rwi_design *const *d = rwi_designs; *d; d++)
		for (size_t i = 0; i < sizeof files / sizeof *files; i++)
			if (is_of(*d, files[i]))
				meet_a_thief(*d);
}

/* ---- A spinner, to whom a release left the waiters ---- */

/*
 * A queued writer is woken, finds the lock taken, spins and gets nothing; the
 * lock is released while there is still a spinner in line.
 */
T_TEST(a_release_relies_on_a_spinner)
{
	struct rwi_xadd_owned *owned = (struct rwi_xadd_owned *)lock;
	struct shared s = { .design = rwi_design_find("long-2014"),
			    .first.step = "long_2014/respins",
			    .second.step = "long_2014/spun",
			    .let_go = true };
	struct rwi_spin spin;
	uint32_t number;

	begin(&s);
	t_down_write(s.design, lock);
	t_await_asleep(t_threads(1, write_once, &s));
	t_up_write(s.design, lock);
	t_await(t_load(&s.first.reached));
	t_down_write(s.design, lock);
	rwi_spin_start(&spin, 0);
	number = rwi_osq_lock(&owned->spinners, &spin);
	t_true(number != 0);
	t_store(&s.first.open, 1);
	t_await(t_load(&s.second.reached));
	t_up_write(s.design, lock);
	rwi_osq_unlock(&owned->spinners, number);
	t_store(&s.second.open, 1);
	end(&s);
	t_eq(s.writers_in, 1);
}

/* ---- A reader that met a writer who has gone ---- */

static void join_readers(const char *name, bool at_once)
{
	struct shared s = { .design = rwi_design_find(name),
			    .first.step = "xadd/arrived" };
	unsigned reader;

	begin(&s);
	t_down_write(s.design, lock);
	reader = t_threads(1, read_once, &s);
	t_await(t_load(&s.first.reached));
	t_up_write(s.design, lock);
	t_down_read(s.design, lock);
	t_store(&s.first.open, 1);
	if (at_once)
		t_await(t_finished(reader));
	else
		t_await_asleep(reader);
	t_eq(t_load(&s.readers_in), at_once);
	t_up_read(s.design, lock);
	end(&s);
	t_eq(s.readers_in, 1);
}

/* Since the twelfth patch of 2013 it does not sleep beside readers. */
T_TEST(a_late_reader_joins_readers)
{
	join_readers("shi-2013", false);
	join_readers("lespinasse-2013", false);
	join_readers("lespinasse-2013-readers", true);
	join_readers("lespinasse-2013-fast", true);
	join_readers("chen-2013", true);
	join_readers("bueso-2014", true);
	join_readers("long-2014", true);
}

/* ---- Nobody to look at ---- */

static void give_up(void *arg)
{
	const struct rwi_design *design = arg;
	const struct timespec soon = t_in_us(CLOCK_MONOTONIC, 1000);

	t_doing("down_write_until");
	t_eq(design->down_write_until(lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
	t_doing(NULL);
}

T_TEST(spinning_ends_with_readers_inside)
{
	static const char *const names[] = { "chen-2013-spin", "chen-2013",
					     "bueso-2014", "long-2014" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct rwi_design *design = rwi_design_find(names[i]);

		t_down_read(design, lock);
		t_threads(1, give_up, (void *)(uintptr_t)design);
		t_join();
		t_up_read(design, lock);
	}
}
