/* SPDX-License-Identifier: MIT */
/*
 * heo-2005-v1: the big reader semaphore, first version (brsem).
 *
 * Origin.  Tejun Heo, linux-kernel, 2005-09-25, for a lock that nearly every
 * system call reads and nobody writes; withdrawn within the day, after "dd
 * bs=32 count=10M" took 61.74 s with it and 59.24 s with an rwsem.
 *
 * Idea.  Every CPU has a counter of its own, so readers share no cache line.  A
 * reader adds one on the CPU where it is and takes one off on the CPU where it
 * then is; counters go below zero, and only their sum counts.  A writer visits
 * all CPUs, takes what each has counted into a master count and leaves a mark
 * there.  A reader that finds the mark goes to the semaphore itself: to sleep
 * when it wants in, to take one off the master count when it leaves.  The one
 * that makes it zero wakes the writer.
 *
 * Word.  The counter of a CPU, which a semaphore finds by its index:
 *
 *	 31                            0
 *	[ arrivals less departures here ]   lowest value: a writer's mark
 *
 * In the semaphore: the index, the master count (64 bits), a mutex between
 * writers, and the two queues, under one lock.
 *
 * Limits.  As many readers as there can be: a counter about to run over is
 * emptied into the master count first.  256 semaphores of the four kinds that
 * keep counters by CPU; init fails with EAGAIN beyond.
 *
 * Costs.  A read pair is two compare-and-swaps on a line that the CPU nearly
 * always has, plus the indirection by the index.  A write pair visits 64
 * counters twice, with the lock taken for each.
 *
 * Wins.  Readers on many CPUs and hardly ever a writer.
 *
 * Loses.  One CPU or one thread, where nothing bounces and the longer way to
 * the counter is all that is left (the original measured that case only); any
 * share of writers.  Readers starve: writers pass their mutex on, and a reader
 * that was woken must count itself before the next one leaves its mark.
 *
 * Here.  Bottom halves off kept a reader on its CPU and the collector out, so
 * that plain additions did.  Here the counter is changed by compare-and-swap,
 * which either comes before the collector's exchange or finds its mark.  For
 * the same reason the writer need not run on every CPU: it exchanges from where
 * it is, instead of waiting for work queued everywhere.  There are 64 rows, and
 * CPUs beyond share them.  A release may sleep only for the lock, so there is
 * no up_write_async; no CPU disappears, so no counter is folded.  Interruptible
 * calls leave the queues as there, timed ones do likewise.  A try for writing
 * and a downgrade it never had.
 *
 * Repaired.  The writer slept once and took any wake-up for its grant, also in
 * the interruptible form: it looks at the master count again (kept as
 * heo_2005_v1.sleeps_once).  The test for mark and overflow relied on signed
 * overflow: it compares.  Mistakes to be made here: the last reader's release
 * finds the mark and does not wake (heo_2005_v1.last_wakes_nobody), the
 * collector loads and stores instead of exchanging
 * (heo_2005_v1.collects_apart).
 */
#include "designs/design.h"
#include "designs/parts/percpu.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"

#include <errno.h>

struct brsem {
	struct rwi_spinlock lock;
	uint32_t index;
	int64_t master;
	bool writing;                /* the mutex between writers */
	struct rwi_waitlist writers; /* who wait for it */
	struct rwi_waitlist readers; /* who found a mark */
	struct rwi_waiter *drain;    /* the writer that waits for readers */
};

static const struct rwi_stay for_ever;

/* A writer is at work: the lowest value of a counter. */
static int32_t mark(void)
{
	return (int32_t)(UINT32_MAX << (rwi_tunable(count_bits) - 1));
}

static int32_t *counter(const struct brsem *l, uint32_t cpu)
{
	return rwi_cell(l->index, cpu);
}

/* Under the lock: no mark comes or goes meanwhile. */
static bool marked_here(const struct brsem *l)
{
	return rwi_load_relaxed(marked, counter(l, rwi_this_cpu())) == mark();
}

/* A counter cannot take another step: empty it first.  False: it changed. */
static RWI_NOINLINE bool dump(struct brsem *l, int32_t *count, int32_t full,
			      int32_t step)
{
	bool done;

	rwi_spin_lock(&l->lock);
	/* ORDER writer(2/2), ORDER reader(1/2): as in count_here(). */
	done = rwi_cas_acq_rel(dump, count, &full, step);
	if (done)
		l->master += full;
	rwi_spin_unlock(&l->lock);
	return done;
}

