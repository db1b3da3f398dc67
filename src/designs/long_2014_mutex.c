/* SPDX-License-Identifier: MIT */
/*
 * long-2014-mutex: the sleeping mutex that semaphores were measured against.
 *
 * Origin.  The kernel's mutex as of Linux 3.16: Ingo Molnar 2006; spinning on
 * the owner, Peter Zijlstra 2009; a queue of spinners, Waiman Long 2013, that
 * can be left, Peter Zijlstra and Long 2014.  Waiman Long's message on the
 * semaphore (LKML, August 2014) has it as baseline.  Both sides map to it.
 *
 * Idea.  Three ways in.  The fast one is a compare-and-swap.  If that fails and
 * the owner may be running, it will be out before a sleep has begun: so spin,
 * in a queue in which one at a time looks at the lock.  Else line up on a list,
 * mark the word and sleep; the release that finds the mark wakes the first.
 * Nothing is handed over: who is woken has to try, against all who come.
 *
 * Word.
 *
 *	word		0 free, 1 held, 2 held, and the list is to be looked at
 *	owner		who has it and on which CPU, or 0: for spinners only
 *	spinners	the last in the queue of spinners
 *	wait_lock, list	the sleepers, first come first woken
 *
 * A sleeper tries by swapping a 2 in: it has the lock if a 0 came out, and has
 * put the mark on if not.  Whoever leaves the list as its last one takes the
 * mark off.  So while somebody is on the list, the word has the mark, or is
 * free and the one who freed it wakes the first, or the first is on its way to
 * a try.  (There the values are 1, 0 and -1, and the fast path counts.)
 *
 * Limits.  None on waiters, but 1024 spinners; others sleep.  A sleeper can be
 * passed for ever; hand-off came with Linux 4.10.
 *
 * Costs.  A compare-and-swap, an exchange and two stores of the owner a pair.
 * Who sleeps takes wait_lock twice at least, and its waker once.
 *
 * Wins.  Short sections, many threads, each with a CPU.  In the message ten
 * threads on ten cores make a million pairs each, with one pause in a section,
 * in 1848 ms; the semaphore (bueso-2014) as writers alone in 5618.
 *
 * Loses.  To the semaphore after the message's patches (long-2014): 1306 ms.
 * Where readers could overlap; and with sections longer than a wake-up, where
 * spinning is in vain.
 *
 * Here.  optimistic_spin_ns stands for need_resched(), the CPU on which the
 * owner acquired for on_cpu: who spins gives up earlier than there when
 * sections are long.  A deadline cuts the time short.  The owner can lose its
 * CPU before it is named, and spinners have nobody to look at; their time ends
 * all the same.  A signal is noticed by who sleeps, not by who spins.  The one
 * to wake is picked under wait_lock and woken after it, as later kernels do.
 * The timed form is the interruptible one's way out, with a clock.
 *
 * Repaired.  Nothing is known to be broken in that version.  Kept as variants
 * that the tests must catch, for what has to be right in any mutex like it:
 *	long_2014_mutex.looks_first	the release looks for the mark before it
 *		frees the word, and misses who marks it in between
 *	long_2014_mutex.wake_swallowed	who gives up does so without a try, and
 *		with it goes the wake-up that it had got already
 *	long_2014_mutex.mark_dropped	who leaves the list takes the mark off,
 *		whether others are on it or not
 */
#include "designs/design.h"
#include "designs/parts/osq.h"
#include "designs/parts/spin.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"
#include "port/port.h"

enum { FREE = 0, HELD = 1, MARKED = 2 };

struct mutex {
	uint32_t word;
	struct rwi_osq spinners;
	uint64_t owner;
	struct rwi_spinlock wait_lock;
	struct rwi_waitlist list; /* under wait_lock */
};

static inline void name_owner(struct mutex *m)
{
	rwi_store_relaxed(owner, &m->owner, rwi_owner_self());
}

static inline bool take(struct mutex *m)
{
	uint32_t found = FREE;

	/* ORDER section(2/2): all sections before. */
	if (!rwi_cas_acquire(take, &m->word, &found, HELD))
		return false;
	RWI_STEP("long_2014_mutex/not_owner_yet");
	name_owner(m);
	return true;
}

/* ---- Spinning ---- */

static inline uint64_t owner_of(const struct mutex *m)
{
	return rwi_load_relaxed(owner, &m->owner);
}

/* Look on while `owner` has the lock.  False: that makes no sense any more. */
static bool watch(const struct mutex *m, uint64_t owner, struct rwi_spin *spin)
{
	while (owner_of(m) == owner) {
		if (!rwi_owner_may_run(owner) || !rwi_spin_on(spin))
			return false;
	}
	return true;
}

static bool first_in_line(struct mutex *m, struct rwi_spin *spin)
{
	do {
		const uint64_t owner = owner_of(m);

		if (owner && !watch(m, owner, spin))
			return false;
		if (rwi_load_relaxed(free, &m->word) == FREE && take(m))
			return true;
	} while (rwi_spin_on(spin));
	return false;
}

/* How long to spin at most; 0: not at all. */
static uint32_t time_to_spin_ns(const struct rwi_stay *stay)
{
	const uint32_t most_ns = rwi_tunable(optimistic_spin_ns);
	const uint64_t left_ns =
	    stay->deadline ? rwi_left_ns(stay->deadline) : most_ns;

	return left_ns < most_ns ? (uint32_t)left_ns : most_ns;
}

