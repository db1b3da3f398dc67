/* SPDX-License-Identifier: MIT */
/*
 * The kernel's semaphore on one word, as it was between 2010 and 2018: what the
 * designs of 2013 and 2014, which are patches to the same file, have in common.
 *
 *	63                       32 31                0
 *	[ -(writer) - (queue)      ][ active lockers   ]
 *
 * A reader is 1.  A writer is 1 and a share of -1 in the upper half.  A queue
 * that is not empty is one such share, however long it is.  So:
 *
 *	0			free
 *	n			n readers
 *	-1 : 0			waiters only; a writer may steal the lock
 *	-1 : 1			a writer, or a reader and waiters
 *	-2 : 1			a writer and waiters
 *
 * Everybody adds first and looks at what it added to.  Who must wait is active
 * until it has taken that back, and so no release in the meantime wakes
 * anybody: whoever brings the lower half to 0 with waiters about, be it by
 * giving up an attempt, has to acquire or to wake.
 *
 * A form says what a design does differently.  The fast paths are inline and
 * take it as a constant.
 */
#ifndef RWI_XADD_H
#define RWI_XADD_H

#include "designs/parts/halves.h"
#include "designs/parts/osq.h"
#include "designs/parts/spin.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"
#include "port/port.h"

enum rwi_xadd_kind { RWI_XADD_READER, RWI_XADD_WRITER };

struct rwi_xadd {
	int64_t count;
	struct rwi_spinlock wait_lock;
	struct rwi_waitlist queue; /* under wait_lock */
};

/* With what spinners look at: the writer inside, and one another. */
struct rwi_xadd_owned {
	struct rwi_xadd sem;
	uint64_t owner; /* rwi_owner_self(); 0: readers, nobody, not yet */
	struct rwi_osq spinners;
};

/* Whom to wake. */
enum rwi_xadd_wake {
	RWI_XADD_ANY,       /* the head: a writer is told to try */
	RWI_XADD_READERS,   /* readers at the head, if no writer got in first */
	RWI_XADD_READ_OWNED /* the same, and the caller's hold keeps writers out
			     */
};

struct rwi_xadd_form {
	/* Wait, with the attempt still in the word; 0, ETIMEDOUT, EINTR. */
	int (*wait_read)(struct rwi_xadd *x, const struct rwi_xadd_form *form,
			 const struct rwi_stay *stay);
	int (*wait_write)(struct rwi_xadd *x, const struct rwi_xadd_form *form,
			  const struct rwi_stay *stay);
	/* Under wait_lock, the queue not being empty. */
	void (*wake)(struct rwi_xadd *x, enum rwi_xadd_wake whom);
	bool (*try_write)(struct rwi_xadd *x);
	/* May a release leave the waiters to somebody else?  Null: never. */
	bool (*left_to_others)(struct rwi_xadd *x);
	/* down_write takes a lock that has waiters and no holder. */
	bool writers_steal;
	/* The first reader to queue behind readers alone joins them at once. */
	bool readers_join;
	/* The lock is a struct rwi_xadd_owned. */
	bool owned;
};

/* ---- The word ---- */

static inline int64_t rwi_xadd_waiting(void)
{
	return rwi_halves_share();
}

static inline int64_t rwi_xadd_write(void)
{
	return rwi_halves_share() + 1;
}

static inline bool rwi_xadd_idle(int64_t count)
{
	return !rwi_halves_active(count);
}

static inline int64_t rwi_xadd_look(const struct rwi_xadd *x)
{
	return rwi_load_relaxed(look, &x->count);
}

/*
 * Change the word on a slow path; the value that results.  Whoever finds the
 * lock free takes it, or gives it to others.
 */
static inline int64_t rwi_xadd_add(struct rwi_xadd *x, int64_t change)
{
	/*
	 * ORDER section(2/2): all sections before.
	 * ORDER spinner(1/2): that we spin no more, for rwi_xadd_seen().
	 */
	return rwi_fetch_add_acq_rel(add, &x->count, change) + change;
}

