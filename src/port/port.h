/* SPDX-License-Identifier: MIT */
/*
 * The port: everything a lock asks of its surroundings.
 *
 * The core and the designs include this header and nothing of the system, so
 * the same sources can be compiled against the machine (native.h) or against a
 * simulated one.  A port supplies what is listed here, no more and no less.
 *
 * Three build switches exist, and they appear only in this file:
 *	RWI_TEST   steps, bugs, events and tunables can be reached from tests
 *	RWI_SIM    the surroundings are simulated
 *	RWI_WATCH  events are recorded for contention statistics
 *
 * Atomics.  rwi_<operation>_<order>(site, pointer, ...), order being relaxed,
 * acquire, release, acq_rel or seq_cst.  `site` is a word that names the place
 * within its function, for whoever weakens orderings one at a time; native
 * code drops it.  A compare-and-swap is strong, stores what it found in
 * *expected on failure, and orders nothing then.
 *	rwi_load, rwi_store, rwi_cas, rwi_xchg, rwi_fetch_add, rwi_fetch_sub,
 *	rwi_fetch_or, rwi_fetch_and; rwi_fence_<order>(site)
 *
 * Storage that others may have freed is never touched by rwi_unpark: it uses
 * an address as a name.
 */
#ifndef RWI_PORT_H
#define RWI_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* ---- Time ---- */

/* An absolute time on CLOCK_MONOTONIC or CLOCK_REALTIME. */
struct rwi_deadline {
	clockid_t clock;
	struct timespec at;
};

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t rwi_now_ns(void);

/* Is this one of the two clocks? */
bool rwi_clock_known(clockid_t clock);

/* The time `ns` from now, on CLOCK_MONOTONIC. */
struct rwi_deadline rwi_deadline_in(uint64_t ns);

/* Nanoseconds left until *deadline on its own clock; 0 when it has passed. */
uint64_t rwi_left_ns(const struct rwi_deadline *deadline);

/* ---- Spinning ---- */

/* Wait actively for about `ns` nanoseconds. */
void rwi_delay(uint32_t ns);

/* Let others run on this CPU: void rwi_yield(void), inline. */

/*
 * May a thread wait actively at all?  False when this process has one CPU, by
 * the affinity of its threads or by its cgroup's quota.  Looked up again at
 * most once a second; `now_ns` is the current time.
 */
bool rwi_may_spin(uint64_t now_ns);

/* ---- Sleeping ---- */

enum rwi_parked {
	RWI_PARKED_WOKEN,   /* woken, spuriously woken, or *word differed */
	RWI_PARKED_TIMEOUT, /* the deadline passed */
	RWI_PARKED_SIGNAL   /* a signal handler ran */
};

/* Waiters and wakers name classes of waiters by bits. */
enum { RWI_CLASS_ANY = -1 };

/*
 * Sleep while *word == expected.  Always with a deadline: a sleep without one
 * is restarted by the kernel after a signal handler, and is never noticed.
 */
enum rwi_parked rwi_park(uint32_t *word, uint32_t expected, int class_bits,
			 const struct rwi_deadline *deadline);

/* Wake at most `count` threads parked on the address, in a class given. */
void rwi_unpark(uint32_t *word, int count, int class_bits);

/*
 * A mutex for a few instructions, zero when free.  The holder's signals are
 * blocked (those a fault raises excepted), so no handler ever runs inside; a
 * waiter sleeps after a short spin and lends its priority to the holder where
 * the system can do that.
 */
struct rwi_signals {
	uint64_t mask;
};
void rwi_mutex_lock(uint32_t *mutex, struct rwi_signals *saved);
void rwi_mutex_unlock(uint32_t *mutex, const struct rwi_signals *saved);

/* ---- Fences on other threads ---- */

/*
 * Run a full fence on every running thread of this process.  False if the
 * system cannot.  A thread that pairs with it needs rwi_fence_compiler(site)
 * between its two accesses.
 */
bool rwi_membarrier(void);

/* ---- Threads and processes ---- */

/* A non-zero id, unique among living threads; right in a forked child too. */
uint32_t rwi_thread_id(void);

/* This thread's record: zero at its start, kept small (it is static TLS). */
enum { RWI_THREAD_BYTES = 136 };
void *rwi_thread_record(void);

/*
 * Call notice(record) when the calling thread ends, after other destructors of
 * thread-specific data had their turn.  One notice a process.
 */
void rwi_thread_at_exit(void (*notice)(void *record));

/*
 * Process-wide state: zero at the start and again in every forked child,
 * aligned to 64 bytes, never freed.
 */
enum { RWI_PROCESS_BYTES = 65536 - 64 };
void *rwi_process_state(void);

/* Changes when the state above was zeroed by a fork; never zero. */
uint32_t rwi_process_generation(void);

/* ---- Faults ---- */

/* Write `message` as one line to standard error and abort. */
_Noreturn void rwi_panic(const char *message);

/* ---- Constants with a reason: tunables.def ---- */

#define RWI_TUNABLE(name, value) RWI_TUNABLE_##name = (value),
enum rwi_tunable_value {
#include "port/tunables.def"
};
#undef RWI_TUNABLE

/* ---- Events: events.def ---- */

#define RWI_EVENT(name) RWI_EVENT_##name,
enum rwi_event_name {
#include "port/events.def"
	RWI_EVENTS
};
#undef RWI_EVENT

#ifdef RWI_TEST

/*
 * Points in the code that tests can reach.  Each registers itself in a section
 * of its own, so that tests can list all of them without running any.
 */
struct rwi_point {
	const char *name;
	uint32_t armed;
	uint32_t hits;
};
void rwi_step_hit(struct rwi_point *point);

/* Called at every step with its point; null by default. */
extern void (*rwi_step_hook)(struct rwi_point *point);

#define RWI_STEP(step)                                                         \
	do {                                                                   \
		static struct rwi_point rwi_point_here                         \
		    __attribute__((section("rwi_steps"), used)) = { step, 0,   \
								    0 };       \
		rwi_step_hit(&rwi_point_here);                                 \
	} while (0)

#define RWI_BUG(bug)                                                           \
	__extension__({                                                        \
		static struct rwi_point rwi_point_here                         \
		    __attribute__((section("rwi_bugs"), used)) = { bug, 0,     \
								   0 };        \
		__atomic_load_n(&rwi_point_here.armed, __ATOMIC_RELAXED) != 0; \
	})

#define RWI_TUNABLE(name, value) uint32_t name;
struct rwi_tunables {
#include "port/tunables.def"
};
#undef RWI_TUNABLE
extern struct rwi_tunables rwi_tunables;
#define rwi_tunable(name) (rwi_tunables.name)

extern uint64_t rwi_event_count[RWI_EVENTS];
#define rwi_event(name, lock)                                                  \
	((void)(lock),                                                         \
	 (void)__atomic_fetch_add(&rwi_event_count[RWI_EVENT_##name], 1,       \
				  __ATOMIC_RELAXED))

#else

#define RWI_STEP(step)        ((void)0)
#define RWI_BUG(bug)          false
#define rwi_tunable(name)     ((uint32_t)RWI_TUNABLE_##name)
#define rwi_event(name, lock) ((void)(lock))

#endif

#include "port/native.h"

#endif
