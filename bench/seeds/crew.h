/* SPDX-License-Identifier: MIT */
/*
 * A crew: threads that begin together, do one thing each, and are waited for.
 */
#ifndef RWI_CREW_H
#define RWI_CREW_H

#include <stddef.h>

struct rwi_crew {
	unsigned threads;
	void (*work)(void *seat); /* what each does, with its own seat */
	void *seats;              /* one for each thread, ... */
	size_t seat_size;         /* ... so many bytes apart */
	double patience_s;        /* who is not back by then is stuck */
};

/*
 * Run the crew, each thread on a CPU of its own if there are enough.  All are
 * let go at once, as soon as all exist; *elapsed_s is from then until the last
 * has returned.  Returns 0 or an errno: ETIMEDOUT if threads are stuck, which
 * then still use the seats, and whatever these point to.
 */
int rwi_crew_run(const struct rwi_crew *crew, double *elapsed_s);

#endif
