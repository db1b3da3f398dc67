/* SPDX-License-Identifier: MIT */
/*
 * The semaphore.
 *
 * One 64-bit word (word.h has its legend) says everything that concerns those
 * who do not wait.  Free is 0; W is one writer; the upper half counts read
 * holds.  Whoever finds what it expects needs one compare-and-swap:
 *
 *	down_write   0        -> W           up_write   W        -> 0
 *	down_read    n holds  -> n + 1       up_read    n holds  -> n - 1
 *	downgrade    W        -> 1 hold
 *
 * The rest is about those who wait.
 *
 * Waiting.  A thread that cannot have the lock first looks on for a moment
 * (spin), for most sections are shorter than a sleep; not on one CPU, nor when
 * the owner was last seen on this CPU and so cannot be running, nor when there
 * is a queue or somebody is on the way.  Then it queues in the parking table
 * (park.h), and sleeps on a word of its own.
 *
 * Stealing.  A lock that becomes free is free for all: whoever runs may take
 * it, queue or not, so it never idles while a sleeper is on its way.  The
 * release that leaves a queue behind tells the first in it to compete, WOKEN,
 * and until that one has acquired or queued again, in its old place, releases
 * need wake nobody.  So there is at most one awake competitor from the queue,
 * and no herd.
 *
 * Hand-off.  A first waiter that has been first for 0.5 ms, or has lost eight
 * competitions, is told to compete with HANDOFF: nobody else may acquire.  One
 * forced hand-over per waiter and half a millisecond is the price of the
 * bounds in rwsem.h.
 *
 * Readers.  A queued reader is let in with all other queued readers, because
 * they share: by the reader that competed for them, or by whoever finds
 * readers inside and readers first in the queue.  When a writer is first,
 * WPEND makes new readers queue, so those inside run out.
 *
 * Giving up, being woken for nothing, being stopped: a waiter that leaves puts
 * its marks off and settles what follows for the others (slow.c, settle());
 * every sleep is cut into slices, at whose end a sleeper takes over the duty
 * of a competitor that does not come.
 *
 * Who has the duty.  Invariant I4 (word.h): with a queue there is a writer, a
 * reader, or a competitor, and each of them passes through a section of slow.c
 * when it ends.  That is the whole argument why no wake-up is lost; the
 * exhaustive model in models/ checks it and the bounds' premises.
 *
 * Ordering.  Two kinds of edges carry everything: `hold` from a release to a
 * later acquisition through the word (all changes are read-modify-writes, so
 * release sequences never break), and `told` from a teller to its waiter.
 *
 * This file has the calls and their fast paths.
 */
#include "core/core.h"

#include <errno.h>

static const struct rwi_how for_ever = { .owned = true };

/*
 * The hints left for those who wait, by whoever acquires as it expected: that
 * it makes progress, and where a writer is.  Its line is hot.
 */
static inline void note_burst(rwsem_t *sem)
{
	const uint16_t burst = rwi_load_relaxed(burst, &sem->burst_);

	rwi_store_relaxed(burst, &sem->burst_, (uint16_t)(burst + 1));
}

static inline void note_writer(rwsem_t *sem)
{
	rwi_store_relaxed(cpu, &sem->cpu_, rwi_cpu_hint());
	note_burst(sem);
}

/* ---- Acquiring ---- */

/*
 * Acquire if the word allows it.  Losing to others who only pass through means
 * that the line is busy: let them finish, longer each time, so that it moves
 * once a burst of calls and not with each.
 */
static bool now_or_never(rwsem_t *sem, enum rwi_kind kind, enum rwi_turn turn)
{
	uint64_t s = rwi_load_relaxed(now, &sem->word_);
	uint32_t backoff_ns = rwi_tunable(backoff_ns_min);

	while (rwi_obtainable(sem, s, kind, turn)) {
		/* ORDER hold(2/2): what earlier holders stored. */
		if (rwi_cas_acquire(now, &sem->word_, &s, s + rwi_hold(kind)))
			return true;
		rwi_delay(backoff_ns);
		if (backoff_ns < rwi_tunable(backoff_ns_max))
			backoff_ns *= 2;
		s = rwi_load_relaxed(again, &sem->word_);
	}
	return false;
}

