/* SPDX-License-Identifier: MIT */
/*
 * The semaphore of this library, called: once for each policy.
 *
 * Origin.  The one design of this table that is not older than the project.
 * src/core/rwsem.c opens with how it works, src/core/word.h has the word, and
 * docs/design.md weighs it against others.
 *
 * Idea.  One word for readers, writer and marks; waiters queue in a table of
 * the process, beside the lock.  Whoever finds the lock free may take it past
 * sleepers, until the first of them has waited for half a millisecond or lost
 * eight times: from then on it is owed the lock.  Arrivals and those just woken
 * spin for a bounded time.
 *
 * Limits.  2^31 - 1 readers at once; threads of one process.
 *
 * Costs.  32 bytes; one atomic operation each way as long as nobody waits.
 *
 * Wins.  Writers among themselves and writers among readers, with more threads
 * than CPUs as well; every wait ends within a stated bound.
 *
 * Loses.  Readers only, on several CPUs: all of them write the one word.
 */
#include "rwsem/rwsem.h"

#define RWI_RWSEM_FILE "rwsem.c"
#include "designs/rwsem_ops.h"

static int init(void *lock)
{
	return rwsem_init(lock, 0);
}

static int init_prefer_readers(void *lock)
{
	return rwsem_init(lock, RWSEM_PREFER_READERS);
}

static int init_prefer_writers(void *lock)
{
	return rwsem_init(lock, RWSEM_PREFER_WRITERS);
}

static int init_recursive(void *lock)
{
	return rwsem_init(lock, RWSEM_RECURSIVE_READ);
}

static int init_debug(void *lock)
{
	return rwsem_init(lock, RWSEM_DEBUG);
}

const struct rwi_design rwi_design_rwsem = {
	.name = "rwsem",
	.summary = "this library, fair",
	.owes = { { "lespinasse-2013-fast", "taking a free lock past sleepers "
					    "by one compare-and-swap" },
		  { "bueso-2014", "spinning before queueing" },
		  { "long-2019",
		    "the hand-off to a waiter that lost for long" } },
	.traits = RWI_RWSEM_TRAITS,
	.init = init,
	RWI_RWSEM_OPS,
};

const struct rwi_design rwi_design_rwsem_prefer_readers = {
	.name = "rwsem-prefer-readers",
	.summary = "this library, readers pass writers for 4 ms",
	.traits = RWI_RWSEM_TRAITS,
	.init = init_prefer_readers,
	RWI_RWSEM_OPS,
};

const struct rwi_design rwi_design_rwsem_prefer_writers = {
	.name = "rwsem-prefer-writers",
	.summary = "this library, writers pass readers for 4 ms",
	.traits = RWI_RWSEM_TRAITS,
	.init = init_prefer_writers,
	RWI_RWSEM_OPS,
};

const struct rwi_design rwi_design_rwsem_recursive = {
	.name = "rwsem-recursive",
	.summary = "this library, readers may read again",
	.traits = RWI_RWSEM_TRAITS | RWI_RECURSIVE,
	.init = init_recursive,
	RWI_RWSEM_OPS,
};

const struct rwi_design rwi_design_rwsem_debug = {
	.name = "rwsem-debug",
	.summary = "this library, every call checked",
	.traits = RWI_RWSEM_TRAITS,
	.init = init_debug,
	RWI_RWSEM_OPS,
};
