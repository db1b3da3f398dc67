/* SPDX-License-Identifier: MIT */
/*
 * arcangeli-2001, arcangeli-2001-call, arcangeli-2001-recursive,
 * arcangeli-2001-padded: a word in two halves, under a lock.
 *
 * Origin.  Andrea Arcangeli, "generic rwsem" patches and the message of 22
 * April 2001 to linux-kernel, which compares the first two forms with those of
 * Howells.  -recursive has the rule of his patch 00_rwsem-19 (September 2001);
 * -padded is the attempt that the message ends with.
 *
 * Idea.  If the fast path takes a spinlock anyway, let the whole operation be
 * one section of it: an addition, a comparison, and only on contention the
 * queue, which the same lock covers.  No step can come between count and queue,
 * so nobody has to correct, claim or look again.  The section is so short that
 * it is compiled into the caller.
 *
 * Word.
 *
 *	63                     32 31                0
 *	[ -(writer + waiters)    ][ readers          ]
 *
 * Always true outside the lock: count = readers - 2^32 * (writer + waiters).
 * A reader adds 1 and waits if the word was negative; it then changes its 1
 * into the share of a waiter.  A writer adds such a share and waits if the word
 * was not 0.  A release that leaves waiters and no readers grants from the
 * oldest on: one writer, or readers up to the next writer.
 *
 *	-call		the same, the fast paths being calls
 *	-recursive	a reader waits only if nobody reads: it joins readers
 *			past queued writers, so that it may read again
 *	-padded		the lock on a cache line of its own
 *
 * Limits.  2^32 - 1 readers and 2^31 waiters.  (On i386 the halves had 16
 * bits.)  A wait is bounded by the sections of those that queued before,
 * adjacent readers counting as one; -recursive bounds no writer's.
 *
 * Costs.  Four atomic operations a pair, on one cache line (-padded: two).
 *
 * Wins.  Under contention: in that message (two-way Pentium II, 450 MHz) 1.78
 * million writes of four writers, howells-2001-spinlock 1.35 and
 * howells-2001-xadd 0.82; mixed 6.46 million reads, 5.88 and 5.78.  It beats
 * howells-2001-spinlock in all tests, by 1.1 to 1.4; -call is between them.
 *
 * Loses.  Against one addition without contention: 15.2 million reads of one
 * reader, howells-2001-xadd 16.9.  Padding "hurted a lot".
 *
 * Here.  The spinlock's holder can lose its CPU: see howells-2001-spinlock.
 * His woken waiters took the lock once more to see that they had left the
 * list, all readers of a batch after one another; here each has a word of its
 * own that says so.  Like his, it has no tries, timed waits or downgrade.
 *
 * Repaired.  Kept as a variant that the tests must catch:
 *	arcangeli_2001.count_in_int	a reader keeps the old word in an int:
 *		with halves of 32 bits that is never negative, and readers come
 *		in beside a writer
 */
#include "designs/design.h"
#include "designs/parts/halves.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"
#include "port/port.h"

enum kind { READER, WRITER };

struct state {
	int64_t count;
	struct rwi_waitlist queue;
};

struct sem {
	struct state state;
	struct rwi_spinlock lock;
};

struct padded {
	struct state state;
	_Alignas(64) struct rwi_spinlock lock;
};

/* What turns an arrival into a waiter. */
static int64_t retirement(enum kind kind)
{
	return kind == READER ? rwi_halves_share() - 1 : 0;
}

/* Wait; gives the lock back. */
static RWI_NOINLINE void wait_as(struct state *s, struct rwi_spinlock *lock,
				 enum kind kind)
{
	static const struct rwi_stay for_ever;
	struct rwi_waiter self = { .kind = kind };

	s->count += retirement(kind);
	rwi_waitlist_append(&s->queue, &self);
	rwi_spin_unlock(lock);
	RWI_STEP("arcangeli_2001/queued");
	rwi_waiter_sleep(&self, &for_ever);
}

/* Grant from the head on; no writer holds the lock. */
static RWI_NOINLINE void wake(struct state *s)
{
	struct rwi_waiter *head;

	while ((head = s->queue.first)) {
		const enum kind kind = head->kind;

		if (kind == WRITER && rwi_halves_active(s->count))
			return;
		if (kind == READER)
			s->count -= retirement(READER);
		rwi_waitlist_remove(&s->queue, head);
		rwi_waiter_tell(head);
		RWI_STEP("arcangeli_2001/told");
		if (kind == WRITER)
			return;
	}
}

/* ---- Fast paths; `join` as in -recursive ---- */

static inline bool reader_waits(int64_t old, bool join)
{
	if (RWI_BUG("arcangeli_2001.count_in_int"))
		old = (int32_t)old;
	return old < 0 && !(join && rwi_halves_active(old));
}

static inline void read_down(struct state *s, struct rwi_spinlock *lock,
			     bool join)
{
	int64_t old;

	rwi_spin_lock(lock);
	old = s->count++;
	if (rwi_unlikely(reader_waits(old, join)))
		wait_as(s, lock, READER);
	else
		rwi_spin_unlock(lock);
}

