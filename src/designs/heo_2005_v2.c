/* SPDX-License-Identifier: MIT */
/*
 * heo-2005-v2: the big reader semaphore, second version.
 *
 * Origin.  Tejun Heo, linux-kernel, 2005-10-28 ("big reader semaphore take#2"),
 * a month after he had withdrawn the first.
 *
 * Idea.  No work on other CPUs and no switching off of bottom halves: every CPU
 * has two atomic counters, arrivals and departures, that are only ever counted
 * up.  A writer exchanges each for a large negative bias, under the master
 * lock, and learns how many readers are inside: Σarrivals - Σdepartures.  A
 * reader whose addition gives a negative number knows that a writer came first
 * and goes to the master lock; what it finds there tells it what to do.
 *
 * Word.  A counter, by what an addition returns:
 *
 *	0 .. max                 counted, nothing else to do
 *	min .. min/2 - 1         counted, but run over: fold it into the master
 *	min/2 (the bias) .. -1   came after the writer's exchange
 *
 * State, under the master lock:
 *
 *	NONE      no writer
 *	PENDING   a writer waits until the readers inside have left
 *	LOCKED    a writer is inside
 *	DRAINING  the writers have left, but readers that came meanwhile have
 *	          yet to reach the master lock
 *
 * Limits.  As many readers as there can be; 2^30 on one CPU may come during one
 * writer.  256 semaphores of the four kinds that keep counters by CPU; init
 * fails with EAGAIN beyond.
 *
 * Costs.  A read pair is two additions on one line that the CPU nearly always
 * has.  A write pair is 192 exchanges and stores under one lock.
 *
 * Wins.  Readers on many CPUs and hardly ever a writer; against the first
 * version, a plain addition instead of compare and swap, and writers that pass
 * the semaphore on without touching the counters.
 *
 * Loses.  Any share of writers.  Readers starve: a leaving writer lets the next
 * one in as long as there is one.
 *
 * Here.  Atomics are what the original used, so nothing stands in but for the
 * CPU number, which is stale at times (64 rows, shared by CPUs beyond): only
 * sums count.  When the last writer leaves, all readers that came meanwhile are
 * admitted at once, stragglers included, and writers wait until the stragglers
 * have come; a straggler that lost its CPU delays them.  A try for writing is
 * made as a whole under the master lock, so a reader that meets it waits there
 * and is admitted when it fails.  Interruptible calls as in the first version,
 * timed ones likewise.  A downgrade it never had.
 *
 * Repaired.  Nobody looked again after a sleep, so a stray wake-up granted the
 * semaphore: a waiter now goes on when it has been told (kept as
 * heo_2005_v2.sleeps_once).  Mistakes to be made here: a departure after the
 * exchange does not wake the pending writer (heo_2005_v2.last_wakes_nobody); a
 * straggler queues although the writer has left (heo_2005_v2.straggler_lost).
 */
#include "designs/design.h"
#include "designs/parts/percpu.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"

#include <errno.h>

enum state { NONE, PENDING, LOCKED, DRAINING };

struct brsem {
	struct rwi_spinlock lock; /* the master lock */
	uint32_t index;
	int64_t master; /* readers inside, as far as collected */
	enum state state;
	uint32_t came;       /* of those with a bias: reached the lock ... */
	uint32_t left;       /* ... and gave up */
	uint32_t stragglers; /* DRAINING: have yet to reach the lock */
	struct rwi_waiter *pending;
	struct rwi_waitlist readers, writers;
};

struct counts {
	uint32_t arrivals, departures;
};

static const struct rwi_stay for_ever;

/* The sign bit, and the bias as it looks in an unsigned counter. */
static uint32_t sign(void)
{
	return UINT32_C(1) << (rwi_tunable(count_bits) - 1);
}

static uint32_t bias(void)
{
	return sign() + sign() / 2;
}

static struct counts *counts(const struct brsem *l, uint32_t cpu)
{
	return rwi_cell(l->index, cpu);
}

/* ---- Under the master lock ---- */

static bool has_run_over(uint32_t count)
{
	return count >= sign() && count < bias();
}

/* Empty counters that ran over, unless a writer has done so meanwhile. */
static void fold(struct brsem *l, struct counts *c)
{
	if (has_run_over(rwi_load_relaxed(look, &c->arrivals)))
		l->master += rwi_xchg_relaxed(fold, &c->arrivals, 0);
	if (has_run_over(rwi_load_relaxed(look, &c->departures)))
		l->master -= rwi_xchg_relaxed(fold, &c->departures, 0);
}

