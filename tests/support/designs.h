/* SPDX-License-Identifier: MIT */
/*
 * Properties of locks.  T_DESIGNS runs one on every lock of the registry that
 * has the traits and operations it needs, and says which have not:
 *
 *	T_DESIGNS(readers_overlap, T_SHARED)
 *	{
 *		design->down_read(lock);
 *		...
 *	}
 *
 * The lock starts free and must be free at the end.  T_CATCHES names a broken
 * lock on which the same property must fail within seconds.
 */
#ifndef T_DESIGNS_H
#define T_DESIGNS_H

#include "designs/design.h"
#include "support/t.h"

/* What a property needs besides traits (enum rwi_trait); or'ed to them. */
enum t_need {
	T_ANY = 0,
	T_SHARED = 1 << 20, /* readers that overlap: not a mutex */
	T_TRY = 1 << 21,
	T_UNTIL = 1 << 22,
	T_INTERRUPTIBLE = 1 << 23,
	T_DOWNGRADE = 1 << 24,
	T_ZERO_INIT = 1 << 25, /* zeroed memory is a free lock */
	T_LIMITED = 1 << 26,   /* a field bounds the read holds */
	T_RWSEM = 1 << 27      /* the lock is an rwsem_t */
};

#define T_DESIGNS(property, needs)                                             \
	static void property(const struct rwi_design *design, void *lock);     \
	T_CASE(property, NULL, property, needs, NULL);                         \
	static void property(const struct rwi_design *design, void *lock)

#define T_CATCHES(property, label, broken)                                     \
	T_CASE(property##_catches_##label, NULL, property, 0, broken)

/* What `design` lacks, in words; null if it has all. */
const char *t_missing(const struct rwi_design *design, unsigned needs);

/* Run a property on a new lock and check that it is free afterwards. */
void t_run_property(void (*property)(const struct rwi_design *, void *),
		    const struct rwi_design *design);

/* Is the lock an rwsem_t? */
bool t_is_rwsem(const struct rwi_design *design);

/* ---- Operations that tell the watchdog ---- */

static inline void t_down_read(const struct rwi_design *design, void *lock)
{
	t_doing("down_read");
	design->down_read(lock);
	t_doing(NULL);
}

static inline void t_up_read(const struct rwi_design *design, void *lock)
{
	t_doing("up_read");
	design->up_read(lock);
	t_doing(NULL);
}

static inline void t_down_write(const struct rwi_design *design, void *lock)
{
	t_doing("down_write");
	design->down_write(lock);
	t_doing(NULL);
}

static inline void t_up_write(const struct rwi_design *design, void *lock)
{
	t_doing("up_write");
	design->up_write(lock);
	t_doing(NULL);
}

/* ---- What a lock guards ---- */

/*
 * Plain numbers that writers change one after the other, and a record of who
 * is inside.  The record's atomics are relaxed, so that they neither order the
 * numbers nor hide a race from ThreadSanitizer.
 */
struct t_guarded {
	uint64_t a, b;
	uint32_t inside;   /* readers, plus T_WRITER_INSIDE for a writer */
	uint32_t overlaps; /* readers that met others inside */
};
enum { T_WRITER_INSIDE = 1 << 24 };

void t_enter_read(struct t_guarded *guarded);
void t_leave_read(struct t_guarded *guarded);
void t_enter_write(struct t_guarded *guarded);
void t_leave_write(struct t_guarded *guarded);
/* From inside as a writer to inside as a reader. */
void t_downgrade(struct t_guarded *guarded);

#endif