static inline void read_up(struct state *s, struct rwi_spinlock *lock)
{
	rwi_spin_lock(lock);
	if (rwi_unlikely(--s->count < 0 && !rwi_halves_active(s->count)))
		wake(s);
	rwi_spin_unlock(lock);
}

static inline void write_down(struct state *s, struct rwi_spinlock *lock)
{
	int64_t old;

	rwi_spin_lock(lock);
	old = s->count;
	s->count = old + rwi_halves_share();
	if (rwi_unlikely(old))
		wait_as(s, lock, WRITER);
	else
		rwi_spin_unlock(lock);
}

static inline void write_up(struct state *s, struct rwi_spinlock *lock)
{
	rwi_spin_lock(lock);
	s->count -= rwi_halves_share();
	if (rwi_unlikely(s->count))
		wake(s);
	rwi_spin_unlock(lock);
}

/* ---- Forms ---- */

/* All under the lock, so the lower half has readers and nothing else. */
static uint64_t readers_max(void)
{
	return (UINT64_C(1) << rwi_tunable(count_bits)) - 1;
}

#define DEFINE_FORM(form, layout, join)                                        \
	static inline void form##_down_read(void *lock)                        \
	{                                                                      \
		struct layout *l = lock;                                       \
                                                                               \
		read_down(&l->state, &l->lock, join);                          \
	}                                                                      \
	static inline void form##_up_read(void *lock)                          \
	{                                                                      \
		struct layout *l = lock;                                       \
                                                                               \
		read_up(&l->state, &l->lock);                                  \
	}                                                                      \
	static inline void form##_down_write(void *lock)                       \
	{                                                                      \
		struct layout *l = lock;                                       \
                                                                               \
		write_down(&l->state, &l->lock);                               \
	}                                                                      \
	static inline void form##_up_write(void *lock)                         \
	{                                                                      \
		struct layout *l = lock;                                       \
                                                                               \
		write_up(&l->state, &l->lock);                                 \
	}                                                                      \
	RWI_DEFINE_PAIRS(form, form##_down_read(lock), form##_up_read(lock),   \
			 form##_down_write(lock), form##_up_write(lock))

#define FORM(form, layout)                                                     \
	.file = "arcangeli_2001.c", .year = 2001,                              \
	.lock_size = sizeof(struct layout),                                    \
	.lock_align = _Alignof(struct layout), .readers_max = readers_max,     \
	.down_read = form##_down_read, .up_read = form##_up_read,              \
	.down_write = form##_down_write, .up_write = form##_up_write,          \
	.read_pairs = form##_read_pairs, .write_pairs = form##_write_pairs
#define THE_MESSAGE "Andrea Arcangeli, linux-kernel, 22 April 2001"
#define FAIR        (RWI_FIFO | RWI_BOUNDED | RWI_FOREIGN_UP_READ)

DEFINE_FORM(plain, sem, false)
DEFINE_FORM(recursive, sem, true)
DEFINE_FORM(apart, padded, false)

static RWI_NOINLINE void called_down_read(void *lock)
{
	plain_down_read(lock);
}

static RWI_NOINLINE void called_up_read(void *lock)
{
	plain_up_read(lock);
}

static RWI_NOINLINE void called_down_write(void *lock)
{
	plain_down_write(lock);
}

static RWI_NOINLINE void called_up_write(void *lock)
{
	plain_up_write(lock);
}

RWI_DEFINE_PAIRS(called, called_down_read(lock), called_up_read(lock),
		 called_down_write(lock), called_up_write(lock))

const struct rwi_design rwi_design_arcangeli_2001 = {
	.name = "arcangeli-2001",
	.summary = "a word in two halves under a spinlock, inlined; fair",
	.origin = THE_MESSAGE,
	.traits = FAIR | RWI_INLINED,
	FORM(plain, sem),
};

const struct rwi_design rwi_design_arcangeli_2001_call = {
	.name = "arcangeli-2001-call",
	.summary = "arcangeli-2001 with its fast paths out of line",
	.origin = THE_MESSAGE,
	.owes = { { "arcangeli-2001", "everything" } },
	.traits = FAIR,
	FORM(called, sem),
};

const struct rwi_design rwi_design_arcangeli_2001_recursive = {
	.name = "arcangeli-2001-recursive",
	.summary = "arcangeli-2001 whose readers join readers past writers",
	.origin = "Andrea Arcangeli, patch 00_rwsem-19, September 2001",
	.owes = { { "arcangeli-2001", "all but when a reader waits" } },
	.traits = RWI_RECURSIVE | RWI_STARVES_WRITERS | RWI_FOREIGN_UP_READ |
		  RWI_INLINED,
	FORM(recursive, sem),
};

const struct rwi_design rwi_design_arcangeli_2001_padded = {
	.name = "arcangeli-2001-padded",
	.summary = "arcangeli-2001 with its lock on a cache line of its own",
	.origin = THE_MESSAGE,
	.owes = { { "arcangeli-2001", "all but the layout" } },
	.traits = FAIR | RWI_INLINED,
	FORM(apart, padded),
};
