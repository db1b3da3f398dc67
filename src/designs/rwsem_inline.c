/* SPDX-License-Identifier: MIT */
/* Our semaphore, with its fast paths inlined into the caller. */
#include "rwsem/inline.h"

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
