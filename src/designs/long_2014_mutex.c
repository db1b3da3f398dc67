/* SPDX-License-Identifier: MIT */
/*
 * long-2014-mutex: the kernel's mutex of 2014, with a queue of spinners.
 *
 * Origin.  The sleeping mutex of Linux 3.16 (Ingo Molnar 2006, spinning by
 * Peter Zijlstra 2009, the MCS queue of spinners by Waiman Long 2013, which can
 * be left since Peter Zijlstra 2014).  Waiman Long's message of 4 August 2014
 * measures his semaphore against it; both sides map to it here.
 *
 * Idea.  Three paths.  Fast: swap 0 for 1.  Middle: while the owner runs it
 * will release soon, so spin, in a queue, so that one spinner at a time looks
 * at the lock.  Slow: queue, mark the word, sleep; the release wakes the first.
 *
 * Word.  0 free, 1 held, 2 held and somebody may be asleep (there 1, 0 and
 * negative).  Beside it the owner, for spinners only.
 *
 * Who sleeps puts a 2 into the word at each try and has the lock if a 0 came
 * out; when it leaves the queue empty it makes that a 1.  So a release that
 * takes a 2 out knows that it has to wake.
 *
 * Limits.  None on threads.  A sleeper can be passed again and again, by those
 * who come and by those who spin: nothing bounds its wait.
 *
 * Costs.  Two atomic operations a pair and two stores of the owner.  A waiter
 * that sleeps: a spinlock taken twice at least, and a wake-up.
 *
 * Wins.  Short sections, more so with many threads.  In the message, on ten
 * cores and a section of one pause instruction: a million pairs of each thread
 * take 1.8 s, and 5.6 s with the writers of the semaphore before the series
 * (1.3 s after it).
 *
 * Loses.  Where readers could overlap; with long sections, where spinning is
 * in vain.
 *
 * Here.  A spinner cannot see need_resched() or whether the owner runs, but
 * has a budget of time (parts/spin.h).  The owner can lose its CPU before it
 * has put its name down: no spinner waits for that longer than its budget.
 * The waits that end on signals are the kernel's; those that end at a time are
 * made of the same way out.
 *
 * Repaired.  Nothing that is known.  Kept as variants, to show that tests see
 * what the marks are for:
 *	long_2014_mutex.mark_dropped: one of several sleepers takes the lock
 *		with a 1, and the release wakes none of the others
 *	long_2014_mutex.unmarked_early: one who leaves the queue makes a 1 of
 *		the 2 although others stay in it
 */
#include "designs/design.h"
#include "designs/parts/osq.h"
#include "designs/parts/spin.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"
#include "port/port.h"

enum { FREE = 0, HELD = 1, CONTENDED = 2 };

struct mutex {
	uint32_t word;
	struct rwi_osq spinners;
	uint64_t owner;
	struct rwi_spinlock wait_lock;
	struct rwi_waitlist queue;
};

static inline bool take(struct mutex *m)
{
	uint32_t found = FREE;

	/* ORDER hold(2/2): all sections before. */
	if (!rwi_cas_acquire(take, &m->word, &found, HELD))
		return false;
	RWI_STEP("long_2014_mutex/not_owned_yet");
	rwi_store_relaxed(owner, &m->owner, rwi_owner_self());
	return true;
}

/* ---- Spinning ---- */

/* Look on while one owner has the lock.  False: that has no use any more. */
static bool spin_on_owner(struct mutex *m, struct rwi_spin *spin)
{
	const uint64_t owner = rwi_load_relaxed(first, &m->owner);

	while (owner && rwi_load_relaxed(again, &m->owner) == owner) {
		if (!rwi_owner_may_run(owner) || !rwi_spin_on(spin))
			return false;
	}
	return true;
}

static bool spin_and_take(struct mutex *m, const struct rwi_stay *stay)
{
	struct rwi_spin spin;
	bool taken = false;
	uint32_t turn;

	if (!rwi_owner_may_run(rwi_load_relaxed(look, &m->owner)) ||
	    (stay->deadline && !rwi_left_ns(stay->deadline)) ||
	    !rwi_spin_start(&spin, rwi_tunable(optimistic_spin_ns)))
		return false;
	turn = rwi_osq_lock(&m->spinners, &spin);
	if (!turn)
		return false;
	RWI_STEP("long_2014_mutex/turn");
	while (!taken && spin_on_owner(m, &spin)) {
		taken = rwi_load_relaxed(free, &m->word) == FREE && take(m);
		if (!taken && !rwi_spin_on(&spin))
			break;
	}
	rwi_osq_unlock(&m->spinners, turn);
	return taken;
}

/* ---- Sleeping ---- */

