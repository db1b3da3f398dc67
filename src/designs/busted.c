/* SPDX-License-Identifier: MIT */
/*
 * Three locks that are broken on purpose, to prove that the suites can tell.
 *
 * All three are the same small lock with one flaw each:
 *
 *	busted-exclusion  a writer looks for another writer only, so it is
 *	                  let in beside readers
 *	busted-wakeup     the release takes the mark off that all waiters
 *	                  share, and wakes one of them; the others sleep on
 *	busted-handoff    a waiter that gives up leaves its hand-off mark
 *	                  behind, which bars the free lock to newcomers
 *
 * The word:
 *
 *	31         3     2         1        0
 *	[ readers ] [ handoff ][ waiting ][ writer ]
 *
 * WAITING  somebody sleeps on the word; the release that frees the lock takes
 *          it off and wakes.
 * HANDOFF  only a thread that has slept may acquire.  Every sleeper sets it,
 *          and whoever acquires, or gives up, after a sleep takes it off.
 */
#include "designs/design.h"
#include "port/port.h"

#include <errno.h>
#include <limits.h>

#define WRITER  (UINT32_C(1) << 0)
#define WAITING (UINT32_C(1) << 1)
#define HANDOFF (UINT32_C(1) << 2)
#define READER  (UINT32_C(1) << 3)
#define READERS (~(READER - 1))

enum flaw { WRITER_BESIDE_READERS = 1, WAKES_ONE_OF_MANY, HANDOFF_LEFT };

struct busted {
	uint32_t word;
	uint32_t flaw;
};

static uint32_t writer_barred_by(const struct busted *l)
{
	return l->flaw == WRITER_BESIDE_READERS ? WRITER : WRITER | READERS;
}

/*
 * Add `gain` to the word if none of `bars` is set in what is found; else leave
 * what was found in *found and return false.
 */
static bool take(struct busted *l, uint32_t bars, uint32_t gain, bool heir,
		 uint32_t *found)
{
	*found = rwi_load_relaxed(look, &l->word);
	bars |= heir ? 0 : HANDOFF;
	while (!(*found & bars)) {
		uint32_t next = (heir ? *found & ~HANDOFF : *found) + gain;

		/* ORDER admit(2/2): the section before this one. */
		if (rwi_cas_acquire(take, &l->word, found, next))
			return true;
	}
	return false;
}

static void give_up(struct busted *l, bool heir)
{
	if (!heir || l->flaw == HANDOFF_LEFT)
		return;
	rwi_fetch_and_relaxed(give_up, &l->word, ~HANDOFF);
	rwi_unpark(&l->word, INT_MAX, RWI_CLASS_ANY);
}

/* Returns 0, ETIMEDOUT, or what a signal means to the caller: 0 is nothing. */
static int down(struct busted *l, uint32_t bars, uint32_t gain,
		const struct rwi_deadline *deadline, int on_signal)
{
	uint32_t found;
	bool heir = false;

	while (!take(l, bars, gain, heir, &found)) {
		const uint32_t marked = found | WAITING | HANDOFF;
		enum rwi_parked parked;

		if (!rwi_cas_relaxed(mark, &l->word, &found, marked))
			continue;
		heir = true;
		parked = rwi_park(&l->word, marked, RWI_CLASS_ANY, deadline);
		if (parked == RWI_PARKED_TIMEOUT ||
		    (parked == RWI_PARKED_SIGNAL && on_signal)) {
			give_up(l, heir);
			return parked == RWI_PARKED_TIMEOUT ? ETIMEDOUT
							    : on_signal;
		}
	}
	return 0;
}

static void wake(struct busted *l)
{
	rwi_fetch_and_relaxed(wake, &l->word, ~WAITING);
	rwi_unpark(&l->word, l->flaw == WAKES_ONE_OF_MANY ? 1 : INT_MAX,
		   RWI_CLASS_ANY);
}

/* A park needs a deadline; a year is longer than any test. */
static int down_some_day(struct busted *l, uint32_t bars, uint32_t gain,
			 int on_signal)
{
	const uint64_t year_ns = UINT64_C(31536000) * 1000000000;
	const struct rwi_deadline some_day = rwi_deadline_in(year_ns);

	return down(l, bars, gain, &some_day, on_signal);
}