/* The word, and who had stopped to spin when it last changed. */
static inline int64_t rwi_xadd_seen(const struct rwi_xadd *x)
{
	/* ORDER spinner(2/2): or we take one for a spinner that queued. */
	return rwi_load_acquire(seen, &x->count);
}

static inline bool rwi_xadd_replace(struct rwi_xadd *x, int64_t from,
				    int64_t to)
{
	/* ORDER section(2/2): all sections before. */
	return rwi_cas_acquire(replace, &x->count, &from, to);
}

/* Take the free lock for a writer; with waiters it stays as it is. */
static inline bool rwi_xadd_try_free(struct rwi_xadd *x)
{
	return rwi_xadd_replace(x, 0, rwi_xadd_write());
}

/* Take the lock for a writer, waiters or not, if nobody is active. */
bool rwi_xadd_try_idle(struct rwi_xadd *x);

/* ---- Slow paths: what forms are made of ---- */

/*
 * Take wait_lock, queue, and change the word by `undo` and the queue's share if
 * one is due.  The word that results.
 */
int64_t rwi_xadd_queue(struct rwi_xadd *x, struct rwi_waiter *waiter,
		       int64_t undo);

/* The same for a writer, who lets readers in that wait before it if it can. */
int64_t rwi_xadd_queue_writer(struct rwi_xadd *x,
			      const struct rwi_xadd_form *form,
			      struct rwi_waiter *self, int64_t undo);

/* Queue and wait, with `undo` as above. */
int rwi_xadd_queue_read(struct rwi_xadd *x, const struct rwi_xadd_form *form,
			int64_t undo, const struct rwi_stay *stay);
int rwi_xadd_queue_write(struct rwi_xadd *x, const struct rwi_xadd_form *form,
			 int64_t undo, const struct rwi_stay *stay);

/* Give the attempt up and do so: wait_read and wait_write of most forms. */
int rwi_xadd_wait_read(struct rwi_xadd *x, const struct rwi_xadd_form *form,
		       const struct rwi_stay *stay);
int rwi_xadd_wait_write(struct rwi_xadd *x, const struct rwi_xadd_form *form,
			const struct rwi_stay *stay);

/* Under wait_lock: a queued writer takes the lock if nobody is active. */
bool rwi_xadd_steal(struct rwi_xadd *x);

/* A queued writer took the lock by rwi_xadd_try_idle(): leave the queue. */
void rwi_xadd_settle(struct rwi_xadd *x, struct rwi_waiter *self);

/*
 * Release wait_lock, sleep until nobody is active, take it again.  The word
 * then; and 0, or why there was no more sleep.
 */
int rwi_xadd_sleep(struct rwi_xadd *x, struct rwi_waiter *self,
		   const struct rwi_stay *stay, int64_t *count);

/* Leave the queue without the lock, and wait_lock.  Returns `error`. */
int rwi_xadd_leave(struct rwi_xadd *x, const struct rwi_xadd_form *form,
		   struct rwi_waiter *self, int error);

/* Under wait_lock: let the readers at the head in; `claimed` are counted. */
void rwi_xadd_grant(struct rwi_xadd *x, int64_t claimed);

/* The wake of most forms; looks whether a writer has stolen the lock. */
void rwi_xadd_wake(struct rwi_xadd *x, enum rwi_xadd_wake whom);

/* Nobody is active, but somebody waits. */
void rwi_xadd_released(struct rwi_xadd *x, const struct rwi_xadd_form *form);
void rwi_xadd_downgraded(struct rwi_xadd *x, const struct rwi_xadd_form *form);

/* ---- Spinning ---- */

static inline uint64_t rwi_xadd_owner(const struct rwi_xadd_owned *o)
{
	return rwi_load_relaxed(owner, &o->owner);
}

