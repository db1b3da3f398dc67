/* SPDX-License-Identifier: MIT */
/* Instructions, counted one by one. */
#ifndef RWI_STEPS_H
#define RWI_STEPS_H

#include "designs/design.h"

/*
 * How many instructions the free lock's down_read and up_read take, called
 * through their table, with the loop around them.  They are counted in a
 * child of this process that runs in single steps, for some milliseconds, and
 * the lock is then as before.  0 if the system lets nobody do that, or if the
 * pairs never end so.
 */
double rwi_steps_of_read_pair(const struct rwi_design *design, void *lock);

#endif
