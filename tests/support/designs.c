/* SPDX-License-Identifier: MIT */
/* Properties of locks: what they need, and what a lock guards. */
#include "support/designs.h"

#include <stdalign.h>
#include <string.h>

#if defined __SANITIZE_THREAD__
#define SANITIZES_THREADS true
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define SANITIZES_THREADS true
#endif
#endif
#ifndef SANITIZES_THREADS
#define SANITIZES_THREADS false
#endif

const char *t_missing(const struct rwi_design *design, unsigned needs)
{
	const struct {
		unsigned need;
		bool there;
		const char *what;
	} checks[] = {
		{ T_SHARED, !(design->traits & RWI_MUTEX), "readers exclude" },
		{ T_TRY,
		  design->down_read_trylock && design->down_write_trylock,
		  "no try operations" },
		{ T_UNTIL, design->down_read_until && design->down_write_until,
		  "no timed operations" },
		{ T_INTERRUPTIBLE,
		  design->down_read_interruptible &&
		      design->down_write_interruptible,
		  "no interruptible operations" },
		{ T_DOWNGRADE, design->downgrade_write != NULL,
		  "no downgrade" },
		{ T_ZERO_INIT, design->init == NULL, "needs a call to init" },
		{ T_RWSEM, t_is_rwsem(design), "not an rwsem_t" },
		{ T_LIMITED, design->readers_max != NULL,
		  "no field bounds its read holds" },
		{ RWI_FIFO, design->traits & RWI_FIFO, "waiters are passed" },
		{ RWI_BOUNDED, design->traits & RWI_BOUNDED,
		  "promises no bound" },
		{ RWI_RECURSIVE, design->traits & RWI_RECURSIVE,
		  "no recursive reading" },
		{ RWI_FOREIGN_UP_READ, design->traits & RWI_FOREIGN_UP_READ,
		  "readers release their own" },
		{ RWI_DESTROY_SAFE, design->traits & RWI_DESTROY_SAFE,
		  "up may touch the lock late" },
		{ RWI_FORK, design->traits & RWI_FORK,
		  "promises nothing to children" },
	};

	if (design->traits & RWI_NO_EXCLUSION)
		return "excludes nobody";
	if (SANITIZES_THREADS && design->traits & RWI_NATIVE_ONLY)
		return "ThreadSanitizer does not know all of its calls";
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
		if (needs & checks[i].need && !checks[i].there)
			return checks[i].what;
	}
	return NULL;
}

bool t_is_rwsem(const struct rwi_design *design)
{
	return !strncmp(design->name, "rwsem", 5);
}

void t_run_property(void (*property)(const struct rwi_design *, void *),
		    const struct rwi_design *design)
{
	static alignas(128) unsigned char lock[RWI_LOCK_SIZE_MAX];

	t_true(design->lock_size <= sizeof lock);
	if (design->init)
		t_eq(design->init(lock), 0);
	property(design, lock);
	/* Whatever happened, it is free now. */
	if (design->down_write_trylock) {
		t_true(design->down_write_trylock(lock));
		design->up_write(lock);
	}
	t_down_write(design, lock);
	t_up_write(design, lock);
	t_down_read(design, lock);
	t_up_read(design, lock);
	if (design->destroy)
		design->destroy(lock);
}

void t_enter_read(struct t_guarded *guarded)
{
	const uint32_t before = t_add(&guarded->inside, 1);

	t_true(before < T_WRITER_INSIDE);
	if (before)
		t_add(&guarded->overlaps, 1);
	t_eq(guarded->a, guarded->b);
}

void t_leave_read(struct t_guarded *guarded)
{
	t_eq(guarded->a, guarded->b);
	t_true(t_add(&guarded->inside, -1u) < T_WRITER_INSIDE);
}

void t_enter_write(struct t_guarded *guarded)
{
	t_eq(t_add(&guarded->inside, T_WRITER_INSIDE), 0);
	t_eq(guarded->a, guarded->b);
	guarded->a++;
}

void t_leave_write(struct t_guarded *guarded)
{
	guarded->b++;
	t_eq(t_add(&guarded->inside, -(uint32_t)T_WRITER_INSIDE),
	     T_WRITER_INSIDE);
}

void t_downgrade(struct t_guarded *guarded)
{
	guarded->b++;
	t_eq(t_add(&guarded->inside, 1 - (uint32_t)T_WRITER_INSIDE),
	     T_WRITER_INSIDE);
}
