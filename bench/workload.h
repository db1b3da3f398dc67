/* SPDX-License-Identifier: MIT */
/*
 * Workloads: how many threads do what with one lock.
 *
 * The named ones are the tests that accompanied the kernel's first rwsem in
 * 2001 (Howells, rwsem-test).  Each thread acquires and releases in a loop.
 */
#ifndef RWI_WORKLOAD_H
#define RWI_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

struct rwi_workload {
	const char *name; /* as typed; null ends the table */
	const char *summary;
	unsigned readers;
	unsigned writers;
};

extern const struct rwi_workload rwi_workloads[];

enum { RWI_THREADS_MAX = 4096 };

/*
 * The workload of that name, or READERS:WRITERS for any other.  False if the
 * text is neither, has no thread or more than RWI_THREADS_MAX.  `name` is kept.
 */
bool rwi_workload_parse(const char *name, struct rwi_workload *workload);

/* What the lock guards: two counters on cache lines of their own. */
struct rwi_guarded {
	_Alignas(128) uint64_t first;
	_Alignas(128) uint64_t second;
};

/*
 * What a thread does while it holds the lock.  Without functions the section
 * is empty: pairs of acquire and release follow each other, and now and then
 * one of them does what `lines` does, to check the lock.
 */
struct rwi_section {
	const char *name; /* null ends the table */
	const char *summary;
	bool (*read)(const struct rwi_guarded *); /* false: saw half a write */
	void (*write)(struct rwi_guarded *);      /* one write */
};

extern const struct rwi_section rwi_sections[];

const struct rwi_section *rwi_section_find(const char *name);

#endif
