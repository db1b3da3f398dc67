/* SPDX-License-Identifier: MIT */
/*
 * nsync_mu: a lock of one word and a queue of waiters.
 *
 * A waiter that was woken too often in vain sets a flag that keeps newcomers
 * out, so nobody starves.
 */
#include "bench/peers/peers.h"

#include <nsync_mu.h>

static void down_read(void *lock)
{
	nsync_mu_rlock(lock);
}

static void up_read(void *lock)
{
	nsync_mu_runlock(lock);
}

static void down_write(void *lock)
{
	nsync_mu_lock(lock);
}

static void up_write(void *lock)
{
	nsync_mu_unlock(lock);
}

static bool down_read_trylock(void *lock)
{
	return nsync_mu_rtrylock(lock);
}

static bool down_write_trylock(void *lock)
{
	return nsync_mu_trylock(lock);
}

RWI_DEFINE_PAIRS(nsync, nsync_mu_rlock(lock), nsync_mu_runlock(lock),
		 nsync_mu_lock(lock), nsync_mu_unlock(lock))

const struct rwi_design rwi_peer_nsync = {
	.name = "nsync",
	.summary = "nsync_mu of Google's nsync",
	.origin = "Burrows, nsync (2016)",
	.year = 2016,
	.traits = RWI_NATIVE_ONLY,
	.lock_size = sizeof(nsync_mu),
	.lock_align = _Alignof(nsync_mu),
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.down_read_trylock = down_read_trylock,
	.down_write_trylock = down_write_trylock,
	.read_pairs = nsync_read_pairs,
	.write_pairs = nsync_write_pairs,
};