/* A writer's turn begins: LOCKED, or PENDING if there are readers inside. */
static void begin(struct brsem *l)
{
	for (uint32_t cpu = 0; cpu < RWI_CPUS; cpu++) {
		struct counts *c = counts(l, cpu);

		l->master += rwi_xchg_relaxed(begin, &c->arrivals, bias());
		/* ORDER reader(2/2): the sections of readers that left. */
		l->master -= rwi_xchg_acquire(begin, &c->departures, bias());
		RWI_STEP("heo_2005_v2/begin");
	}
	l->came = 0;
	l->left = 0;
	l->state = l->master ? PENDING : LOCKED;
}

/* A turn for `writer`.  True: it is inside; else it is told in the end. */
static bool begin_for(struct brsem *l, struct rwi_waiter *writer)
{
	begin(l);
	if (l->state == LOCKED)
		return true;
	l->pending = writer;
	return false;
}

/* The turn of writers ends: all who came meanwhile are readers inside. */
static void end(struct brsem *l, struct rwi_wake_queue *wakes)
{
	uint32_t arrivals = 0;
	struct rwi_waiter *first;

	for (uint32_t cpu = 0; cpu < RWI_CPUS; cpu++) {
		struct counts *c = counts(l, cpu);

		rwi_store_relaxed(end, &c->departures, 0);
		/* ORDER writer(1/2): the section. */
		arrivals += rwi_xchg_release(end, &c->arrivals, 0) - bias();
		RWI_STEP("heo_2005_v2/end");
	}
	l->master += arrivals - l->left;
	l->stragglers = arrivals - l->came;
	l->state = l->stragglers ? DRAINING : NONE;
	while ((first = l->readers.first)) {
		rwi_waitlist_remove(&l->readers, first);
		rwi_wake_add(wakes, first);
	}
}

/* The turn passes to the next writer as it is, or ends. */
static void pass(struct brsem *l, struct rwi_wake_queue *wakes)
{
	struct rwi_waiter *next = l->writers.first;

	l->pending = NULL;
	if (!next) {
		end(l, wakes);
		return;
	}
	rwi_waitlist_remove(&l->writers, next);
	if (l->state == PENDING)
		l->pending = next;
	else
		rwi_wake_add(wakes, next);
}

/* A straggler has come.  With the last one writers have their turn again. */
static void straggle(struct brsem *l)
{
	struct rwi_waiter *next = l->writers.first;

	if (--l->stragglers)
		return;
	l->state = NONE;
	if (next) {
		rwi_waitlist_remove(&l->writers, next);
		if (begin_for(l, next))
			rwi_waiter_tell(next);
	}
}

/* ---- Sleeping ---- */

/* As rwi_waiter_sleep(); the variant takes any wake-up for its own. */
static int sleep_as_writer(struct rwi_waiter *self, const struct rwi_stay *stay)
{
	if (RWI_BUG("heo_2005_v2.sleeps_once")) {
		const struct rwi_deadline hour =
		    rwi_deadline_in(UINT64_C(3600000000000));

		rwi_park(&self->told, 0, RWI_CLASS_ANY, &hour);
		return 0;
	}
	return rwi_waiter_sleep(self, stay);
}

/* ---- Readers ---- */

/* Under the master lock, refused: be admitted in the end, or leave. */
static int await_end(struct brsem *l, const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .told = 0 };
	int error;

	rwi_waitlist_append(&l->readers, &self);
	rwi_spin_unlock(&l->lock);
	RWI_STEP("heo_2005_v2/read-queued");
	error = rwi_waiter_sleep(&self, stay);
	rwi_spin_lock(&l->lock);
	if (error && rwi_load_relaxed(told, &self.told))
		error = 0;
	if (error) {
		rwi_waitlist_remove(&l->readers, &self);
		l->left++;
	}
	return error;
}

/*
 * The addition gave `count`, a negative number.  Without *stay nobody waits:
 * ETIMEDOUT.
 */
static RWI_NOINLINE int arrive(struct brsem *l, struct counts *c,
			       uint32_t count, const struct rwi_stay *stay)
{
	int error = 0;

	RWI_STEP("heo_2005_v2/arrive");
	rwi_spin_lock(&l->lock);
	if (count < bias()) {
		fold(l, c);
	} else if (l->state == DRAINING &&
		   !RWI_BUG("heo_2005_v2.straggler_lost")) {
		straggle(l);
	} else {
		l->came++;
		if (stay) {
			error = await_end(l, stay);
		} else {
			l->left++;
			error = ETIMEDOUT;
		}
	}
	rwi_spin_unlock(&l->lock);
	return error;
}

