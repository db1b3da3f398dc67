/* SPDX-License-Identifier: MIT */
/*
 * A downgrade leaves no gap for a writer, lets in the readers that wait, and
 * shows them what was written.
 */
#include "support/designs.h"

enum { READERS = 3, ROUNDS = 20, WRITERS = 3, CHANGES = 2000 };

struct shared {
	const struct rwi_design *design;
	void *lock;
	uint64_t value;
	uint32_t readers_in, writer_in;
	bool may_leave;
	struct t_guarded guarded;
};

static void read_value(void *arg)
{
	struct shared *s = arg;

	t_down_read(s->design, s->lock);
	t_eq(s->value, t_load(&s->writer_in) ? 2 : 1);
	t_add(&s->readers_in, 1);
	t_await(t_load(&s->may_leave));
	t_up_read(s->design, s->lock);
}

static void write_value(void *arg)
{
	struct shared *s = arg;

	t_down_write(s->design, s->lock);
	t_store(&s->writer_in, 1);
	s->value = 2;
	t_up_write(s->design, s->lock);
}

/*
 * Readers and a writer wait.  All readers get in beside the one that was a
 * writer, whether the writer came before them or after, and it does not; where
 * the order of arrival counts, the readers that came before the writer do, and
 * so do these at least in locks that are not the semaphore.
 */
T_DESIGNS(waiting_readers_get_in, T_DOWNGRADE)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct shared s = { .design = design, .lock = lock };
		const unsigned place = round % (READERS + 1);

		t_down_write(design, lock);
		for (unsigned i = 0; i <= READERS; i++)
			t_await_asleep(i == place
					   ? t_threads(1, write_value, &s)
					   : t_threads(1, read_value, &s));
		s.value = 1;
		t_doing("downgrade_write");
		design->downgrade_write(lock);
		t_doing(NULL);
		t_await(t_load(&s.readers_in) >=
			(t_is_rwsem(design) ? READERS : place));
		if (design->traits & RWI_FIFO)
			t_eq(t_load(&s.readers_in), place);
		t_eq(t_load(&s.writer_in), 0);
		t_eq(s.value, 1);
		t_up_read(design, lock);
		t_store(&s.may_leave, true);
		t_join();
		t_eq(s.value, 2);
	}
}

static void change(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < t_rounds(CHANGES); i++) {
		uint64_t mine;

		t_down_write(s->design, s->lock);
		t_enter_write(&s->guarded);
		mine = s->guarded.a;
		t_downgrade(&s->guarded);
		t_doing("downgrade_write");
		s->design->downgrade_write(s->lock);
		t_doing(NULL);
		t_eq(s->guarded.a, mine);
		t_eq(s->guarded.b, mine);
		t_leave_read(&s->guarded);
		t_up_read(s->design, s->lock);
	}
}

T_DESIGNS(no_writer_in_between, T_DOWNGRADE)
{
	struct shared s = { .design = design, .lock = lock };

	t_threads(WRITERS, change, &s);
	t_join();
	t_eq(s.guarded.a, WRITERS * t_rounds(CHANGES));
}