/* Everything but the fast paths.  0, ETIMEDOUT, EINTR, EAGAIN. */
static RWI_NOINLINE int acquire(rwsem_t *sem, enum rwi_kind kind,
				enum rwi_turn turn, const struct rwi_how *how)
{
	const uint64_t s = rwi_load_relaxed(acquire, &sem->word_);
	const bool checked = s & RWI_CHECKED, once = turn == RWI_TRY;
	int r = 0;

	if (checked)
		turn = rwi_check_down(sem, kind, turn, how);
	if (!now_or_never(sem, kind, turn)) {
		if (!once)
			r = rwi_wait(sem, kind, turn, how);
		else
			r = rwi_full(s, kind) ? EAGAIN : ETIMEDOUT;
	}
	if (checked && r)
		rwi_check_failed(sem, kind, how);
	else if (checked)
		rwi_check_acquired(sem, kind);
	if (!r && kind == RWI_WRITE)
		note_writer(sem);
	return r;
}

/*
 * The fast paths guess the word instead of reading it: that it is what a call
 * found when it was last wrong, at first 0.  A right guess costs one atomic
 * operation; a wrong one brings the truth, where a look would fetch a busy line
 * to read and then again to write.  So a word with marks of sleeping waiters
 * costs no more than a free one.
 *
 * Readers who meet other readers would guess wrong every other time, and look
 * instead.  The hint has the marks to guess in its lowest byte, and above it
 * how many more reads look first: so many as must find nobody inside in a row.
 */
enum { MARKS = UINT8_MAX, LOOKS = 64, ONE_LOOK = MARKS + 1 };

static inline uint32_t hint(const rwsem_t *sem)
{
	return rwi_load_relaxed(hint, &sem->hint_);
}

static inline void set_hint(rwsem_t *sem, uint64_t s, uint32_t looks)
{
	rwi_store_relaxed(set_hint, &sem->hint_,
			  (uint32_t)(s & MARKS) + looks * ONE_LOOK);
}

static inline bool admits(const rwsem_t *sem, uint64_t s, enum rwi_kind kind)
{
	return !(s & RWI_CHECKED) && rwi_obtainable(sem, s, kind, RWI_ARRIVAL);
}

/* Acquire if the guess *s is right; else *s is what is true. */
static inline bool guess(rwsem_t *sem, enum rwi_kind kind, uint64_t *s)
{
	if (rwi_unlikely(*s) && !rwi_obtainable(sem, *s, kind, RWI_ARRIVAL))
		*s = 0;
	/* ORDER hold(2/2): what earlier holders stored. */
	return rwi_likely(
	    rwi_cas_acquire(guess, &sem->word_, s, *s + rwi_hold(kind)));
}

/* Acquire by the truth that a wrong guess has brought. */
static inline bool take_found(rwsem_t *sem, enum rwi_kind kind, uint64_t s)
{
	/* ORDER hold(2/2): what earlier holders stored. */
	if (!admits(sem, s, kind) ||
	    !rwi_cas_acquire(found, &sem->word_, &s, s + rwi_hold(kind)))
		return false;
	set_hint(sem, s, 0);
	return true;
}

/*
 * Read by looking first.  A reader that `met` others at the word stays away for
 * a while, and so each has a burst of calls with the line to itself.
 */
static RWI_NOINLINE bool read_by_look(rwsem_t *sem, bool met)
{
	uint32_t looks = hint(sem) / ONE_LOOK;
	uint32_t apart_ns = rwi_tunable(apart_ns_min);
	uint64_t s;

	for (;; met = true) {
		if (met) {
			looks = LOOKS + 1;
			rwi_delay(apart_ns);
			if (apart_ns < rwi_tunable(apart_ns_max))
				apart_ns *= 2;
		}
		s = rwi_load_relaxed(look, &sem->word_);
		if (!admits(sem, s, RWI_READ))
			return false;
		/* ORDER hold(2/2): what earlier holders stored. */
		if (rwi_cas_acquire(look, &sem->word_, &s, s + RWI_READER))
			break;
	}
	if (rwi_readers(s) == 0)
		looks -= looks > 0;
	set_hint(sem, s, looks);
	return true;
}

