/* SPDX-License-Identifier: MIT */
/*
 * rwsem::semaphore: the semaphore of rwsem.h for C++17.
 *
 * It meets SharedTimedMutex, so std::unique_lock, std::shared_lock, std::lock
 * and std::condition_variable_any work on it, and it can downgrade:
 *
 *	rwsem::semaphore guard;
 *
 *	std::unique_lock writer(guard);
 *	config = replacement;
 *	std::shared_lock reader = rwsem::downgrade(std::move(writer));
 *	publish(config);
 *
 * Everything that rwsem.h says holds here: who may hold, how long one waits,
 * what is visible.  A default-constructed semaphore is constant-initialised
 * and works before main; its storage may be unmapped as rwsem.h allows.
 *
 * Time.  Points of std::chrono::steady_clock and system_clock are waited for
 * on CLOCK_MONOTONIC and CLOCK_REALTIME, of which they are faces in the C++
 * libraries of Linux.  For any other clock the wait is repeated until the
 * point has passed on that clock.  When all read holds are out, timed shared
 * acquisitions return false early.
 */
#ifndef RWSEM_RWSEM_HPP
#define RWSEM_RWSEM_HPP

#include <cerrno>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <system_error>
#include <utility>

#include "rwsem/rwsem.h"

namespace rwsem
{

class semaphore
{
public:
	using native_handle_type = rwsem_t *;

	/* Fair. */
	constexpr semaphore() noexcept = default;

	/*
	 * With the RWSEM_* flags of rwsem_init().  Throws std::system_error
	 * with std::errc::invalid_argument where that returns EINVAL.
	 */
	explicit semaphore(unsigned flags)
	{
		if (const int error = rwsem_init(&sem_, flags))
			throw std::system_error(error, std::generic_category(),
						"rwsem_init");
	}

	~semaphore()
	{
		rwsem_destroy(&sem_);
	}

	semaphore(const semaphore &) = delete;
	semaphore &operator=(const semaphore &) = delete;

	/* ---- Exclusive: for writing ---- */

	void lock() noexcept
	{
		rwsem_down_write(&sem_);
	}

	[[nodiscard]] bool try_lock() noexcept
	{
		return rwsem_down_write_trylock(&sem_);
	}

	template <class Rep, class Period>
	[[nodiscard]] bool
	try_lock_for(const std::chrono::duration<Rep, Period> &time)
	{
		return wait_for(writing, time) == 0;
	}

	template <class Clock, class Duration>
	[[nodiscard]] bool
	try_lock_until(const std::chrono::time_point<Clock, Duration> &at)
	{
		return wait_until(writing, at) == 0;
	}

	void unlock() noexcept
	{
		rwsem_up_write(&sem_);
	}

	/* ---- Shared: for reading ---- */

	void lock_shared() noexcept
	{
		rwsem_down_read(&sem_);
	}

	[[nodiscard]] bool try_lock_shared() noexcept
	{
		return rwsem_down_read_trylock(&sem_);
	}

	template <class Rep, class Period>
	[[nodiscard]] bool
	try_lock_shared_for(const std::chrono::duration<Rep, Period> &time)
	{
		return wait_for(reading, time) == 0;
	}

	template <class Clock, class Duration>
	[[nodiscard]] bool try_lock_shared_until(
	    const std::chrono::time_point<Clock, Duration> &at)
	{
		return wait_until(reading, at) == 0;
	}

	void unlock_shared() noexcept
	{
		rwsem_up_read(&sem_);
	}

	/* ---- Beyond SharedTimedMutex ---- */

	/* Turn the caller's exclusive hold into a shared one, without a gap. */
	void downgrade() noexcept
	{
		rwsem_downgrade_write(&sem_);
	}

	native_handle_type native_handle() noexcept
	{
		return &sem_;
	}

private:
	using nanoseconds = std::chrono::nanoseconds;
	enum mode { reading, writing };

	/* Round up, and take what is beyond 140 years for just that. */
	template <class Rep, class Period>
	static nanoseconds to_ns(const std::chrono::duration<Rep, Period> &time)
	{
		using seconds = std::chrono::duration<long double>;
		constexpr nanoseconds most(INT64_C(4500000000000000000));

		if (seconds(time) >= seconds(most))
			return most;
		if (seconds(time) <= seconds(-most))
			return -most;
		return std::chrono::ceil<nanoseconds>(time);
	}

	int down(mode how, clockid_t clock, nanoseconds at)
	{
		using std::chrono::seconds;
		const seconds whole = std::chrono::floor<seconds>(at);
		timespec deadline = {};

		deadline.tv_sec = static_cast<time_t>(whole.count());
		deadline.tv_nsec = static_cast<long>((at - whole).count());
		return how == writing
			   ? rwsem_down_write_until(&sem_, clock, &deadline)
			   : rwsem_down_read_until(&sem_, clock, &deadline);
	}

	template <class Rep, class Period>
	int wait_for(mode how, const std::chrono::duration<Rep, Period> &time)
	{
		const auto now = std::chrono::steady_clock::now();

		return down(how, CLOCK_MONOTONIC,
			    to_ns(now.time_since_epoch()) + to_ns(time));
	}

	template <class Duration>
	int wait_until(mode how,
		       const std::chrono::time_point<std::chrono::steady_clock,
						     Duration> &at)
	{
		return down(how, CLOCK_MONOTONIC, to_ns(at.time_since_epoch()));
	}

	template <class Duration>
	int wait_until(mode how,
		       const std::chrono::time_point<std::chrono::system_clock,
						     Duration> &at)
	{
		return down(how, CLOCK_REALTIME, to_ns(at.time_since_epoch()));
	}

	template <class Clock, class Duration>
	int wait_until(mode how,
		       const std::chrono::time_point<Clock, Duration> &at)
	{
		int error;

		do
			error = wait_for(how, at - Clock::now());
		while (error == ETIMEDOUT && Clock::now() < at);
		return error;
	}

	rwsem_t sem_ = RWSEM_INIT;
};

/*
 * Turn a lock for writing into one for reading, without a gap.  Requires that
 * `writer` owns its semaphore; throws std::system_error with
 * std::errc::operation_not_permitted if it does not.
 */
[[nodiscard]] inline std::shared_lock<semaphore>
downgrade(std::unique_lock<semaphore> &&writer)
{
	if (!writer.owns_lock())
		throw std::system_error(
		    std::make_error_code(std::errc::operation_not_permitted),
		    "rwsem::downgrade");
	semaphore &sem = *writer.release();

	sem.downgrade();
	return std::shared_lock<semaphore>(sem, std::adopt_lock);
}

} // namespace rwsem

#endif
