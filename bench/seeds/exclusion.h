/* SPDX-License-Identifier: MIT */
/* Does a lock exclude?  For runs in which nobody writes, or hardly ever. */
#ifndef RWI_EXCLUSION_H
#define RWI_EXCLUSION_H

#include "designs/design.h"

/*
 * Two readers and two writers go through short sections of the free lock and
 * sleep in their middle, for about ten milliseconds.  Returns null, or what
 * went wrong; if threads are *stuck, the lock is still in use.  Not asked is a
 * design that promises nothing (RWI_NO_EXCLUSION).
 */
const char *rwi_exclusion_fault(const struct rwi_design *design, void *lock,
				bool *stuck);

#endif
