/* SPDX-License-Identifier: MIT */
/* Our deadlines for locks that are told how long to wait. */
#ifndef RWI_PEERS_DEADLINE_H
#define RWI_PEERS_DEADLINE_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

/*
 * Nanoseconds from now to `deadline`, at most a century.  0 or EINVAL.  The
 * library starts its own clock afterwards, so it never gives up early; but it
 * does not notice when somebody sets CLOCK_REALTIME meanwhile.
 */
static inline int rwi_ns_left(clockid_t clock, const struct timespec *deadline,
			      uint64_t *ns)
{
	const int64_t second = 1000000000;
	const int64_t century_s = INT64_C(100) * 366 * 86400;
	struct timespec now;
	int64_t left;

	if ((clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME) ||
	    deadline->tv_nsec < 0 || deadline->tv_nsec >= second)
		return EINVAL;
	clock_gettime(clock, &now);
	if (deadline->tv_sec < now.tv_sec)
		left = 0;
	else if (deadline->tv_sec > now.tv_sec + century_s)
		left = century_s * second;
	else
		left = (deadline->tv_sec - now.tv_sec) * second +
		       (deadline->tv_nsec - now.tv_nsec);
	*ns = left > 0 ? (uint64_t)left : 0;
	return 0;
}

#endif
