/* SPDX-License-Identifier: MIT */
/*
 * The test harness.
 *
 * A test program states one property, as one case or a few:
 *
 *	T_TEST(counts_to_two)
 *	{
 *		t_eq(1 + 1, 2);
 *	}
 *
 * Each case runs in a process of its own, whose parent is the watchdog: when a
 * case takes too long it prints what every thread was doing, and kills it.  Any
 * thread may assert; a failure prints where and which values, and ends the
 * process at once.  main() is in t.c; `program --help` lists its options.
 */
#ifndef T_T_H
#define T_T_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rwi_design;

/* ---- Cases ---- */

struct t_case {
	const char *name;
	void (*test)(void);
	/* Or one for each lock of the registry that has what it needs. */
	void (*property)(const struct rwi_design *design, void *lock);
	unsigned needs;
	const char *caught; /* a broken lock on which the property must fail */
	int line;           /* cases run in the order of the file */
};

#define T_CASE(name, test, property, needs, caught)                            \
	static const struct t_case t_case_##name = {                           \
		#name, test, property, needs, caught, __LINE__                 \
	};                                                                     \
	static const struct t_case *t_listed_##name                            \
	    __attribute__((section("t_cases"), used)) = &t_case_##name

#define T_TEST(name)                                                           \
	static void name(void);                                                \
	T_CASE(name, name, NULL, 0, NULL);                                     \
	static void name(void)

/* ---- Assertions ---- */

#define t_true(condition)                                                      \
	((condition) ? (void)0                                                 \
		     : t_fail_at(__FILE__, __LINE__, "%s", #condition))

#define t_false(condition) t_true(!(condition))

#define t_eq(a, b)         T_COMPARE(a, ==, b, #a " == " #b)
#define t_le(a, b)         T_COMPARE(a, <=, b, #a " <= " #b)
#define t_ge(a, b)         T_COMPARE(a, >=, b, #a " >= " #b)

#define t_fail(...)        t_fail_at(__FILE__, __LINE__, __VA_ARGS__)

#define T_COMPARE(a, op, b, text)                                              \
	do {                                                                   \
		const long long t_a = (long long)(a), t_b = (long long)(b);    \
		if (!(t_a op t_b))                                             \
			t_fail_at(__FILE__, __LINE__, "%s: %lld and %lld",     \
				  text, t_a, t_b);                             \
	} while (0)

void t_fail_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

/* End this case as skipped, with the reason in sight. */
void t_skip(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/* A line of the report. */
void t_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Threads ---- */

/*
 * Start `count` threads that run body(arg).  Returns the number of the first;
 * the others follow.
 */
#define t_threads(count, body, arg) t_threads_named(#body, count, body, arg)
unsigned t_threads_named(const char *name, unsigned count, void (*body)(void *),
			 void *arg);

/* Wait for all threads. */
void t_join(void);

/* Which of the threads of its call is this one?  From 0. */
unsigned t_index(void);

/* Has thread `number` returned? */
bool t_finished(unsigned number);

void t_signal(unsigned number, int signal);

/*
 * Wait until a thread has announced, by t_doing(), something it waits in, and
 * sleeps there, or has finished.  Threads that wait actively are given a while
 * instead: a test may lose its point by that, never fail.
 */
void t_await_asleep(unsigned number);

/* Say what this thread does now, for the watchdog; null for nothing special. */
void t_doing(const char *what);

/* Let others run until a condition holds. */
#define t_await(condition)                                                     \
	do {                                                                   \
		t_doing("await " #condition);                                  \
		while (!(condition))                                           \
			t_pause();                                             \
		t_doing(NULL);                                                 \
	} while (0)
void t_pause(void);

/* A meeting point for `count` threads, usable again and again. */
struct t_meeting {
	uint32_t count, here, round;
};
void t_meet(struct t_meeting *meeting);

/* ---- Children ---- */

struct t_outcome {
	bool stuck;      /* did not end in time and was killed */
	int status;      /* as wait() gives it */
	char text[4096]; /* what it wrote to standard error */
};

/* Run body(arg) in a forked child that must end within some seconds. */
void t_child(void (*body)(void *), void *arg, unsigned seconds,
	     struct t_outcome *outcome);

/* The same for a child that must succeed. */
void t_child_passes(void (*body)(void *), void *arg);

/* ---- Time and chance ---- */

uint64_t t_now_ns(clockid_t clock);

/* The time `us` microseconds from now; may be negative. */
struct timespec t_in_us(clockid_t clock, int64_t us);

void t_sleep_us(unsigned us);

/* Give this thread's CPU `us` microseconds of work. */
void t_work_us(unsigned us);

/* Counts shrink in slow builds and grow a hundredfold under --long. */
unsigned t_rounds(unsigned count);

/* How many times slower than usual is this build (RWI_PATIENCE)? */
unsigned t_slower(void);

/* A random number below `bound`, from --seed and the number of the thread. */
uint32_t t_random(uint32_t bound);
extern uint64_t t_seed;
extern bool t_long;
extern bool t_busy; /* others want the CPUs: --busy */

/* What follows the options on the command line; ends with null. */
extern char **t_args;

/* Count SIGUSR1 in a handler; `flags` as in sigaction. */
void t_count_signals(int flags);
extern uint32_t t_signals;

/* ---- Atomic shorthands, relaxed unless they say otherwise ---- */

#define t_load(p)             __atomic_load_n(p, __ATOMIC_RELAXED)
#define t_store(p, v)         __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define t_add(p, v)           __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define t_load_acquire(p)     __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define t_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

#ifdef __cplusplus
}
#endif

#endif
