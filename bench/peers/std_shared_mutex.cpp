/* SPDX-License-Identifier: MIT */
/*
 * std::shared_mutex: what C++ programs have today.
 *
 * In libstdc++ it is a pthread_rwlock_t of the default kind, so its rows say
 * what the wrapper costs.  It is the untimed class, as most programs use.
 */
#include "bench/peers/cxx.hpp"

#include <shared_mutex>

constexpr rwi_design rwi_peer_std_shared_mutex =
    cxx_peer<std::shared_mutex>::design(
	"std-shared-mutex", "std::shared_mutex of the C++ standard library",
	"ISO C++17; GNU libstdc++", 2017, RWI_STARVES_WRITERS);
