/* SPDX-License-Identifier: MIT */
/*
 * oneTBB's two reader-writer mutexes: both let writers pass readers, one
 * sleeps.  Only their scoped_lock can downgrade, so the mutexes cannot.
 */
#include "bench/peers/cxx.hpp"

#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

constexpr rwi_design rwi_peer_tbb_rw_mutex =
    cxx_peer<oneapi::tbb::rw_mutex>::design(
	"tbb-rw-mutex", "oneapi::tbb::rw_mutex: spins for a while, then sleeps",
	"Intel, oneTBB 2021", 2021, RWI_STARVES_READERS | RWI_INLINED);

constexpr rwi_design rwi_peer_tbb_spin_rw_mutex =
    cxx_peer<oneapi::tbb::spin_rw_mutex>::design(
	"tbb-spin-rw-mutex",
	"oneapi::tbb::spin_rw_mutex: waiters spin, and yield after a while",
	"Intel, Threading Building Blocks (2006)", 2006,
	RWI_STARVES_READERS | RWI_SPINS | RWI_YIELDS | RWI_INLINED);
