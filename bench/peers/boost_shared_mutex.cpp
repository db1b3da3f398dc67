/* SPDX-License-Identifier: MIT */
/* boost::shared_mutex: a mutex and three condition variables. */
#include "bench/peers/cxx.hpp"
#include "bench/peers/deadline.h"

#include <boost/chrono.hpp>
#include <boost/thread/shared_mutex.hpp>

namespace
{

using peer = cxx_peer<boost::shared_mutex>;

boost::chrono::nanoseconds duration(uint64_t ns)
{
	return boost::chrono::nanoseconds(static_cast<int64_t>(ns));
}

int down_read_until(void *lock, clockid_t clock,
		    const timespec *deadline) noexcept
{
	uint64_t ns;

	if (int error = rwi_ns_left(clock, deadline, &ns))
		return error;
	return peer::of(lock).try_lock_shared_for(duration(ns)) ? 0 : ETIMEDOUT;
}

int down_write_until(void *lock, clockid_t clock,
		     const timespec *deadline) noexcept
{
	uint64_t ns;

	if (int error = rwi_ns_left(clock, deadline, &ns))
		return error;
	return peer::of(lock).try_lock_for(duration(ns)) ? 0 : ETIMEDOUT;
}

void downgrade_write(void *lock) noexcept
{
	peer::of(lock).unlock_and_lock_shared();
}

constexpr rwi_design design()
{
	rwi_design d = peer::design("boost-shared-mutex", "boost::shared_mutex",
				    "Williams and Botet, Boost.Thread (2006)",
				    2006, RWI_STARVES_WRITERS);

	d.down_read_until = down_read_until;
	d.down_write_until = down_write_until;
	d.downgrade_write = downgrade_write;
	return d;
}

} // namespace

constexpr rwi_design rwi_peer_boost_shared_mutex = design();
