/* SPDX-License-Identifier: MIT */
/*
 * Timed acquisition by every kind of duration, time point and clock: succeeds
 * at once on a free semaphore, gives up on a held one, and never early.
 */
#include "rwsem/rwsem.hpp"

#include "support/t.h"

#include <limits>
#include <ratio>

namespace
{

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

rwsem::semaphore sem;

/* A clock that goes at half the speed of the steady one, from another start. */
struct slow_clock {
	using rep = long;
	using period = std::milli;
	using duration = std::chrono::duration<rep, period>;
	using time_point = std::chrono::time_point<slow_clock>;
	[[maybe_unused]] static constexpr bool is_steady = true;

	static time_point now() noexcept
	{
		const auto t = steady_clock::now().time_since_epoch() / 2;

		return time_point(std::chrono::floor<duration>(t) + 1h);
	}
};

template <class Time> void succeed_for(const Time &time)
{
	t_true(sem.try_lock_for(time));
	sem.unlock();
	t_true(sem.try_lock_shared_for(time));
	sem.unlock_shared();
}

template <class Point> void succeed_until(const Point &at)
{
	t_true(sem.try_lock_until(at));
	sem.unlock();
	t_true(sem.try_lock_shared_until(at));
	sem.unlock_shared();
}

template <class Time> void fail_for(const Time &time)
{
	const auto start = steady_clock::now();

	t_false(sem.try_lock_for(time));
	t_true(steady_clock::now() - start >= time);
	t_false(sem.try_lock_shared_for(time));
	t_true(steady_clock::now() - start >= 2 * time);
}

template <class Clock, class Time> void fail_until(const Time &time)
{
	const auto first = Clock::now() + time;

	t_false(sem.try_lock_until(first));
	t_true(Clock::now() >= first);

	const auto second = Clock::now() + time;

	t_false(sem.try_lock_shared_until(second));
	t_true(Clock::now() >= second);
}

void fail_everywhere(void *)
{
	fail_for(2ms);
	fail_for(1500us);
	fail_for(-5ms);
	fail_for(0s);
	fail_for(std::chrono::duration<double>(0.002));
	fail_for(std::chrono::duration<long, std::ratio<1, 3>>(0));
	fail_until<steady_clock>(2ms);
	fail_until<system_clock>(2ms);
	fail_until<slow_clock>(3ms);
	fail_until<steady_clock>(-1h);
	fail_until<system_clock>(-1h);
	fail_until<slow_clock>(-1h);
	t_false(sem.try_lock_until(steady_clock::time_point::min()));
	t_false(sem.try_lock_until(system_clock::time_point::min()));
	t_false(sem.try_lock_for(std::chrono::hours::min()));
}

} // namespace

T_TEST(on_a_free_semaphore)
{
	succeed_for(0s);
	succeed_for(-1h);
	succeed_for(1h);
	succeed_for(std::chrono::hours::max());
	succeed_for(std::chrono::hours::min());
	succeed_for(std::chrono::duration<double>(
	    std::numeric_limits<double>::infinity()));
	succeed_until(steady_clock::now());
	succeed_until(steady_clock::now() - 1h);
	succeed_until(steady_clock::time_point::max());
	succeed_until(steady_clock::time_point::min());
	succeed_until(system_clock::now() + 1h);
	succeed_until(system_clock::time_point::min());
	succeed_until(system_clock::time_point::max());
	succeed_until(slow_clock::now());
	succeed_until(slow_clock::now() + 1h);
	/* Of another precision. */
	succeed_until(std::chrono::time_point<system_clock, std::chrono::hours>(
	    std::chrono::hours(1)));
	succeed_until(
	    std::chrono::floor<std::chrono::hours>(steady_clock::now()));
}

T_TEST(on_a_held_semaphore)
{
	sem.lock();
	t_threads(1, fail_everywhere, nullptr);
	t_join();
	sem.unlock();
}

static void get_it_for(void *)
{
	t_doing("try_lock_for");
	t_true(sem.try_lock_for(std::chrono::hours::max()));
	sem.unlock();
	t_true(sem.try_lock_shared_for(1h));
	sem.unlock_shared();
	t_doing(nullptr);
}

template <class Clock> static void get_it_until(void *)
{
	t_doing("try_lock_shared_until");
	t_true(sem.try_lock_shared_until(Clock::now() + 1h));
	sem.unlock_shared();
	t_true(sem.try_lock_until(Clock::now() + 1h));
	sem.unlock();
	t_doing(nullptr);
}

T_TEST(when_it_becomes_free)
{
	void (*const waits[])(
	    void *) = { get_it_for, get_it_until<steady_clock>,
			get_it_until<system_clock>, get_it_until<slow_clock> };

	for (auto wait : waits) {
		sem.lock();
		t_await_asleep(t_threads(1, wait, nullptr));
		sem.unlock();
		t_join();
	}
}
