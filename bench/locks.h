/* SPDX-License-Identifier: MIT */
/* All locks that the command knows: our designs, then the peers. */
#ifndef RWI_LOCKS_H
#define RWI_LOCKS_H

#include "designs/design.h"

/* The lock at this place of the combined list, or null past its end. */
const struct rwi_design *rwi_lock_at(size_t place);

/* The lock called `name`, or null. */
const struct rwi_design *rwi_lock_find(const char *name);

/* The Debian packages that would bring a lock which this build lacks, or null.
 */
const char *rwi_lock_package(const char *name);

/* Does this design have what so many readers and writers need? */
bool rwi_lock_serves(const struct rwi_design *design, unsigned readers,
		     unsigned writers);

/*
 * Is it called after an author and a year: somebody else's design, written anew
 * here?
 */
bool rwi_lock_is_historic(const struct rwi_design *design);

/* The C library's own lock, against which others are measured. */
const struct rwi_design *rwi_lock_of_libc(void);

/*
 * Memory for a lock on cache lines of its own, and the lock in it ready for
 * use.  Null with errno set if there is no memory or its init failed.
 */
void *rwi_lock_new(const struct rwi_design *design);
void rwi_lock_free(const struct rwi_design *design, void *lock);

#endif
