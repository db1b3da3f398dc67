/* SPDX-License-Identifier: MIT */
/*
 * The semaphore of this library with its fast paths inlined into the caller;
 * otherwise it is the same.
 */
#include "rwsem/inline.h"

#define RWI_RWSEM_FILE "rwsem_inline.c"
#include "designs/rwsem_ops.h"

static int init(void *lock)
{
	return rwsem_init(lock, 0);
}

const struct rwi_design rwi_design_rwsem_inline = {
	.name = "rwsem-inline",
	.summary = "this library, fair, fast paths inlined",
	.traits = RWI_RWSEM_TRAITS | RWI_INLINED,
	.init = init,
	RWI_RWSEM_OPS,
};
