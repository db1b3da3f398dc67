/* SPDX-License-Identifier: MIT */
/* What the files of the core know of each other. */
#ifndef RWI_CORE_H
#define RWI_CORE_H

#include "core/word.h"

enum rwi_kind { RWI_READ, RWI_WRITE };

/* How a caller is prepared to wait. */
struct rwi_how {
	const struct rwi_deadline *deadline; /* null: no end */
	bool interruptible;
	bool may_fail; /* when all read holds are out */
	bool owned;    /* on the caller's account */
};

/* This thread's record, all zero at its start. */
struct rwi_record {
	uint32_t spins_lost;    /* in a row, more or less */
	uint32_t held_overflow; /* holds that found no place below */
	/*
	 * Checked semaphores that this thread holds, one entry a hold, the
	 * lowest bit for writing.  A signal handler leaves every entry free
	 * that it found free.
	 */
	uintptr_t held[16];
};
_Static_assert(sizeof(struct rwi_record) <= RWI_THREAD_BYTES, "fits");

/* Does the semaphore have this RWSEM_* flag, or one of check.c's own? */
static inline bool rwi_has_flag(const rwsem_t *sem, uint32_t flag)
{
	return rwi_load_relaxed(has_flag, &sem->flags_) & flag;
}

/* What a hold of this kind adds to the word. */
static inline uint64_t rwi_hold(enum rwi_kind kind)
{
	return kind == RWI_READ ? RWI_READER : RWI_WRITER;
}

/* ---- What a state of the word allows ---- */

/* On whose right a thread asks for the lock. */
enum rwi_turn {
	RWI_ARRIVAL,  /* nobody's: respects WPEND and HANDOFF */
	RWI_TRY,      /* never fails on a lock that nobody holds */
	RWI_EXEMPT,   /* reads this lock already */
	RWI_COMPETING /* was told to compete */
};

/* May a lock in state `s` be taken now? */
static inline bool rwi_obtainable(const rwsem_t *sem, uint64_t s,
				  enum rwi_kind kind, enum rwi_turn turn)
{
	uint64_t barred = RWI_WRITER;

	if (kind == RWI_WRITE) {
		if (turn == RWI_ARRIVAL)
			barred |= RWI_HANDOFF;
		if (RWI_BUG("writer-joins-readers"))
			return !(s & barred);
		return !(s & barred) && rwi_readers(s) == 0;
	}
	if (turn == RWI_ARRIVAL || turn == RWI_TRY)
		barred |= RWI_WPEND;
	if (turn == RWI_ARRIVAL) {
		barred |= RWI_HANDOFF;
		if (rwi_has_flag(sem, RWSEM_PREFER_WRITERS))
			barred |= RWI_QUEUED | RWI_WOKEN;
	}
	return !(s & barred) && rwi_readers(s) < rwi_tunable(readers_max);
}

/* Are all read holds out, so that a read acquisition that may fail fails? */
static inline bool rwi_full(uint64_t s, enum rwi_kind kind)
{
	return kind == RWI_READ && !(s & RWI_WRITER) &&
	       rwi_readers(s) >= rwi_tunable(readers_max);
}

/* Is it this release's duty to see to the queue? */
static inline bool rwi_has_duty(uint64_t s, enum rwi_kind kind)
{
	if (!(s & RWI_QUEUED) || s & RWI_WOKEN)
		return false;
	if (RWI_BUG("last-reader-without-duty") && kind == RWI_READ)
		return false;
	return kind == RWI_WRITE || rwi_readers(s) == 1 ||
	       rwi_readers(s) >= rwi_tunable(readers_max);
}

/* ---- slow.c: the paths that wait or have a duty ---- */

/* Acquire by spinning, queueing, sleeping.  0, ETIMEDOUT, EINTR, EAGAIN. */
int rwi_wait(rwsem_t *sem, enum rwi_kind kind, enum rwi_turn turn,
	     const struct rwi_how *how);

/* Release or downgrade a semaphore that somebody may wait for. */
void rwi_release(rwsem_t *sem, enum rwi_kind kind);
void rwi_downgrade(rwsem_t *sem);

/* ---- check.c: the books of checked semaphores, and faults ---- */

/* Before and after an acquisition; before a release. */
enum rwi_turn rwi_check_down(const rwsem_t *sem, enum rwi_kind kind,
			     enum rwi_turn turn, const struct rwi_how *how);
void rwi_check_acquired(rwsem_t *sem, enum rwi_kind kind);
void rwi_check_failed(const rwsem_t *sem, enum rwi_kind kind,
		      const struct rwi_how *how);
void rwi_check_up(rwsem_t *sem, enum rwi_kind kind, bool owned);
void rwi_check_released(const rwsem_t *sem, enum rwi_kind kind);
void rwi_check_downgrade(rwsem_t *sem);
/* Fault with `what` unless the caller is the writer. */
void rwi_check_writer(const rwsem_t *sem, const char *what);
void rwi_check_destroy(const rwsem_t *sem);

/* End the process: "rwsem: <what>: semaphore ..., word ... (decoded)". */
_Noreturn void rwi_fault(const rwsem_t *sem, const char *what);

#endif
