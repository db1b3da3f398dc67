/* SPDX-License-Identifier: MIT */
/*
 * Concurrency Kit's spinning locks that are one small object: ck_rwlock, where
 * writers go first, and ck_pflock, which alternates phases of readers with
 * single writers.
 *
 * Waiters spin and never yield: with more threads than CPUs, they use up their
 * time slices while the holder waits for a CPU.
 */
#include "bench/peers/peers.h"

#include <ck_pflock.h>
#include <ck_rwlock.h>

/* ---- ck_rwlock ---- */

static void rwlock_down_read(void *lock)
{
	ck_rwlock_read_lock(lock);
}

static void rwlock_up_read(void *lock)
{
	ck_rwlock_read_unlock(lock);
}

static void rwlock_down_write(void *lock)
{
	ck_rwlock_write_lock(lock);
}

static void rwlock_up_write(void *lock)
{
	ck_rwlock_write_unlock(lock);
}

static bool rwlock_down_read_trylock(void *lock)
{
	return ck_rwlock_read_trylock(lock);
}

static bool rwlock_down_write_trylock(void *lock)
{
	return ck_rwlock_write_trylock(lock);
}

static void rwlock_downgrade_write(void *lock)
{
	ck_rwlock_write_downgrade(lock);
}

RWI_DEFINE_PAIRS(rwlock, ck_rwlock_read_lock(lock), ck_rwlock_read_unlock(lock),
		 ck_rwlock_write_lock(lock), ck_rwlock_write_unlock(lock))

const struct rwi_design rwi_peer_ck_rwlock = {
	.name = "ck-rwlock",
	.summary = "Concurrency Kit's simple spinning lock",
	.origin = "Al Bahra, Concurrency Kit (2011)",
	.year = 2011,
	.traits =
	    RWI_NATIVE_ONLY | RWI_STARVES_READERS | RWI_SPINS | RWI_INLINED,
	.lock_size = sizeof(ck_rwlock_t),
	.lock_align = _Alignof(ck_rwlock_t),
	.down_read = rwlock_down_read,
	.up_read = rwlock_up_read,
	.down_write = rwlock_down_write,
	.up_write = rwlock_up_write,
	.down_read_trylock = rwlock_down_read_trylock,
	.down_write_trylock = rwlock_down_write_trylock,
	.downgrade_write = rwlock_downgrade_write,
	.read_pairs = rwlock_read_pairs,
	.write_pairs = rwlock_write_pairs,
};

/* ---- ck_pflock ---- */

static void pflock_down_read(void *lock)
{
	ck_pflock_read_lock(lock);
}

static void pflock_up_read(void *lock)
{
	ck_pflock_read_unlock(lock);
}

static void pflock_down_write(void *lock)
{
	ck_pflock_write_lock(lock);
}

static void pflock_up_write(void *lock)
{
	ck_pflock_write_unlock(lock);
}

RWI_DEFINE_PAIRS(pflock, ck_pflock_read_lock(lock), ck_pflock_read_unlock(lock),
		 ck_pflock_write_lock(lock), ck_pflock_write_unlock(lock))

const struct rwi_design rwi_peer_ck_pflock = {
	.name = "ck-pflock",
	.summary = "Concurrency Kit's phase-fair ticket lock",
	.origin = "Brandenburg and Anderson, RTS 2010; Wittrock, "
		  "Concurrency Kit (2013)",
	.year = 2010,
	.traits = RWI_NATIVE_ONLY | RWI_SPINS | RWI_INLINED,
	.lock_size = sizeof(ck_pflock_t),
	.lock_align = _Alignof(ck_pflock_t),
	.down_read = pflock_down_read,
	.up_read = pflock_up_read,
	.down_write = pflock_down_write,
	.up_write = pflock_up_write,
	.read_pairs = pflock_read_pairs,
	.write_pairs = pflock_write_pairs,
};