/* Count an arrival (1) or a departure (-1) here.  False: there is a mark. */
static inline bool count_here(struct brsem *l, int32_t step)
{
	int32_t *const count = counter(l, rwi_this_cpu());
	const int32_t full = step > 0 ? -1 - mark() : mark() + 1;
	int32_t found = rwi_load_relaxed(look, count);

	for (;;) {
		if (rwi_unlikely(found == mark()))
			return false;
		if (rwi_unlikely(found == full)) {
			if (dump(l, count, full, step))
				return true;
			found = rwi_load_relaxed(again, count);
			continue;
		}
		/*
		 * ORDER writer(2/2): what the last writer stored.
		 * ORDER reader(1/2): our section's loads come before.
		 */
		if (step > 0 ? rwi_cas_acquire(arrive, count, &found, found + 1)
			     : rwi_cas_release(leave, count, &found, found - 1))
			return true;
	}
}

/* Under the lock: nobody told us, so we are not to be told any more. */
static bool withdraw(struct rwi_waitlist *list, struct rwi_waiter *self)
{
	if (rwi_load_relaxed(told, &self->told))
		return false;
	rwi_waitlist_remove(list, self);
	return true;
}

/* ---- Readers ---- */

/* A mark was found: sleep until the writer has left, then try again. */
static RWI_NOINLINE int await_writer(struct brsem *l,
				     const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .told = 0 };
	int error;

	RWI_STEP("heo_2005_v1/refused");
	rwi_spin_lock(&l->lock);
	if (!marked_here(l)) {
		rwi_spin_unlock(&l->lock);
		return 0;
	}
	rwi_waitlist_append(&l->readers, &self);
	rwi_spin_unlock(&l->lock);
	RWI_STEP("heo_2005_v1/read-queued");
	error = rwi_waiter_sleep(&self, stay);
	if (error) {
		rwi_spin_lock(&l->lock);
		if (!withdraw(&l->readers, &self))
			error = 0;
		rwi_spin_unlock(&l->lock);
	}
	return error;
}

static int down_read_for(struct brsem *l, const struct rwi_stay *stay)
{
	while (rwi_unlikely(!count_here(l, 1))) {
		int error = await_writer(l, stay);

		if (error)
			return error;
	}
	return 0;
}

/* A departure from the master count.  False: the mark has gone. */
static RWI_NOINLINE bool depart(struct brsem *l)
{
	bool marked;

	RWI_STEP("heo_2005_v1/depart");
	rwi_spin_lock(&l->lock);
	marked = marked_here(l);
	if (marked && --l->master == 0 && l->drain &&
	    !RWI_BUG("heo_2005_v1.last_wakes_nobody"))
		rwi_waiter_tell(l->drain);
	rwi_spin_unlock(&l->lock);
	return marked;
}

static void down_read(void *lock)
{
	down_read_for(lock, &for_ever);
}

static bool down_read_trylock(void *lock)
{
	return count_here(lock, 1);
}

static void up_read(void *lock)
{
	struct brsem *l = lock;

	while (rwi_unlikely(!count_here(l, -1) && !depart(l)))
		;
}

/* ---- Writers ---- */

static int lock_writers(struct brsem *l, const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .told = 0 };
	bool queued;
	int error;

	rwi_spin_lock(&l->lock);
	queued = l->writing;
	if (queued)
		rwi_waitlist_append(&l->writers, &self);
	l->writing = true;
	rwi_spin_unlock(&l->lock);
	if (!queued)
		return 0;
	RWI_STEP("heo_2005_v1/write-queued");
	error = rwi_waiter_sleep(&self, stay);
	if (error) {
		rwi_spin_lock(&l->lock);
		if (!withdraw(&l->writers, &self))
			error = 0;
		rwi_spin_unlock(&l->lock);
	}
	return error;
}

/* Take one CPU's count and leave the mark. */
static void collect(struct brsem *l, int32_t *count)
{
	int32_t found;

	rwi_spin_lock(&l->lock);
	if (RWI_BUG("heo_2005_v1.collects_apart")) {
		found = rwi_load_relaxed(collect, count);
		rwi_yield();
		rwi_store_relaxed(collect, count, mark());
	} else {
		/* ORDER reader(2/2): the sections of readers that left. */
		found = rwi_xchg_acquire(collect, count, mark());
	}
	l->master += found;
	rwi_spin_unlock(&l->lock);
}