static bool optimistic_spin(struct mutex *m, const struct rwi_stay *stay)
{
	const uint32_t budget_ns = time_to_spin_ns(stay);
	struct rwi_spin spin;
	uint32_t number;
	bool taken;

	if (!budget_ns || !rwi_owner_may_run(owner_of(m)) ||
	    !rwi_spin_start(&spin, budget_ns))
		return false;
	number = rwi_osq_lock(&m->spinners, &spin);
	if (!number)
		return false;
	RWI_STEP("long_2014_mutex/first_in_line");
	taken = first_in_line(m, &spin);
	rwi_osq_unlock(&m->spinners, number);
	return taken;
}

/* ---- Sleeping ---- */

/*
 * Under wait_lock, on the list.  A mark that is on need not be put on again:
 * whoever takes it off by a release looks at the list after us.
 */
static bool take_or_mark(struct mutex *m)
{
	/* ORDER section(2/2): all sections before. */
	return rwi_load_relaxed(marked, &m->word) != MARKED &&
	       rwi_xchg_acquire(mark, &m->word, MARKED) == FREE;
}

/* Under wait_lock, after a try.  A word that is free by now is left alone. */
static void leave(struct mutex *m, struct rwi_waiter *self)
{
	uint32_t marked = MARKED;

	rwi_waitlist_remove(&m->list, self);
	if (!m->list.first || RWI_BUG("long_2014_mutex.mark_dropped"))
		rwi_cas_relaxed(unmark, &m->word, &marked, HELD);
}

static int wait_in_list(struct mutex *m, const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .told = 0 };
	bool taken;
	int error = 0;

	rwi_spin_lock(&m->wait_lock);
	rwi_waitlist_append(&m->list, &self);
	/* Who gives up has tried after the last time it was told. */
	while (!(taken = take_or_mark(m)) && !error) {
		rwi_spin_unlock(&m->wait_lock);
		RWI_STEP("long_2014_mutex/sleeps");
		error = rwi_waiter_sleep(&self, stay);
		RWI_STEP("long_2014_mutex/slept");
		rwi_spin_lock(&m->wait_lock);
		rwi_waiter_rearm(&self);
		if (error && RWI_BUG("long_2014_mutex.wake_swallowed"))
			break;
	}
	leave(m, &self);
	rwi_spin_unlock(&m->wait_lock);
	if (!taken)
		return error;
	RWI_STEP("long_2014_mutex/taken");
	name_owner(m);
	return 0;
}

static RWI_NOINLINE int down_slow(struct mutex *m, const struct rwi_stay *stay)
{
	RWI_STEP("long_2014_mutex/spins");
	if (optimistic_spin(m, stay))
		return 0;
	RWI_STEP("long_2014_mutex/spun");
	return wait_in_list(m, stay);
}

static RWI_NOINLINE void wake_first(struct mutex *m)
{
	struct rwi_wake_queue wake = { .count = 0 };

	RWI_STEP("long_2014_mutex/freed");
	rwi_spin_lock(&m->wait_lock);
	if (m->list.first)
		rwi_wake_add(&wake, m->list.first);
	rwi_spin_unlock(&m->wait_lock);
	RWI_STEP("long_2014_mutex/wakes");
	rwi_wake_up(&wake);
}

/* ---- Operations, for both sides ---- */

static inline int down_for(struct mutex *m, const struct rwi_stay *stay)
{
	return rwi_likely(take(m)) ? 0 : down_slow(m, stay);
}

static void down(void *lock)
{
	static const struct rwi_stay for_ever;

	down_for(lock, &for_ever);
}

static int down_interruptible(void *lock)
{
	static const struct rwi_stay until_signal = { .interruptible = true };

	return down_for(lock, &until_signal);
}

static int down_until(void *lock, clockid_t clock, const struct timespec *at)
{
	struct rwi_deadline deadline;
	const struct rwi_stay stay = { .deadline = &deadline };
	const int error = rwi_deadline_from(&deadline, clock, at);

	return error ? error : down_for(lock, &stay);
}

static bool trylock(void *lock)
{
	return take(lock);
}

static void up(void *lock)
{
	struct mutex *m = lock;
	bool marked = RWI_BUG("long_2014_mutex.looks_first") &&
		      rwi_load_relaxed(look, &m->word) == MARKED;
	uint32_t old;

	rwi_store_relaxed(nobody, &m->owner, 0);
	RWI_STEP("long_2014_mutex/frees");
	/* ORDER section(1/2): our section, for whoever comes next. */
	old = rwi_xchg_release(free, &m->word, FREE);
	if (!RWI_BUG("long_2014_mutex.looks_first"))
		marked = old == MARKED;
	if (rwi_unlikely(marked))
		wake_first(m);
}

RWI_DEFINE_PAIRS(mutex, down(lock), up(lock), down(lock), up(lock))

const struct rwi_design rwi_design_long_2014_mutex = {
	.name = "long-2014-mutex",
	.summary = "the kernel's mutex of 2014, with a queue of spinners",
	.origin = "Molnar, Zijlstra, Long; Linux 3.16, August 2014",
	.file = "long_2014_mutex.c",
	.owes = { { "mellor-crummey-1991-mcs",
		    "a queue whose waiters each spin on their own word" } },
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
	.down_read_until = down_until,
	.down_write_until = down_until,
	.down_read_interruptible = down_interruptible,
	.down_write_interruptible = down_interruptible,
	.read_pairs = mutex_read_pairs,
	.write_pairs = mutex_write_pairs,
};