/*
 * Look on while `owner` has the lock and may be running.  False: it is not, or
 * the time is up.
 */
static inline bool rwi_xadd_watch(const struct rwi_xadd_owned *o,
				  uint64_t owner, struct rwi_spin *spin)
{
	while (rwi_xadd_owner(o) == owner) {
		if (!rwi_owner_may_run(owner) || !rwi_spin_on(spin))
			return false;
	}
	return true;
}

/* ---- Operations ---- */

static inline void rwi_xadd_own(void *lock, const struct rwi_xadd_form *form,
				bool own)
{
	struct rwi_xadd_owned *o = lock;

	if (form->owned)
		rwi_store_relaxed(own, &o->owner, own ? rwi_owner_self() : 0);
}

static inline int rwi_xadd_down_read(void *lock,
				     const struct rwi_xadd_form *form,
				     const struct rwi_stay *stay)
{
	struct rwi_xadd *x = lock;

	/* ORDER section(2/2): the last writer's section. */
	if (rwi_likely(rwi_fetch_add_acquire(down_read, &x->count, 1) >= 0))
		return 0;
	return form->wait_read(x, form, stay);
}

static inline int rwi_xadd_down_write(void *lock,
				      const struct rwi_xadd_form *form,
				      const struct rwi_stay *stay)
{
	struct rwi_xadd *x = lock;
	const int64_t mine = rwi_xadd_write();
	/* ORDER section(2/2): all sections before. */
	int64_t old = rwi_fetch_add_acquire(down_write, &x->count, mine);
	int error;

	if (form->writers_steal)
		old = rwi_halves_active(old);
	if (rwi_unlikely(old)) {
		error = form->wait_write(x, form, stay);
		if (error)
			return error;
		RWI_STEP("xadd/not_yet_owner");
	}
	rwi_xadd_own(lock, form, true);
	return 0;
}

static inline bool rwi_xadd_down_write_trylock(void *lock,
					       const struct rwi_xadd_form *form)
{
	if (!form->try_write(lock))
		return false;
	rwi_xadd_own(lock, form, true);
	return true;
}

bool rwi_xadd_down_read_trylock(void *lock);

static inline void rwi_xadd_up_read(void *lock,
				    const struct rwi_xadd_form *form)
{
	struct rwi_xadd *x = lock;
	/* ORDER section(1/2): ours comes before the next writer's. */
	const int64_t left = rwi_fetch_sub_release(up_read, &x->count, 1) - 1;

	if (rwi_unlikely(left < 0) && rwi_xadd_idle(left))
		rwi_xadd_released(x, form);
}

static inline void rwi_xadd_up_write(void *lock,
				     const struct rwi_xadd_form *form)
{
	struct rwi_xadd *x = lock;
	const int64_t mine = rwi_xadd_write();
	int64_t left;

	rwi_xadd_own(lock, form, false);
	/* ORDER section(1/2): our section, for whoever comes next. */
	left = rwi_fetch_sub_release(up_write, &x->count, mine) - mine;
	if (rwi_unlikely(left < 0) && rwi_xadd_idle(left))
		rwi_xadd_released(x, form);
}

static inline void rwi_xadd_downgrade_write(void *lock,
					    const struct rwi_xadd_form *form)
{
	struct rwi_xadd *x = lock;
	const int64_t share = rwi_halves_share();

	rwi_xadd_own(lock, form, false);
	/* ORDER section(1/2): our section, for readers. */
	if (rwi_fetch_sub_release(downgrade, &x->count, share) < share)
		rwi_xadd_downgraded(x, form);
}

/* Two of the three ways to stay; the third has a deadline. */
extern const struct rwi_stay rwi_xadd_for_ever, rwi_xadd_till_signal;

/*
 * Half of the lower half are holders, the rest is left to those who have just
 * arrived.
 */
uint64_t rwi_xadd_readers_max(void);