/* Under wait_lock, in the queue. */
static bool take_queued(struct mutex *m)
{
	const uint32_t mark =
	    RWI_BUG("long_2014_mutex.mark_dropped") ? HELD : CONTENDED;

	/* ORDER hold(2/2): all sections before. */
	return rwi_xchg_acquire(mark, &m->word, mark) == FREE;
}

/*
 * Leave the queue, under wait_lock, after a try: with the lock, or with the
 * mark put on for those behind us.  The last one out takes it off, unless the
 * lock is free by now.
 */
static void leave(struct mutex *m, struct rwi_waiter *self)
{
	uint32_t marked = CONTENDED;

	rwi_waitlist_remove(&m->queue, self);
	if (!m->queue.first || RWI_BUG("long_2014_mutex.unmarked_early"))
		rwi_cas_relaxed(unmark, &m->word, &marked, HELD);
}

static int wait_in_queue(struct mutex *m, const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .told = 0 };
	bool taken;
	int error = 0;

	rwi_spin_lock(&m->wait_lock);
	rwi_waitlist_append(&m->queue, &self);
	for (;;) {
		rwi_waiter_rearm(&self);
		taken = take_queued(m);
		if (taken || error)
			break;
		rwi_spin_unlock(&m->wait_lock);
		RWI_STEP("long_2014_mutex/queued");
		error = rwi_waiter_sleep(&self, stay);
		RWI_STEP("long_2014_mutex/tries");
		rwi_spin_lock(&m->wait_lock);
	}
	leave(m, &self);
	rwi_spin_unlock(&m->wait_lock);
	if (!taken)
		return error;
	RWI_STEP("long_2014_mutex/taken");
	rwi_store_relaxed(owner, &m->owner, rwi_owner_self());
	return 0;
}

static RWI_NOINLINE int down_slow(struct mutex *m, const struct rwi_stay *stay)
{
	RWI_STEP("long_2014_mutex/waits");
	return spin_and_take(m, stay) ? 0 : wait_in_queue(m, stay);
}

static RWI_NOINLINE void up_slow(struct mutex *m)
{
	struct rwi_wake_queue wake = { .count = 0 };

	RWI_STEP("long_2014_mutex/wake");
	rwi_spin_lock(&m->wait_lock);
	if (m->queue.first)
		rwi_wake_add(&wake, m->queue.first);
	rwi_spin_unlock(&m->wait_lock);
	rwi_wake_up(&wake);
}

/* ---- Operations, the same for both sides ---- */

static inline int down_as(struct mutex *m, const struct rwi_stay *stay)
{
	return rwi_likely(take(m)) ? 0 : down_slow(m, stay);
}

static void down(void *lock)
{
	static const struct rwi_stay for_ever;
	struct mutex *m = lock;

	down_as(m, &for_ever);
}

static int interruptible(void *lock)
{
	static const struct rwi_stay until_signal = { .interruptible = true };
	struct mutex *m = lock;

	return down_as(m, &until_signal);
}

static int until(void *lock, clockid_t clock, const struct timespec *at)
{
	struct mutex *m = lock;
	struct rwi_deadline deadline;
	const int error = rwi_deadline_from(&deadline, clock, at);

	if (error)
		return error;
	return down_as(m, &(struct rwi_stay){ .deadline = &deadline });
}

static bool trylock(void *lock)
{
	struct mutex *m = lock;

	return take(m);
}

static void up(void *lock)
{
	struct mutex *m = lock;

	rwi_store_relaxed(nobody, &m->owner, 0);
	/* ORDER hold(1/2): our section, for whoever comes next. */
	if (rwi_unlikely(rwi_xchg_release(up, &m->word, FREE) == CONTENDED))
		up_slow(m);
}

RWI_DEFINE_PAIRS(mutex, down(lock), up(lock), down(lock), up(lock))

const struct rwi_design rwi_design_long_2014_mutex = {
	.name = "long-2014-mutex",
	.summary =
	    "the kernel's mutex of 2014, spinning in a queue; both sides",
	.origin = "Linux 3.16; baseline of Waiman Long, LKML, August 2014",
	.file = "long_2014_mutex.c",
	.year = 2014,
	.traits = RWI_MUTEX,
	.lock_size = sizeof(struct mutex),
	.lock_align = _Alignof(struct mutex),
	.down_read = down,
	.up_read = up,
	.down_write = down,
	.up_write = up,
	.down_read_trylock = trylock,
	.down_write_trylock = trylock,
	.down_read_until = until,
	.down_write_until = until,
	.down_read_interruptible = interruptible,
	.down_write_interruptible = interruptible,
	.read_pairs = mutex_read_pairs,
	.write_pairs = mutex_write_pairs,
};
