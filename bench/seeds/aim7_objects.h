/* SPDX-License-Identifier: MIT */
/*
 * What AIM7's users share in a kernel, and what each has for itself: mapped
 * files, families of anonymous pages, directories and tables of identifiers,
 * and address spaces.  Each is guarded by a lock of the design under test.
 */
#ifndef RWI_AIM7_OBJECTS_H
#define RWI_AIM7_OBJECTS_H

#include "bench/seeds/aim7_mixes.h"
#include "designs/design.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of shared objects. */
enum rwi_aim7_class {
	RWI_AIM7_FILES,
	RWI_AIM7_ROOTS,
	RWI_AIM7_DIRS,
	RWI_AIM7_IDS,
	RWI_AIM7_CLASSES
};

struct rwi_aim7_use {
	uint64_t done[RWI_AIM7_OPS];
	uint64_t acquired[RWI_AIM7_CLASSES];
	double wait_s[RWI_AIM7_CLASSES]; /* in the calls that acquire */
	uint64_t late; /* of those that took longer than a microsecond */
};

struct rwi_aim7_objects;

/* With all that `users` users own in them.  Null if there is no memory. */
struct rwi_aim7_objects *rwi_aim7_objects_new(const struct rwi_design *design,
					      unsigned users);
void rwi_aim7_objects_free(struct rwi_aim7_objects *objects);

/*
 * Have one user do an operation `times` times, its directories being those of
 * `disk`.  Before each it computes for `steps` (rwi_work).  One thread at a
 * time may do so for each user.  After a fault nothing is done any more.
 */
struct rwi_aim7_demand {
	enum rwi_aim7_op op;
	uint64_t times;
	uint64_t steps;
	unsigned disk;
};
void rwi_aim7_do(struct rwi_aim7_objects *objects, unsigned user,
		 const struct rwi_aim7_demand *demand);

/* How many acquisitions, and computations before them, one operation has. */
unsigned rwi_aim7_sections(enum rwi_aim7_op op);

/* How long the sections of one operation are together. */
double rwi_aim7_sections_ns(enum rwi_aim7_op op);

/* Was the lock seen to let in who must wait?  Null, or what was seen. */
const char *rwi_aim7_seen(const struct rwi_aim7_objects *objects);

/*
 * Null if, now that nobody works, every object has what the users put there and
 * nothing else; or what is wrong.
 */
const char *rwi_aim7_objects_fault(const struct rwi_aim7_objects *objects);

/* One of the locks, for who wants to try it. */
void *rwi_aim7_a_lock(const struct rwi_aim7_objects *objects);

/* Of all users together. */
struct rwi_aim7_use rwi_aim7_use(const struct rwi_aim7_objects *objects);

#endif
