/* SPDX-License-Identifier: MIT */
/*
 * Workloads: how many threads do what with one lock.
 *
 * Each thread acquires and releases in a loop: as a reader, as a writer, or in
 * turn as both.  Those of 2001 came with the kernel's first rwsem (Howells,
 * rwsem-test); the mix is what Long measured in 2014.
 */
#ifndef RWI_WORKLOAD_H
#define RWI_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

enum { RWI_THREADS_MAX = 4096, RWI_WORKLOAD_NAME = 40 };

enum rwi_side { RWI_READ, RWI_WRITE, RWI_SIDES };

struct rwi_workload {
	char name[RWI_WORKLOAD_NAME]; /* as typed */
	char section[24];             /* its own, or "" */
	const char *summary;
	unsigned readers;
	unsigned writers;
	unsigned mixed;           /* threads that read and write in turn */
	unsigned turn[RWI_SIDES]; /* how often each, then the other */
	bool waits;               /* each wait is measured */
	bool shared_counters;     /* each pair counts as in 2001 */
	bool yields;              /* each section gives its CPU away */
	bool lone;                /* one thread against a crowd, ... */
	enum rwi_side lone_side;  /* ... which is measured alone, too */
};

/* What can be typed, for lists; null ends it. */
struct rwi_workload_form {
	const char *form;
	const char *summary;
};
extern const struct rwi_workload_form rwi_workload_forms[];

/* Lists of workloads, with commas; null ends it. */
struct rwi_workload_group {
	const char *name;
	const char *summary;
	const char *members;
};
extern const struct rwi_workload_group rwi_workload_groups[];

/* The group of that name, or null. */
const struct rwi_workload_group *rwi_workload_group(const char *name);

/*
 * The workload of that name.  False if there is none, or if it has no thread,
 * or more than RWI_THREADS_MAX.
 */
bool rwi_workload_parse(const char *name, struct rwi_workload *workload);

unsigned rwi_workload_threads(const struct rwi_workload *workload);

/* Does it have threads that do this? */
bool rwi_workload_has(const struct rwi_workload *workload, enum rwi_side side);

/* What the crowd does when the lone thread is away. */
struct rwi_workload rwi_workload_crowd(const struct rwi_workload *workload);

#endif
