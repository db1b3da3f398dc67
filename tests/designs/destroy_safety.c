/* SPDX-License-Identifier: MIT */
/*
 * Whoever acquires next may unmap the lock while the release before it still
 * returns: a release touches the lock no more after it has given it away.
 */
#include "support/designs.h"

#include <sys/mman.h>

enum { ROUNDS = 4000, SPREAD = 400 };

enum turn { WRITE_WRITE, WRITE_READ, READ_WRITE, TURNS };

struct shared {
	const struct rwi_design *design;
	void *offered; /* a held lock on a page of its own */
	uint32_t taken;
};

static void spend(uint32_t loops)
{
	for (uint32_t i = 0; i < loops; i++)
		__asm__ volatile("");
}

/* Acquire what is offered, release it, and unmap it. */
static void bury(void *arg)
{
	struct shared *s = arg;
	const struct rwi_design *design = s->design;

	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		void *lock;

		while (!(lock = t_load_acquire(&s->offered)))
			if (t_random(64) == 0)
				t_pause();
		t_store(&s->offered, NULL);
		spend(t_random(SPREAD));
		if (i % TURNS == WRITE_READ) {
			t_down_read(design, lock);
			t_up_read(design, lock);
		} else {
			t_down_write(design, lock);
			t_up_write(design, lock);
		}
		if (design->destroy)
			design->destroy(lock);
		t_eq(munmap(lock, RWI_LOCK_SIZE_MAX), 0);
		t_store_release(&s->taken, i + 1);
	}
}

T_DESIGNS(destroy_safety, RWI_DESTROY_SAFE)
{
	struct shared s = { .design = design };

	(void)lock;
	t_threads(1, bury, &s);
	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		void *page =
		    mmap(NULL, RWI_LOCK_SIZE_MAX, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		t_true(page != MAP_FAILED);
		if (design->init)
			t_eq(design->init(page), 0);
		if (i % TURNS == READ_WRITE)
			t_down_read(design, page);
		else
			t_down_write(design, page);
		t_store_release(&s.offered, page);
		/* At times after the other has queued and gone to sleep. */
		if (i % 64 == 0)
			t_await_asleep(1);
		else
			spend(t_random(SPREAD));
		if (i % TURNS == READ_WRITE)
			t_up_read(design, page);
		else
			t_up_write(design, page);
		while (t_load_acquire(&s.taken) != i + 1)
			if (t_random(64) == 0)
				t_pause();
	}
	t_join();
}
