/* SPDX-License-Identifier: MIT */
/*
 * A mix of all operations that a lock has, by a few threads, with checks of
 * exclusion; at the end all give up a wait.  With signals, waits are
 * interrupted; without, nothing heals a lost wake-up.  What remains is to be
 * checked by the caller: that the lock is free in the end.
 */
#ifndef T_MIX_H
#define T_MIX_H

#include "support/designs.h"

void t_mix(const struct rwi_design *design, void *lock, unsigned threads,
	   unsigned rounds, bool signals);

#endif
