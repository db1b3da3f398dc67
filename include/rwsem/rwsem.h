/* SPDX-License-Identifier: MIT */
/*
 * rwsem: a reader-writer semaphore for the threads of one process.
 *
 * Many readers or one writer.  32 bytes; all-zero memory is an unlocked
 * semaphore, so static, bss and calloc'd ones need no call.  Nothing here
 * allocates, and the uncontended paths make no system call.
 *
 *	static rwsem_t config_sem = RWSEM_INIT;
 *
 *	rwsem_down_read(&config_sem);
 *	use(config);
 *	rwsem_up_read(&config_sem);
 *
 *	rwsem_down_write(&config_sem);
 *	config = replacement;
 *	rwsem_downgrade_write(&config_sem);
 *	publish(config);
 *	rwsem_up_read(&config_sem);
 *
 * Who may hold.  A write hold belongs to the thread that took it.  A read hold
 * belongs to nobody: any thread may release it.  A thread that holds a
 * semaphore in either mode must not ask for it again (it can deadlock behind a
 * waiting writer) except for reading with RWSEM_RECURSIVE_READ.  Copying or
 * moving a semaphore that is held or waited for is undefined.
 *
 * Memory order.  An acquisition for writing synchronises with every earlier
 * release; one for reading with every earlier release of a write hold, and
 * with every earlier downgrade.  So what was stored under a hold is visible
 * under any later conflicting one.  A failed try orders nothing.
 *
 * Destruction.  No function touches the semaphore after the step that releases
 * it: whoever acquires it next may destroy, free or unmap it at once, as long
 * as nobody else is about to use it.
 *
 * How long one waits.  With H the longest hold of the semaphore, L the longest
 * time from a wake-up call to the woken thread running, S = 15 us the longest
 * spin of a woken waiter, T = 0.5 ms and B = 8, the first waiter in the queue
 * has it after at most
 *
 *	T + 2L + S + H
 *
 * and is passed by newcomers at most until B of its own attempts failed; the
 * k-th waits at most k * (T + 2L + S + 2H), where all readers queued together
 * count as one.  Both sides, fair policy.  A preference adds P = 4 ms to the
 * other side's bound and takes nothing from anybody: a writer under
 * RWSEM_PREFER_READERS, or a reader under RWSEM_PREFER_WRITERS, is passed over
 * until it has been queued for P, and from then on served in order of
 * arrival.  Not covered: threads that only ever use the _trylock forms, which
 * respect no queue; threads that read again under RWSEM_RECURSIVE_READ;
 * waiters stopped by a debugger or inside a signal handler, which delay
 * everybody by at most one slice, 0.1 s or, where all others have waited for
 * long, up to 1 s; L itself, which is the scheduler's.
 *
 * Signals.  Every function preserves errno.  The _trylock, up and downgrade
 * forms are async-signal-safe; those that wait are not.  No function is a
 * cancellation point.
 *
 * Fork.  The child inherits the holds of the thread that called fork and may
 * release them.  Waiters of the parent do not exist in the child.  Holds of
 * other threads stay, as with every lock.
 *
 * Before main, in constructors, in atexit handlers, in thread-specific data
 * destructors: all functions work.
 *
 * Source of the algorithm: the word and the verbs descend from the Linux
 * kernel's rwsem; the queue in a parking table from WTF::ParkingLot (Pizlo,
 * 2015); stealing with a bounded hand-off from Lespinasse (2013) and Long
 * (2019).  src/core/rwsem.c explains it.
 */
#ifndef RWSEM_RWSEM_H
#define RWSEM_RWSEM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define RWSEM_VERSION_MAJOR 0
#define RWSEM_VERSION_MINOR 1
#define RWSEM_VERSION_PATCH 0
#define RWSEM_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with everything else hidden. */
#pragma GCC visibility push(default)

/*
 * Treat the fields as private.  The layout is frozen at version 1.0, not
 * before: until then, rebuild what includes inline.h with every new version.
 */
typedef struct rwsem_t {
	uint64_t word_;  /* the state; src/core/word.h has its legend */
	uint32_t owner_; /* checked semaphores: the writer's thread id */
	uint16_t cpu_;   /* hint: 1 + the last writer's CPU, 0 unknown */
	uint16_t burst_; /* hint: counts acquisitions at the first try */
	uint32_t flags_; /* RWSEM_* given at initialisation */
	uint32_t hint_;  /* hint: what the fast paths expect to find */
	uint32_t tier_;  /* zero; kept for readers that scale */
	uint32_t zero_;  /* always zero, see docs/design.md */
} rwsem_t;

// clang-format off
#define RWSEM_INIT { 0, 0, 0, 0, 0, 0, 0, 0 }
// clang-format on

