/* SPDX-License-Identifier: MIT */
/*
 * The C library's pthread_rwlock_t: the lock that programs have today.
 *
 * glibc has three kinds, of which two behave differently: the default one lets
 * readers pass a waiting writer for ever, and the non-recursive preference for
 * writers lets writers pass a waiting reader for ever.  Another C library has
 * one kind, listed as `libc`.
 */
#define _GNU_SOURCE /* kinds and clocks of pthread_rwlock_t */

#include "designs/design.h"

#include <pthread.h>

static int init(void *lock)
{
	return pthread_rwlock_init(lock, NULL);
}

static void destroy(void *lock)
{
	pthread_rwlock_destroy(lock);
}

/* Besides misuse, only more than 2^28 read holds make these fail. */
static void down_read(void *lock)
{
	pthread_rwlock_rdlock(lock);
}

static void down_write(void *lock)
{
	pthread_rwlock_wrlock(lock);
}

static void up(void *lock)
{
	pthread_rwlock_unlock(lock);
}

static bool down_read_trylock(void *lock)
{
	return pthread_rwlock_tryrdlock(lock) == 0;
}

static bool down_write_trylock(void *lock)
{
	return pthread_rwlock_trywrlock(lock) == 0;
}

#if defined __GLIBC__
static int read_until(void *lock, clockid_t clock,
		      const struct timespec *deadline)
{
	return pthread_rwlock_clockrdlock(lock, clock, deadline);
}

static int write_until(void *lock, clockid_t clock,
		       const struct timespec *deadline)
{
	return pthread_rwlock_clockwrlock(lock, clock, deadline);
}
#else
/* Elsewhere a lock knows the time of day only: it cannot. */
#define read_until  NULL
#define write_until NULL
#endif

RWI_DEFINE_PAIRS(pthread, pthread_rwlock_rdlock(lock),
		 pthread_rwlock_unlock(lock), pthread_rwlock_wrlock(lock),
		 pthread_rwlock_unlock(lock))

#define OPERATIONS                                                             \
	.file = "pthread.c", .lock_size = sizeof(pthread_rwlock_t),            \
	.lock_align = _Alignof(pthread_rwlock_t), .destroy = destroy,          \
	.down_read = down_read, .up_read = up, .down_write = down_write,       \
	.up_write = up, .down_read_trylock = down_read_trylock,                \
	.down_write_trylock = down_write_trylock,                              \
	.down_read_until = read_until, .down_write_until = write_until,        \
	.read_pairs = pthread_read_pairs, .write_pairs = pthread_write_pairs

#if defined __GLIBC__
static int init_prefer_writers(void *lock)
{
	pthread_rwlockattr_t attr;
	int error = pthread_rwlockattr_init(&attr);

	if (error)
		return error;
	error = pthread_rwlockattr_setkind_np(
	    &attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	if (!error)
		error = pthread_rwlock_init(lock, &attr);
	pthread_rwlockattr_destroy(&attr);
	return error;
}

const struct rwi_design rwi_design_glibc = {
	.name = "glibc",
	.summary =
	    "pthread_rwlock_t of the default kind, which favours readers",
	.origin = "Riegel, glibc 2.25 (2017)",
	.year = 2017,
	.traits = RWI_RECURSIVE | RWI_NATIVE_ONLY | RWI_STARVES_WRITERS,
	.init = init,
	OPERATIONS,
};

const struct rwi_design rwi_design_glibc_prefer_writers = {
	.name = "glibc-prefer-writers",
	.summary = "pthread_rwlock_t, PTHREAD_RWLOCK_PREFER_WRITER_"
		   "NONRECURSIVE_NP",
	.origin = "Riegel, glibc 2.25 (2017)",
	.year = 2017,
	.traits = RWI_NATIVE_ONLY | RWI_STARVES_READERS,
	.init = init_prefer_writers,
	OPERATIONS,
};
#else
const struct rwi_design rwi_design_libc = {
	.name = "libc",
	.summary = "pthread_rwlock_t of the C library",
	.origin = "the C library",
	.traits = RWI_NATIVE_ONLY | RWI_STARVES_WRITERS,
	.init = init,
	OPERATIONS,
};
#endif
