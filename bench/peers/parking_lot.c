/* SPDX-License-Identifier: MIT */
/*
 * parking_lot's RwLock: one word, waiters in a table of queues beside it.
 *
 * The Rust side is parking_lot/src/lib.rs.  About every half millisecond a
 * release hands the lock to a waiter; at other times whoever comes first takes
 * it.  Waiting writers keep new readers out.
 */
#define _GNU_SOURCE /* clock_gettime */

#include "bench/peers/deadline.h"
#include "bench/peers/peers.h"

void peer_parking_lot_init(void *lock);
void peer_parking_lot_down_read(void *lock);
void peer_parking_lot_up_read(void *lock);
void peer_parking_lot_down_write(void *lock);
void peer_parking_lot_up_write(void *lock);
bool peer_parking_lot_try_read(void *lock);
bool peer_parking_lot_try_write(void *lock);
void peer_parking_lot_downgrade(void *lock);
bool peer_parking_lot_read_for(void *lock, uint64_t ns);
bool peer_parking_lot_write_for(void *lock, uint64_t ns);
void peer_parking_lot_read_pairs(void *lock, uint64_t pairs);
void peer_parking_lot_write_pairs(void *lock, uint64_t pairs);

static int init(void *lock)
{
	peer_parking_lot_init(lock);
	return 0;
}

static int down_read_until(void *lock, clockid_t clock,
			   const struct timespec *deadline)
{
	uint64_t ns;
	int error = rwi_ns_left(clock, deadline, &ns);

	if (error)
		return error;
	return peer_parking_lot_read_for(lock, ns) ? 0 : ETIMEDOUT;
}

static int down_write_until(void *lock, clockid_t clock,
			    const struct timespec *deadline)
{
	uint64_t ns;
	int error = rwi_ns_left(clock, deadline, &ns);

	if (error)
		return error;
	return peer_parking_lot_write_for(lock, ns) ? 0 : ETIMEDOUT;
}

const struct rwi_design rwi_peer_parking_lot = {
	.name = "parking-lot",
	.summary =
	    "RwLock of the Rust crate parking_lot, the lock without data",
	.origin = "d'Antras, parking_lot (2016); Pizlo, WebKit (2015)",
	.year = 2016,
	.traits = RWI_NATIVE_ONLY | RWI_INLINED,
	.lock_size = sizeof(size_t),
	.lock_align = _Alignof(size_t),
	.init = init,
	.down_read = peer_parking_lot_down_read,
	.up_read = peer_parking_lot_up_read,
	.down_write = peer_parking_lot_down_write,
	.up_write = peer_parking_lot_up_write,
	.down_read_trylock = peer_parking_lot_try_read,
	.down_write_trylock = peer_parking_lot_try_write,
	.down_read_until = down_read_until,
	.down_write_until = down_write_until,
	.downgrade_write = peer_parking_lot_downgrade,
	.read_pairs = peer_parking_lot_read_pairs,
	.write_pairs = peer_parking_lot_write_pairs,
};