/* Flags of rwsem_init().  The bounds above say what each changes. */
enum {
	/* Readers pass a waiting writer until it has waited for P. */
	RWSEM_PREFER_READERS = 1 << 0,
	/* Waiting writers go before waiting readers until those waited P. */
	RWSEM_PREFER_WRITERS = 1 << 1,
	/*
	 * A thread that already reads this semaphore may read it again, past a
	 * waiting writer.  Each hold is released by the thread that took it
	 * (or taken and released with the _non_owner forms).
	 */
	RWSEM_RECURSIVE_READ = 1 << 2,
	/*
	 * Check every call: owner, recursion, release of what is not held,
	 * destruction while held or waited for.  A fault ends the process with
	 * one line on standard error that has the state decoded.
	 */
	RWSEM_DEBUG = 1 << 3,
	/*
	 * Always refused with EINVAL.  Waiters queue in a table that belongs
	 * to the process; use a process-shared pthread_rwlock_t instead.
	 */
	RWSEM_PROCESS_SHARED = 1 << 4
};

#if defined __GNUC__
#define RWSEM_MUST_CHECK_ __attribute__((warn_unused_result))
#else
#define RWSEM_MUST_CHECK_
#endif

/*
 * Make *sem an unlocked semaphore with the given flags (0: fair).  Returns 0,
 * or EINVAL for unknown flags, both preferences at once, or
 * RWSEM_PROCESS_SHARED; then *sem is untouched.  Not needed for zeroed memory.
 */
int rwsem_init(rwsem_t *sem, unsigned flags);

/*
 * End the use of *sem.  Requires that nobody holds it or waits for it, which
 * RWSEM_DEBUG checks.  Not needed: the memory may simply be reused.
 */
void rwsem_destroy(rwsem_t *sem);

/*
 * Acquire for reading; wait while a writer holds *sem or is next in the queue.
 * Also waits while 2^31 - 1 read holds are out.
 */
void rwsem_down_read(rwsem_t *sem);

/* Acquire for writing; wait until nobody holds *sem. */
void rwsem_down_write(rwsem_t *sem);

/*
 * Acquire now or return false, without waiting and without regard to the
 * queue, except that a reader does not pass a writer that is next in it.
 * Never fails on a semaphore that nobody holds.
 */
bool rwsem_down_read_trylock(rwsem_t *sem) RWSEM_MUST_CHECK_;
bool rwsem_down_write_trylock(rwsem_t *sem) RWSEM_MUST_CHECK_;

/*
 * Acquire, or give up at the absolute time `deadline` of `clock`, which is
 * CLOCK_MONOTONIC or CLOCK_REALTIME.  A deadline in the past makes this a try.
 * Returns 0; ETIMEDOUT, never before the deadline; EINVAL for another clock or
 * nanoseconds outside 0..999999999; EAGAIN when all read holds are out.
 * Never EINTR.
 */
int rwsem_down_read_until(rwsem_t *sem, clockid_t clock,
			  const struct timespec *deadline) RWSEM_MUST_CHECK_;
int rwsem_down_write_until(rwsem_t *sem, clockid_t clock,
			   const struct timespec *deadline) RWSEM_MUST_CHECK_;

/*
 * Acquire, or give up when a signal handler ran while the call slept.
 * Returns 0; EINTR; EAGAIN when all read holds are out.  A handler that runs
 * just before the sleep begins is not seen: send the signal again until the
 * thread answers, or use a deadline.
 */
int rwsem_down_read_interruptible(rwsem_t *sem) RWSEM_MUST_CHECK_;
int rwsem_down_write_interruptible(rwsem_t *sem) RWSEM_MUST_CHECK_;

/* Release a read hold.  Any thread may do it for any other. */
void rwsem_up_read(rwsem_t *sem);

/* Release the write hold.  Requires that the calling thread took it. */
void rwsem_up_write(rwsem_t *sem);

/*
 * Turn the caller's write hold into a read hold.  No writer comes in between,
 * and every reader that waits at this moment is let in.  Do not wait for a
 * reader that arrives later: a queued writer may be ahead of it.
 */
void rwsem_downgrade_write(rwsem_t *sem);

/*
 * Acquire and release for reading on nobody's account: the hold is expected
 * to be released by another thread, so RWSEM_DEBUG and RWSEM_RECURSIVE_READ do
 * not enter it in the caller's list of holds.
 */
void rwsem_down_read_non_owner(rwsem_t *sem);
void rwsem_up_read_non_owner(rwsem_t *sem);

/* Is *sem held in any mode?  Is somebody queued?  True for an instant only. */
bool rwsem_is_locked(const rwsem_t *sem);
bool rwsem_is_contended(const rwsem_t *sem);

/*
 * End the process with a message unless *sem is held (for writing).  Without
 * RWSEM_DEBUG "by somebody" is all that can be checked; with it the second
 * form checks that the caller is the writer.
 */
void rwsem_assert_held(const rwsem_t *sem);
void rwsem_assert_held_write(const rwsem_t *sem);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

/* Programs built for ThreadSanitizer see the semaphore as a lock. */
#if defined __SANITIZE_THREAD__
#define RWSEM_TSAN_ 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define RWSEM_TSAN_ 1
#endif
#endif
#if defined RWSEM_TSAN_ && !defined RWSEM_NO_ANNOTATIONS
#include "rwsem/annotate.h"
#endif

#endif
