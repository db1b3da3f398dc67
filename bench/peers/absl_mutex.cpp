/* SPDX-License-Identifier: MIT */
/*
 * absl::Mutex: Google's lock in one word, with conditions built in.
 *
 * Its timed calls wait for conditions, not for the lock, so it has none here.
 * Debian's build keeps the deadlock detection of debug builds, which costs more
 * than the lock; it is switched off, as it is in optimised builds.
 */
#include "bench/peers/cxx.hpp"

#include <absl/synchronization/mutex.h>

namespace
{

/* By C++'s names. */
class lock_type
{
	absl::Mutex mutex;

public:
	lock_type()
	{
		absl::SetMutexDeadlockDetectionMode(
		    absl::OnDeadlockCycle::kIgnore);
	}

	void lock_shared() ABSL_NO_THREAD_SAFETY_ANALYSIS
	{
		mutex.ReaderLock();
	}

	void unlock_shared() ABSL_NO_THREAD_SAFETY_ANALYSIS
	{
		mutex.ReaderUnlock();
	}

	bool try_lock_shared() ABSL_NO_THREAD_SAFETY_ANALYSIS
	{
		return mutex.ReaderTryLock();
	}

	void lock() ABSL_NO_THREAD_SAFETY_ANALYSIS
	{
		mutex.Lock();
	}

	void unlock() ABSL_NO_THREAD_SAFETY_ANALYSIS
	{
		mutex.Unlock();
	}

	bool try_lock() ABSL_NO_THREAD_SAFETY_ANALYSIS
	{
		return mutex.TryLock();
	}
};

} // namespace

constexpr rwi_design rwi_peer_absl_mutex = cxx_peer<lock_type>::design(
    "absl-mutex", "absl::Mutex with reader and writer calls",
    "Google, Abseil (2017)", 2017, RWI_STARVES_READERS);
