/* SPDX-License-Identifier: MIT */
/* Parking: what ends a sleep, what does not, and what it is called. */
#include "support/t.h"

#include "port/port.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

enum { ANY = RWI_CLASS_ANY, RED = 1, BLUE = 2 };

static uint32_t word;

static struct rwi_deadline in_us(clockid_t clock, int64_t us)
{
	return (struct rwi_deadline){ clock, t_in_us(clock, us) };
}

static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME };

T_TEST(returns_when_the_word_differs)
{
	const struct rwi_deadline far = in_us(CLOCK_MONOTONIC, 60000000);

	errno = 0;
	t_eq(rwi_park(&word, 1, ANY, &far), RWI_PARKED_WOKEN);
	t_eq(errno, 0);
}

T_TEST(times_out_and_not_early)
{
	static const int64_t waits_us[] = { -1000000, 0, 1, 1000, 20000 };

	for (int i = 0; i < 10; i++) {
		const struct rwi_deadline d =
		    in_us(clocks[i % 2], waits_us[i / 2]);

		errno = 0;
		t_eq(rwi_park(&word, 0, ANY, &d), RWI_PARKED_TIMEOUT);
		t_eq(errno, 0);
		t_eq(rwi_left_ns(&d), 0);
	}
}

T_TEST(times_before_the_epoch_have_passed)
{
	const struct rwi_deadline before = { CLOCK_REALTIME, { -1, 0 } };

	t_eq(rwi_left_ns(&before), 0);
	t_eq(rwi_park(&word, 0, ANY, &before), RWI_PARKED_TIMEOUT);
}

T_TEST(time_left)
{
	for (int i = 0; i < 2; i++) {
		const struct rwi_deadline hour = in_us(clocks[i], 3600000000);
		const struct rwi_deadline never = { clocks[i],
						    { INT64_MAX, 999999999 } };

		t_le(rwi_left_ns(&hour), 3600 * INT64_C(1000000000));
		t_ge(rwi_left_ns(&hour), 3000 * INT64_C(1000000000));
		t_ge(rwi_left_ns(&never), INT64_MAX / 2);
	}
}

/* ---- Waking ---- */

struct sleeper {
	int class_bits;
	enum rwi_parked result;
};

static void sleep_in_class(void *arg)
{
	struct sleeper *s = arg;
	const struct rwi_deadline far = in_us(CLOCK_MONOTONIC, 60000000);

	t_doing("park");
	s->result = rwi_park(&word, 0, s->class_bits, &far);
	t_doing(NULL);
}

T_TEST(wakes_a_class_and_no_other)
{
	struct sleeper red = { RED, 0 }, blue = { BLUE, 0 };
	const unsigned r = t_threads(1, sleep_in_class, &red);
	const unsigned b = t_threads(1, sleep_in_class, &blue);

	t_await_asleep(r);
	t_await_asleep(b);
	rwi_unpark(&word, 10, BLUE);
	t_await(t_finished(b));
	t_false(t_finished(r));
	rwi_unpark(&word, 10, ANY);
	t_join();
	t_eq(red.result, RWI_PARKED_WOKEN);
	t_eq(blue.result, RWI_PARKED_WOKEN);
}

T_TEST(wakes_so_many_and_no_more)
{
	struct sleeper s[3] = { { ANY, 0 }, { ANY, 0 }, { ANY, 0 } };
	const unsigned first = t_threads(1, sleep_in_class, &s[0]);
	unsigned awake;

	t_threads(1, sleep_in_class, &s[1]);
	t_threads(1, sleep_in_class, &s[2]);
	for (unsigned i = 0; i < 3; i++)
		t_await_asleep(first + i);
	for (unsigned woken = 1; woken <= 3; woken++) {
		rwi_unpark(&word, 1, ANY);
		do {
			t_pause();
			awake = 0;
			for (unsigned i = 0; i < 3; i++)
				awake += t_finished(first + i);
		} while (awake < woken);
		t_eq(awake, woken);
	}
	t_join();
}

/* An address is a name: nothing need be there. */
T_TEST(wakes_at_an_address_without_memory)
{
	uint32_t *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	t_true((void *)gone != MAP_FAILED);
	t_eq(munmap(gone, 4096), 0);
	errno = 0;
	rwi_unpark(gone, 1, ANY);
	t_eq(errno, 0);
}

/* ---- Signals ---- */

static void interrupt(int flags)
{
	struct sleeper s = { ANY, RWI_PARKED_WOKEN };
	const unsigned thread = t_threads(1, sleep_in_class, &s);

	t_count_signals(flags);
	t_await_asleep(thread);
	while (!t_finished(thread)) {
		t_signal(thread, SIGUSR1);
		t_pause();
	}
	t_join();
	t_eq(s.result, RWI_PARKED_SIGNAL);
}

T_TEST(ends_with_a_handler_however_it_was_installed)
{
	interrupt(0);
	interrupt(SA_RESTART);
}
