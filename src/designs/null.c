/* SPDX-License-Identifier: MIT */
/*
 * rmw-pair: one read-modify-write on the way in and one on the way out, and
 * no exclusion at all.
 *
 * A lock that keeps its holders in one word cannot do with less, so this is
 * the floor that stands beside every measured result.
 */
#include "designs/design.h"
#include "port/port.h"

static void down(void *lock)
{
	uint64_t *word = lock;

	/* ORDER section(2/2): as strong as an acquisition has to be. */
	rwi_fetch_add_acquire(down, word, 1);
}

static void up(void *lock)
{
	uint64_t *word = lock;

	/* ORDER section(1/2): as strong as a release has to be. */
	rwi_fetch_sub_release(up, word, 1);
}

RWI_DEFINE_PAIRS(rmw, down(lock), up(lock), down(lock), up(lock))

const struct rwi_design rwi_design_rmw_pair = {
	.name = "rmw-pair",
	.summary = "two atomic additions and no exclusion: the floor",
	.origin = "this project",
	.file = "null.c",
	.traits = RWI_NO_EXCLUSION | RWI_INLINED,
	.lock_size = sizeof(uint64_t),
	.lock_align = _Alignof(uint64_t),
	.down_read = down,
	.up_read = up,
	.down_write = down,
	.up_write = up,
	.read_pairs = rmw_read_pairs,
	.write_pairs = rmw_write_pairs,
};