static RWI_INLINE bool read_at_once(rwsem_t *sem)
{
	uint64_t s = hint(sem);

	if (rwi_unlikely(s >= ONE_LOOK))
		return read_by_look(sem, false);
	if (rwi_unlikely(!guess(sem, RWI_READ, &s)))
		return read_by_look(sem,
				    rwi_readers(s) && admits(sem, s, RWI_READ));
	note_burst(sem);
	return true;
}

static inline bool write_at_once(rwsem_t *sem)
{
	uint64_t s = hint(sem) & MARKS;

	if (!guess(sem, RWI_WRITE, &s) && !take_found(sem, RWI_WRITE, s))
		return false;
	note_writer(sem);
	return true;
}

void rwsem_down_read(rwsem_t *sem)
{
	if (!read_at_once(sem))
		acquire(sem, RWI_READ, RWI_ARRIVAL, &for_ever);
}

void rwsem_down_write(rwsem_t *sem)
{
	if (!write_at_once(sem))
		acquire(sem, RWI_WRITE, RWI_ARRIVAL, &for_ever);
}

bool rwsem_down_read_trylock(rwsem_t *sem)
{
	uint64_t s = hint(sem) & MARKS;

	return guess(sem, RWI_READ, &s) ||
	       acquire(sem, RWI_READ, RWI_TRY, &for_ever) == 0;
}

bool rwsem_down_write_trylock(rwsem_t *sem)
{
	return write_at_once(sem) ||
	       acquire(sem, RWI_WRITE, RWI_TRY, &for_ever) == 0;
}

static int down_until(rwsem_t *sem, enum rwi_kind kind, clockid_t clock,
		      const struct timespec *at)
{
	const struct rwi_deadline deadline = { .clock = clock, .at = *at };
	const struct rwi_how how = { .deadline = &deadline,
				     .may_fail = true,
				     .owned = true };
	enum rwi_turn turn = RWI_ARRIVAL;

	if (!rwi_clock_known(clock) || at->tv_nsec < 0 ||
	    at->tv_nsec > 999999999)
		return EINVAL;
	if (kind == RWI_READ ? read_at_once(sem) : write_at_once(sem))
		return 0;
	if (rwi_left_ns(&deadline) == 0)
		turn = RWI_TRY;
	return acquire(sem, kind, turn, &how);
}

int rwsem_down_read_until(rwsem_t *sem, clockid_t clock,
			  const struct timespec *deadline)
{
	return down_until(sem, RWI_READ, clock, deadline);
}

int rwsem_down_write_until(rwsem_t *sem, clockid_t clock,
			   const struct timespec *deadline)
{
	return down_until(sem, RWI_WRITE, clock, deadline);
}

static const struct rwi_how until_signal = { .interruptible = true,
					     .may_fail = true,
					     .owned = true };

int rwsem_down_read_interruptible(rwsem_t *sem)
{
	return read_at_once(sem)
		   ? 0
		   : acquire(sem, RWI_READ, RWI_ARRIVAL, &until_signal);
}

int rwsem_down_write_interruptible(rwsem_t *sem)
{
	return write_at_once(sem)
		   ? 0
		   : acquire(sem, RWI_WRITE, RWI_ARRIVAL, &until_signal);
}

void rwsem_down_read_non_owner(rwsem_t *sem)
{
	static const struct rwi_how for_nobody = { .owned = false };

	if (!read_at_once(sem))
		acquire(sem, RWI_READ, RWI_ARRIVAL, &for_nobody);
}

/* ---- Releasing ---- */

/* After the releasing step *sem may be gone: nothing here looks at it again. */
static RWI_NOINLINE void release(rwsem_t *sem, enum rwi_kind kind, bool owned)
{
	uint64_t s = rwi_load_relaxed(release, &sem->word_);
	const bool checked = s & RWI_CHECKED;

	if (checked)
		rwi_check_up(sem, kind, owned);
	rwi_release(sem, kind);
	if (checked && owned)
		rwi_check_released(sem, kind);
}

