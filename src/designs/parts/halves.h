/* SPDX-License-Identifier: MIT */
/*
 * The signed word of 2001, in two halves that one addition changes together:
 *
 *	63                     32 31                0
 *	[ -(writer + waiters)    ][ active lockers   ]
 *
 * Who is active counts one in the lower half; a writer, and everybody who
 * waits, has a share of -1 in the upper half.  So zero means free, a negative
 * word that a newcomer has to wait, and a lower half of zero that nobody is
 * inside.  What counts as active, and when a share is taken, is the design's
 * affair.  The boundary is at count_bits.
 */
#ifndef RWI_HALVES_H
#define RWI_HALVES_H

#include "port/port.h"

/* The share of a writer, or of one that waits. */
static inline int64_t rwi_halves_share(void)
{
	return -(INT64_C(1) << rwi_tunable(count_bits));
}

/* The lower half. */
static inline int64_t rwi_halves_active(int64_t count)
{
	return count & ~rwi_halves_share();
}

#endif