static inline int down_read_for(struct brsem *l, const struct rwi_stay *stay)
{
	struct counts *const c = counts(l, rwi_this_cpu());
	/* ORDER writer(2/2): what the last writer stored. */
	const uint32_t count =
	    rwi_fetch_add_acquire(arrive, &c->arrivals, 1) + 1;

	return rwi_likely(count < sign()) ? 0 : arrive(l, c, count, stay);
}

static void down_read(void *lock)
{
	down_read_for(lock, &for_ever);
}

static bool down_read_trylock(void *lock)
{
	return !down_read_for(lock, NULL);
}

static RWI_NOINLINE void depart(struct brsem *l, struct counts *c,
				uint32_t count)
{
	RWI_STEP("heo_2005_v2/depart");
	rwi_spin_lock(&l->lock);
	if (count < bias()) {
		fold(l, c);
	} else if (--l->master == 0 && l->pending &&
		   !RWI_BUG("heo_2005_v2.last_wakes_nobody")) {
		struct rwi_waiter *writer = l->pending;

		l->pending = NULL;
		l->state = LOCKED;
		rwi_waiter_tell(writer);
	}
	rwi_spin_unlock(&l->lock);
}

static void up_read(void *lock)
{
	struct brsem *l = lock;
	struct counts *const c = counts(l, rwi_this_cpu());
	/* ORDER reader(1/2): the section's loads come before. */
	const uint32_t count =
	    rwi_fetch_add_release(depart, &c->departures, 1) + 1;

	if (rwi_unlikely(count >= sign()))
		depart(l, c, count);
}

/* ---- Writers ---- */

/* Under the master lock: nobody told us, so somebody else is to go on. */
static void withdraw(struct brsem *l, struct rwi_waiter *self,
		     struct rwi_wake_queue *wakes)
{
	if (l->pending == self)
		pass(l, wakes);
	else
		rwi_waitlist_remove(&l->writers, self);
}

static int down_write_for(struct brsem *l, const struct rwi_stay *stay)
{
	struct rwi_wake_queue wakes = { .count = 0 };
	struct rwi_waiter self = { .told = 0 };
	bool inside = false;
	int error;

	rwi_spin_lock(&l->lock);
	if (l->state == NONE)
		inside = begin_for(l, &self);
	else
		rwi_waitlist_append(&l->writers, &self);
	rwi_spin_unlock(&l->lock);
	if (inside)
		return 0;
	RWI_STEP("heo_2005_v2/write-queued");
	error = sleep_as_writer(&self, stay);
	if (error) {
		rwi_spin_lock(&l->lock);
		if (rwi_load_relaxed(told, &self.told))
			error = 0;
		else
			withdraw(l, &self, &wakes);
		rwi_spin_unlock(&l->lock);
		rwi_wake_up(&wakes);
	}
	return error;
}

static void down_write(void *lock)
{
	down_write_for(lock, &for_ever);
}

static bool down_write_trylock(void *lock)
{
	struct brsem *l = lock;
	struct rwi_wake_queue wakes = { .count = 0 };
	bool done = false;

	rwi_spin_lock(&l->lock);
	if (l->state == NONE) {
		begin(l);
		done = l->state == LOCKED;
		if (!done)
			end(l, &wakes);
	}
	rwi_spin_unlock(&l->lock);
	rwi_wake_up(&wakes);
	return done;
}

static void up_write(void *lock)
{
	struct brsem *l = lock;
	struct rwi_wake_queue wakes = { .count = 0 };

	RWI_STEP("heo_2005_v2/up-write");
	rwi_spin_lock(&l->lock);
	pass(l, &wakes);
	rwi_spin_unlock(&l->lock);
	rwi_wake_up(&wakes);
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

	*l = (struct brsem){ .state = NONE };
	return rwi_percpu_get(&l->index);
}

static void destroy(void *lock)
{
	struct brsem *l = lock;

	rwi_percpu_put(l->index);
}

RWI_DEFINE_PAIRS(heo_v2, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_heo_2005_v2 = {
	.name = "heo-2005-v2",
	.summary = "big reader semaphore: two counters per CPU that only grow, "
		   "and a bias",
	.origin = "Tejun Heo, linux-kernel, 2005-10-28",
	.file = "heo_2005_v2.c",
	.owes = { { "heo-2005-v1",
		    "counters by CPU and index, and a master count" } },
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
	.down_write_trylock = down_write_trylock,
	.down_read_until = down_read_until,
	.down_write_until = down_write_until,
	.down_read_interruptible = down_read_interruptible,
	.down_write_interruptible = down_write_interruptible,
	.read_pairs = heo_v2_read_pairs,
	.write_pairs = heo_v2_write_pairs,
};