/* The guess is that nobody came or went since. */
static inline bool give_at_once(rwsem_t *sem, enum rwi_kind kind)
{
	const uint32_t h = hint(sem);
	const bool guesses = kind == RWI_WRITE || h < ONE_LOOK;
	uint64_t s = (kind == RWI_WRITE ? h & MARKS : h) + rwi_hold(kind);

	/* ORDER hold(1/2): the section, for the next holder. */
	if (rwi_likely(guesses && !rwi_has_duty(s, kind)) &&
	    rwi_likely(
		rwi_cas_release(guess, &sem->word_, &s, s - rwi_hold(kind))))
		return true;
	s = rwi_load_relaxed(look, &sem->word_);
	if (s & RWI_CHECKED || rwi_has_duty(s, kind) ||
	    !(kind == RWI_WRITE ? s & RWI_WRITER : rwi_readers(s)))
		return false;
	/* ORDER hold(1/2): the section, for the next holder. */
	return rwi_cas_release(found, &sem->word_, &s, s - rwi_hold(kind));
}

void rwsem_up_read(rwsem_t *sem)
{
	if (rwi_unlikely(!give_at_once(sem, RWI_READ)))
		release(sem, RWI_READ, true);
}

void rwsem_up_read_non_owner(rwsem_t *sem)
{
	if (rwi_unlikely(!give_at_once(sem, RWI_READ)))
		release(sem, RWI_READ, false);
}

void rwsem_up_write(rwsem_t *sem)
{
	if (rwi_unlikely(!give_at_once(sem, RWI_WRITE)))
		release(sem, RWI_WRITE, true);
}

void rwsem_downgrade_write(rwsem_t *sem)
{
	uint64_t s = RWI_WRITER;

	/* ORDER hold(1/2): the section, for readers. */
	if (rwi_likely(rwi_cas_release(fast, &sem->word_, &s, RWI_READER)))
		return;
	if (s & RWI_CHECKED)
		rwi_check_downgrade(sem);
	rwi_downgrade(sem);
}

/* ---- Life ---- */

int rwsem_init(rwsem_t *sem, unsigned flags)
{
	const unsigned known = RWSEM_PREFER_READERS | RWSEM_PREFER_WRITERS |
			       RWSEM_RECURSIVE_READ | RWSEM_DEBUG;
	const unsigned both = RWSEM_PREFER_READERS | RWSEM_PREFER_WRITERS;

	if (flags & ~known || (flags & both) == both)
		return EINVAL;
	*sem = (rwsem_t)RWSEM_INIT;
	sem->flags_ = flags;
	if (flags & (RWSEM_RECURSIVE_READ | RWSEM_DEBUG))
		sem->word_ = RWI_CHECKED;
	return 0;
}

void rwsem_destroy(rwsem_t *sem)
{
	if (rwi_has_flag(sem, RWSEM_DEBUG))
		rwi_check_destroy(sem);
}

/* ---- Asking ---- */

bool rwsem_is_locked(const rwsem_t *sem)
{
	const uint64_t s = rwi_load_relaxed(is_locked, &sem->word_);

	return s & RWI_WRITER || rwi_readers(s);
}

bool rwsem_is_contended(const rwsem_t *sem)
{
	return rwi_load_relaxed(is_contended, &sem->word_) &
	       (RWI_QUEUED | RWI_WOKEN);
}

void rwsem_assert_held(const rwsem_t *sem)
{
	if (!rwsem_is_locked(sem))
		rwi_fault(sem, "assert_held: not held");
}

void rwsem_assert_held_write(const rwsem_t *sem)
{
	if (!(rwi_load_relaxed(assert, &sem->word_) & RWI_WRITER))
		rwi_fault(sem, "assert_held_write: not held for writing");
	if (rwi_has_flag(sem, RWSEM_DEBUG))
		rwi_check_writer(sem,
				 "assert_held_write: another thread writes");
}
