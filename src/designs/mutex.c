/* SPDX-License-Identifier: MIT */
/*
 * mutex: pthread_mutex_t for both sides.
 *
 * What a program uses that does not trust reader-writer locks.  With short
 * sections it is hard to beat, and the tables should say so.  In glibc it also
 * comes with some spinning before it sleeps.
 */
#define _GNU_SOURCE /* pthread_mutex_clocklock, PTHREAD_MUTEX_ADAPTIVE_NP */

#include "designs/design.h"

#include <pthread.h>

static int init(void *lock)
{
	return pthread_mutex_init(lock, NULL);
}

static void destroy(void *lock)
{
	pthread_mutex_destroy(lock);
}

/* Of a mutex of the default kind only misuse fails. */
static void down(void *lock)
{
	pthread_mutex_lock(lock);
}

static void up(void *lock)
{
	pthread_mutex_unlock(lock);
}

static bool trylock(void *lock)
{
	return pthread_mutex_trylock(lock) == 0;
}

#if defined __GLIBC__
static int until(void *lock, clockid_t clock, const struct timespec *deadline)
{
	return pthread_mutex_clocklock(lock, clock, deadline);
}
#else
/* Elsewhere a mutex knows the time of day only. */
#define until NULL
#endif

RWI_DEFINE_PAIRS(mutex, pthread_mutex_lock(lock), pthread_mutex_unlock(lock),
		 pthread_mutex_lock(lock), pthread_mutex_unlock(lock))

#define OPERATIONS                                                             \
	.file = "mutex.c", .traits = RWI_MUTEX | RWI_NATIVE_ONLY,              \
	.lock_size = sizeof(pthread_mutex_t),                                  \
	.lock_align = _Alignof(pthread_mutex_t), .destroy = destroy,           \
	.down_read = down, .up_read = up, .down_write = down, .up_write = up,  \
	.down_read_trylock = trylock, .down_write_trylock = trylock,           \
	.down_read_until = until, .down_write_until = until,                   \
	.read_pairs = mutex_read_pairs, .write_pairs = mutex_write_pairs

const struct rwi_design rwi_design_mutex = {
	.name = "mutex",
	.summary = "pthread_mutex_t of the default kind for both sides",
	.origin = "the C library",
	.init = init,
	OPERATIONS,
};

#if defined __GLIBC__
static int init_adaptive(void *lock)
{
	pthread_mutexattr_t attr;
	int error = pthread_mutexattr_init(&attr);

	if (error)
		return error;
	error = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	if (!error)
		error = pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return error;
}

const struct rwi_design rwi_design_mutex_adaptive = {
	.name = "mutex-adaptive",
	.summary = "pthread_mutex_t, PTHREAD_MUTEX_ADAPTIVE_NP, for both sides",
	.origin = "the C library",
	.init = init_adaptive,
	OPERATIONS,
};
#endif