/* All marks are there: sleep until no reader is. */
static int drain(struct brsem *l, const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .told = 0 };
	bool granted = false;
	int error = 0;

	rwi_spin_lock(&l->lock);
	while (l->master != 0 && !error && !granted) {
		rwi_waiter_rearm(&self);
		l->drain = &self;
		rwi_spin_unlock(&l->lock);
		RWI_STEP("heo_2005_v1/drain");
		if (RWI_BUG("heo_2005_v1.sleeps_once")) {
			const struct rwi_deadline hour =
			    rwi_deadline_in(UINT64_C(3600000000000));

			rwi_park(&self.told, 0, RWI_CLASS_ANY, &hour);
			granted = true;
		} else {
			error = rwi_waiter_sleep(&self, stay);
		}
		rwi_spin_lock(&l->lock);
		l->drain = NULL;
	}
	if (l->master == 0)
		error = 0;
	rwi_spin_unlock(&l->lock);
	return error;
}

/* Take the marks away, let readers try, pass the mutex on. */
static void leave(struct brsem *l)
{
	struct rwi_wake_queue wakes = { .count = 0 };
	struct rwi_waiter *first;

	for (uint32_t cpu = 0; cpu < RWI_CPUS; cpu++) {
		rwi_spin_lock(&l->lock);
		/* ORDER writer(1/2): the section. */
		rwi_store_release(unmark, counter(l, cpu), 0);
		rwi_spin_unlock(&l->lock);
		RWI_STEP("heo_2005_v1/unmark");
	}
	rwi_spin_lock(&l->lock);
	while ((first = l->readers.first)) {
		rwi_waitlist_remove(&l->readers, first);
		rwi_wake_add(&wakes, first);
	}
	first = l->writers.first;
	if (first) {
		rwi_waitlist_remove(&l->writers, first);
		rwi_wake_add(&wakes, first);
	} else {
		l->writing = false;
	}
	rwi_spin_unlock(&l->lock);
	rwi_wake_up(&wakes);
}

static int down_write_for(struct brsem *l, const struct rwi_stay *stay)
{
	int error = lock_writers(l, stay);

	if (error)
		return error;
	for (uint32_t cpu = 0; cpu < RWI_CPUS; cpu++) {
		RWI_STEP("heo_2005_v1/collect");
		collect(l, counter(l, cpu));
	}
	error = drain(l, stay);
	if (error)
		leave(l);
	return error;
}

static void down_write(void *lock)
{
	down_write_for(lock, &for_ever);
}

static void up_write(void *lock)
{
	leave(lock);
}

/* ---- Waits that can be given up ---- */

static int down_read_interruptible(void *lock)
{
	return down_read_for(lock, &(struct rwi_stay){ .interruptible = true });
}

static int down_write_interruptible(void *lock)
{
	return down_write_for(lock,
			      &(struct rwi_stay){ .interruptible = true });
}

static int down_read_until(void *lock, clockid_t clock,
			   const struct timespec *at)
{
	struct rwi_deadline deadline;
	int error = rwi_deadline_from(&deadline, clock, at);

	return error ? error
		     : down_read_for(
			   lock, &(struct rwi_stay){ .deadline = &deadline });
}

static int down_write_until(void *lock, clockid_t clock,
			    const struct timespec *at)
{
	struct rwi_deadline deadline;
	int error = rwi_deadline_from(&deadline, clock, at);

	return error ? error
		     : down_write_for(
			   lock, &(struct rwi_stay){ .deadline = &deadline });
}

static int init(void *lock)
{
	struct brsem *l = lock;

	*l = (struct brsem){ .master = 0 };
	return rwi_percpu_get(&l->index);
}

static void destroy(void *lock)
{
	struct brsem *l = lock;

	rwi_percpu_put(l->index);
}

RWI_DEFINE_PAIRS(heo_v1, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_heo_2005_v1 = {
	.name = "heo-2005-v1",
	.summary = "big reader semaphore: counters per CPU that a writer "
		   "collects and marks",
	.origin = "Tejun Heo, linux-kernel, 2005-09-25",
	.file = "heo_2005_v1.c",
	.year = 2005,
	.traits = RWI_FOREIGN_UP_READ | RWI_STARVES_READERS,
	.lock_size = sizeof(struct brsem),
	.lock_align = _Alignof(struct brsem),
	.init = init,
	.destroy = destroy,
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.down_read_trylock = down_read_trylock,
	.down_read_until = down_read_until,
	.down_write_until = down_write_until,
	.down_read_interruptible = down_read_interruptible,
	.down_write_interruptible = down_write_interruptible,
	.read_pairs = heo_v1_read_pairs,
	.write_pairs = heo_v1_write_pairs,
};
