/* SPDX-License-Identifier: MIT */
/*
 * Torture: many threads use one lock in every way it has, while signals,
 * migrations and pauses disturb them, and everything it promises is checked.
 *
 * Every 0.05 to 1 s all threads are asked to stop, outside the lock.  That is
 * what tells a stuck thread from one that is merely passed over: once nobody
 * competes, even a lock that starves lets everybody in, unless a wake-up was
 * lost.  When all have stopped, the lock must be free.
 */
#ifndef RWI_TORTURE_H
#define RWI_TORTURE_H

#include "designs/design.h"

struct rwi_torture {
	const struct rwi_design *design;
	unsigned readers;
	unsigned writers;
	double seconds;
	double stuck_s; /* to wait for threads that were asked to stop */
	uint64_t seed;
	bool signals; /* send them */
	bool moves;   /* change affinities */

	/* Asked about ten times a second; false ends the run early. */
	bool (*go_on)(void *context, double done_s);
	void *context;
};

/* How a thread asks for the lock. */
enum rwi_asking {
	RWI_BLOCKING,
	RWI_TRYLOCK,
	RWI_UNTIL,
	RWI_INTERRUPTIBLE,
	RWI_ASKINGS
};
extern const char *const rwi_asking_names[RWI_ASKINGS];

/* What a lock can do wrong. */
enum rwi_fault {
	RWI_READ_SAW_WRITE,
	RWI_WRITE_SAW_OTHER,
	RWI_WRITE_LOST,
	RWI_STUCK,
	RWI_NOT_FREE,
	RWI_EARLY_TIMEOUT,
	RWI_FALSE_SIGNAL,
	RWI_BAD_RETURN,
	RWI_ERRNO_CHANGED,
	RWI_FAULTS
};
extern const char *const rwi_fault_names[RWI_FAULTS];

struct rwi_torture_side {
	uint64_t total;
	uint64_t max, min; /* acquisitions of one thread */
	uint64_t asked[RWI_ASKINGS];
	uint64_t got[RWI_ASKINGS];
	double longest_wait_s;
};

struct rwi_torture_result {
	double seconds;
	struct rwi_torture_side sides[2]; /* readers, writers */
	uint64_t downgrades;
	uint64_t signals;
	uint64_t stops;
	double longest_stop_s;
	uint64_t faults[RWI_FAULTS];
	char *stuck; /* who waits for what, in lines; null, or to be freed */
};

/*
 * Run it.  Returns 0 or an errno if threads could not be started.  Faults of
 * the lock are in the result; some end the run early.  Threads that are stuck
 * are left behind.
 */
int rwi_torture_run(const struct rwi_torture *torture,
		    struct rwi_torture_result *result);

#endif
