/* SPDX-License-Identifier: MIT */
/*
 * Waiters on their own stacks, in a list under the lock of whoever owns it.
 *
 * The kernel's sleep is "set the state, look, schedule()", its wake-up needs
 * the task.  Here every waiter has a word of its own to sleep on: `told` is 0
 * until a waker tells it something, and what it was told (that it has the lock,
 * or that it should try again) is the design's affair.
 *
 * Once told, a waiter may return and its stack be used for other things, so a
 * waker reads all it needs before, and afterwards uses the address alone.  A
 * wake-up that comes late to such an address meets a sleeper that looks at its
 * word and sleeps on; everybody who sleeps through the port does.
 */
#ifndef RWI_WAITLIST_H
#define RWI_WAITLIST_H

#include "port/port.h"

/* How long a caller is prepared to stay. */
struct rwi_stay {
	const struct rwi_deadline *deadline; /* null: for ever */
	bool interruptible;                  /* until a signal handler ran */
};

/* A caller's deadline: 0, or EINVAL for a clock or a time that is none. */
int rwi_deadline_from(struct rwi_deadline *deadline, clockid_t clock,
		      const struct timespec *at);

struct rwi_waiter {
	struct rwi_waiter *next, *prev;
	uint32_t told;
	uint32_t kind;     /* the design's: reader, writer */
	uint64_t since_ns; /* the design's: when it queued */
};

/* Empty when zero. */
struct rwi_waitlist {
	struct rwi_waiter *first, *last;
};

/* ---- Under the owner's lock ---- */

void rwi_waitlist_append(struct rwi_waitlist *list, struct rwi_waiter *waiter);
void rwi_waitlist_remove(struct rwi_waitlist *list, struct rwi_waiter *waiter);

/* ---- Sleeping and waking ---- */

/*
 * Sleep until told.  0; or ETIMEDOUT, EINTR, and then the waiter may be told
 * all the same until its owner's lock is taken and says otherwise.  What the
 * teller did before is visible after 0.
 */
int rwi_waiter_sleep(struct rwi_waiter *waiter, const struct rwi_stay *stay);

/*
 * Before another look, after which the waiter may sleep again.  Whoever looks
 * without the owner's lock misses nothing either: it sees what the teller did.
 */
static inline void rwi_waiter_rearm(struct rwi_waiter *waiter)
{
	/* ORDER told(2/2): what a teller did whose word we take away. */
	rwi_xchg_acquire(rearm, &waiter->told, 0);
}

/* Tell one waiter and wake it. */
void rwi_waiter_tell(struct rwi_waiter *waiter);

/*
 * Telling and waking apart: tell many under the owner's lock, wake them after
 * it (the kernel's wake_q).  A full queue wakes what it has.
 */
struct rwi_wake_queue {
	uint32_t count;
	uint32_t *told[64];
};
void rwi_wake_add(struct rwi_wake_queue *queue, struct rwi_waiter *waiter);
void rwi_wake_up(struct rwi_wake_queue *queue);

#endif