static void down_read(void *lock)
{
	down_some_day(lock, WRITER, READER, 0);
}

static void down_write(void *lock)
{
	down_some_day(lock, writer_barred_by(lock), WRITER, 0);
}

static int down_read_interruptible(void *lock)
{
	return down_some_day(lock, WRITER, READER, EINTR);
}

static int down_write_interruptible(void *lock)
{
	return down_some_day(lock, writer_barred_by(lock), WRITER, EINTR);
}

static int down_read_until(void *lock, clockid_t clock,
			   const struct timespec *at)
{
	return down(lock, WRITER, READER, &(struct rwi_deadline){ clock, *at },
		    0);
}

static int down_write_until(void *lock, clockid_t clock,
			    const struct timespec *at)
{
	return down(lock, writer_barred_by(lock), WRITER,
		    &(struct rwi_deadline){ clock, *at }, 0);
}

static bool down_read_trylock(void *lock)
{
	uint32_t found;

	return take(lock, WRITER, READER, false, &found);
}

static bool down_write_trylock(void *lock)
{
	uint32_t found;

	return take(lock, writer_barred_by(lock), WRITER, false, &found);
}

static void up_read(void *lock)
{
	struct busted *l = lock;
	/* ORDER admit(1/2): the section's loads come before. */
	const uint32_t old = rwi_fetch_sub_release(up_read, &l->word, READER);

	if (old & WAITING && (old & READERS) == READER)
		wake(l);
}

static void up_write(void *lock)
{
	struct busted *l = lock;

	/* ORDER admit(1/2): the section's stores. */
	if (rwi_fetch_sub_release(up_write, &l->word, WRITER) & WAITING)
		wake(l);
}

static void downgrade_write(void *lock)
{
	struct busted *l = lock;

	/* ORDER admit(1/2): the writer's stores. */
	if (rwi_fetch_add_release(downgrade, &l->word, READER - WRITER) &
	    WAITING)
		wake(l);
}

RWI_DEFINE_PAIRS(busted, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

static int init_exclusion(void *lock)
{
	*(struct busted *)lock = (struct busted){ 0, WRITER_BESIDE_READERS };
	return 0;
}

static int init_wakeup(void *lock)
{
	*(struct busted *)lock = (struct busted){ 0, WAKES_ONE_OF_MANY };
	return 0;
}

static int init_handoff(void *lock)
{
	*(struct busted *)lock = (struct busted){ 0, HANDOFF_LEFT };
	return 0;
}

#define OPERATIONS                                                             \
	.origin = "this project", .file = "busted.c", .traits = RWI_BROKEN,    \
	.lock_size = sizeof(struct busted),                                    \
	.lock_align = _Alignof(struct busted), .down_read = down_read,         \
	.up_read = up_read, .down_write = down_write, .up_write = up_write,    \
	.down_read_trylock = down_read_trylock,                                \
	.down_write_trylock = down_write_trylock,                              \
	.down_read_until = down_read_until,                                    \
	.down_write_until = down_write_until,                                  \
	.down_read_interruptible = down_read_interruptible,                    \
	.down_write_interruptible = down_write_interruptible,                  \
	.downgrade_write = downgrade_write, .read_pairs = busted_read_pairs,   \
	.write_pairs = busted_write_pairs

const struct rwi_design rwi_design_busted_exclusion = {
	.name = "busted-exclusion",
	.summary = "broken on purpose: a writer is admitted beside readers",
	.init = init_exclusion,
	OPERATIONS,
};

const struct rwi_design rwi_design_busted_wakeup = {
	.name = "busted-wakeup",
	.summary = "broken on purpose: one wake-up for all waiters is lost",
	.init = init_wakeup,
	OPERATIONS,
};

const struct rwi_design rwi_design_busted_handoff = {
	.name = "busted-handoff",
	.summary = "broken on purpose: giving up leaves a hand-off mark behind",
	.init = init_handoff,
	OPERATIONS,
};