/* The operations of one form, called prefix_down_read and so on. */
#define RWI_XADD_DEFINE(prefix, form)                                          \
	static void prefix##_down_read(void *lock)                             \
	{                                                                      \
		rwi_xadd_down_read(lock, &(form), &rwi_xadd_for_ever);         \
	}                                                                      \
	static void prefix##_up_read(void *lock)                               \
	{                                                                      \
		rwi_xadd_up_read(lock, &(form));                               \
	}                                                                      \
	static void prefix##_down_write(void *lock)                            \
	{                                                                      \
		rwi_xadd_down_write(lock, &(form), &rwi_xadd_for_ever);        \
	}                                                                      \
	static void prefix##_up_write(void *lock)                              \
	{                                                                      \
		rwi_xadd_up_write(lock, &(form));                              \
	}                                                                      \
	static bool prefix##_down_write_trylock(void *lock)                    \
	{                                                                      \
		return rwi_xadd_down_write_trylock(lock, &(form));             \
	}                                                                      \
	static int prefix##_down_read_interruptible(void *lock)                \
	{                                                                      \
		return rwi_xadd_down_read(lock, &(form),                       \
					  &rwi_xadd_till_signal);              \
	}                                                                      \
	static int prefix##_down_write_interruptible(void *lock)               \
	{                                                                      \
		return rwi_xadd_down_write(lock, &(form),                      \
					   &rwi_xadd_till_signal);             \
	}                                                                      \
	static int prefix##_down_read_until(void *lock, clockid_t clock,       \
					    const struct timespec *at)         \
	{                                                                      \
		struct rwi_deadline deadline;                                  \
		const struct rwi_stay stay = { .deadline = &deadline };        \
		const int error = rwi_deadline_from(&deadline, clock, at);     \
                                                                               \
		return error ? error                                           \
			     : rwi_xadd_down_read(lock, &(form), &stay);       \
	}                                                                      \
	static int prefix##_down_write_until(void *lock, clockid_t clock,      \
					     const struct timespec *at)        \
	{                                                                      \
		struct rwi_deadline deadline;                                  \
		const struct rwi_stay stay = { .deadline = &deadline };        \
		const int error = rwi_deadline_from(&deadline, clock, at);     \
                                                                               \
		return error ? error                                           \
			     : rwi_xadd_down_write(lock, &(form), &stay);      \
	}                                                                      \
	static void prefix##_downgrade_write(void *lock)                       \
	{                                                                      \
		rwi_xadd_downgrade_write(lock, &(form));                       \
	}                                                                      \
	RWI_DEFINE_PAIRS(prefix, prefix##_down_read(lock),                     \
			 prefix##_up_read(lock), prefix##_down_write(lock),    \
			 prefix##_up_write(lock))

/* And in the table; `layout` is the lock's type. */
#define RWI_XADD_OPERATIONS(prefix, layout)                                    \
	.lock_size = sizeof(layout), .lock_align = _Alignof(layout),           \
	.readers_max = rwi_xadd_readers_max, .down_read = prefix##_down_read,  \
	.up_read = prefix##_up_read, .down_write = prefix##_down_write,        \
	.up_write = prefix##_up_write,                                         \
	.down_read_trylock = rwi_xadd_down_read_trylock,                       \
	.down_write_trylock = prefix##_down_write_trylock,                     \
	.down_read_until = prefix##_down_read_until,                           \
	.down_write_until = prefix##_down_write_until,                         \
	.down_read_interruptible = prefix##_down_read_interruptible,           \
	.down_write_interruptible = prefix##_down_write_interruptible,         \
	.downgrade_write = prefix##_downgrade_write,                           \
	.read_pairs = prefix##_read_pairs, .write_pairs = prefix##_write_pairs

/* Neither side is promised anything as long as writers may steal. */
#define RWI_XADD_TRAITS (RWI_FOREIGN_UP_READ | RWI_STARVES_READERS)

#endif
