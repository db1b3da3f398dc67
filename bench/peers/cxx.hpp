/* SPDX-License-Identifier: MIT */
/*
 * A class that meets C++'s requirements on a SharedMutex, as a design.
 *
 * The operations are noexcept: such a class throws only when it is misused or
 * the system is out of resources, and a benchmark cannot go on from either.
 */
#ifndef RWI_PEERS_CXX_HPP
#define RWI_PEERS_CXX_HPP

#include "bench/peers/peers.h"

#include <cerrno>
#include <new>

template <class Lock> class cxx_peer
{
	static_assert(sizeof(Lock) <= RWI_LOCK_SIZE_MAX, "fits");
	static_assert(alignof(Lock) <= 128, "locks start on a cache line");

public:
	static Lock &of(void *lock) noexcept
	{
		return *static_cast<Lock *>(lock);
	}

	static constexpr rwi_design design(const char *name,
					   const char *summary,
					   const char *origin, int year,
					   unsigned traits) noexcept
	{
		rwi_design d{};

		d.name = name;
		d.summary = summary;
		d.origin = origin;
		d.year = year;
		d.traits = traits | RWI_NATIVE_ONLY;
		d.lock_size = sizeof(Lock);
		d.lock_align = alignof(Lock);
		d.init = init;
		d.destroy = destroy;
		d.down_read = down_read;
		d.up_read = up_read;
		d.down_write = down_write;
		d.up_write = up_write;
		d.down_read_trylock = down_read_trylock;
		d.down_write_trylock = down_write_trylock;
		d.read_pairs = cxx_read_pairs;
		d.write_pairs = cxx_write_pairs;
		return d;
	}

private:
	static int init(void *lock) noexcept
	{
		try {
			new (lock) Lock;
		} catch (...) {
			return EAGAIN;
		}
		return 0;
	}

	static void destroy(void *lock) noexcept
	{
		of(lock).~Lock();
	}

	static void down_read(void *lock) noexcept
	{
		of(lock).lock_shared();
	}

	static void up_read(void *lock) noexcept
	{
		of(lock).unlock_shared();
	}

	static void down_write(void *lock) noexcept
	{
		of(lock).lock();
	}

	static void up_write(void *lock) noexcept
	{
		of(lock).unlock();
	}

	static bool down_read_trylock(void *lock) noexcept
	{
		return of(lock).try_lock_shared();
	}

	static bool down_write_trylock(void *lock) noexcept
	{
		return of(lock).try_lock();
	}

	RWI_DEFINE_PAIRS(cxx, of(lock).lock_shared(), of(lock).unlock_shared(),
			 of(lock).lock(), of(lock).unlock())
};

#endif
