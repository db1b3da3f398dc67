/* SPDX-License-Identifier: MIT */
/* Our semaphore, called: once for each policy. */
#include "rwsem/rwsem.h"

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
