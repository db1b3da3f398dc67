/* SPDX-License-Identifier: MIT */
/*
 * The canary: does the machine let two threads run undisturbed?
 *
 * Two readers that share nothing do twice what one does, unless something
 * takes CPU time from them.  The reader here stores to a flag of its own and
 * loads another that nobody stores to, as in a lock with a flag per reader.
 */
#ifndef RWI_CANARY_H
#define RWI_CANARY_H

#include "designs/design.h"

/*
 * What two such readers do by the clock, over what one does by its CPU time;
 * ideally 2.  NAN with fewer than two cores.  Returns 0, or what
 * rwi_window_run() returns.
 */
int rwi_canary(const int *cpus, unsigned cores, double *ratio);

/* A run with less of it is disturbed. */
#define RWI_CANARY_LIMIT 1.7

/* How long it takes. */
#define RWI_CANARY_S     0.05

/*
 * No lock at all.  Beside measured waits it shows what the scheduler does by
 * itself.
 */
extern const struct rwi_design rwi_lockless;

#endif
