/* SPDX-License-Identifier: MIT */
/*
 * rwsem for programs built with ThreadSanitizer; rwsem.h includes it then.
 *
 * The library itself need not be built for it: the calls are annotated here,
 * on the program's side, as calls on a reader-writer mutex, so that the tool
 * knows what the semaphore orders and can find lock-order inversions and wrong
 * releases.  While a call runs the tool ignores its insides; to check those,
 * build library and tests with RWSEM_NO_ANNOTATIONS.
 */
#ifndef RWSEM_ANNOTATE_H
#define RWSEM_ANNOTATE_H

#include "rwsem/rwsem.h"

#include <sanitizer/tsan_interface.h>

/* Run `call`, whose value is an int that is 0 on success, as a lock or try. */
#define RWSEM_TSAN_LOCK_(sem, flags, call)                                     \
	int rwsem_result;                                                      \
	__tsan_mutex_pre_lock(sem, flags);                                     \
	rwsem_result = (call);                                                 \
	__tsan_mutex_post_lock(                                                \
	    sem, (flags) | (rwsem_result ? __tsan_mutex_try_lock_failed : 0),  \
	    0)

#define RWSEM_TSAN_UNLOCK_(sem, flags, call)                                   \
	__tsan_mutex_pre_unlock(sem, flags);                                   \
	call;                                                                  \
	__tsan_mutex_post_unlock(sem, flags)

static inline int rwsem_tsan_init_(rwsem_t *sem, unsigned flags)
{
	int r = rwsem_init(sem, flags);

	if (!r)
		__tsan_mutex_create(sem, __tsan_mutex_not_static);
	return r;
}

static inline void rwsem_tsan_destroy_(rwsem_t *sem)
{
	rwsem_destroy(sem);
	__tsan_mutex_destroy(sem, 0);
}

static inline void rwsem_tsan_down_read_(rwsem_t *sem)
{
	RWSEM_TSAN_LOCK_(sem, __tsan_mutex_read_lock,
			 (rwsem_down_read(sem), 0));
	(void)rwsem_result;
}

static inline void rwsem_tsan_down_write_(rwsem_t *sem)
{
	RWSEM_TSAN_LOCK_(sem, 0, (rwsem_down_write(sem), 0));
	(void)rwsem_result;
}

static inline bool rwsem_tsan_down_read_trylock_(rwsem_t *sem)
{
	RWSEM_TSAN_LOCK_(sem, __tsan_mutex_try_read_lock,
			 !rwsem_down_read_trylock(sem));
	return !rwsem_result;
}

static inline bool rwsem_tsan_down_write_trylock_(rwsem_t *sem)
{
	RWSEM_TSAN_LOCK_(sem, __tsan_mutex_try_lock,
			 !rwsem_down_write_trylock(sem));
	return !rwsem_result;
}

static inline int rwsem_tsan_down_read_until_(rwsem_t *sem, clockid_t clock,
					      const struct timespec *at)
{
	RWSEM_TSAN_LOCK_(sem, __tsan_mutex_try_read_lock,
			 rwsem_down_read_until(sem, clock, at));
	return rwsem_result;
}

static inline int rwsem_tsan_down_write_until_(rwsem_t *sem, clockid_t clock,
					       const struct timespec *at)
{
	RWSEM_TSAN_LOCK_(sem, __tsan_mutex_try_lock,
			 rwsem_down_write_until(sem, clock, at));
	return rwsem_result;
}

static inline int rwsem_tsan_down_read_interruptible_(rwsem_t *sem)
{
	RWSEM_TSAN_LOCK_(sem, __tsan_mutex_try_read_lock,
			 rwsem_down_read_interruptible(sem));
	return rwsem_result;
}

static inline int rwsem_tsan_down_write_interruptible_(rwsem_t *sem)
{
	RWSEM_TSAN_LOCK_(sem, __tsan_mutex_try_lock,
			 rwsem_down_write_interruptible(sem));
	return rwsem_result;
}

static inline void rwsem_tsan_down_read_non_owner_(rwsem_t *sem)
{
	RWSEM_TSAN_LOCK_(sem, __tsan_mutex_read_lock,
			 (rwsem_down_read_non_owner(sem), 0));
	(void)rwsem_result;
}

static inline void rwsem_tsan_up_read_(rwsem_t *sem)
{
	RWSEM_TSAN_UNLOCK_(sem, __tsan_mutex_read_lock, rwsem_up_read(sem));
}

static inline void rwsem_tsan_up_read_non_owner_(rwsem_t *sem)
{
	RWSEM_TSAN_UNLOCK_(sem, __tsan_mutex_read_lock,
			   rwsem_up_read_non_owner(sem));
}

static inline void rwsem_tsan_up_write_(rwsem_t *sem)
{
	RWSEM_TSAN_UNLOCK_(sem, 0, rwsem_up_write(sem));
}

/*
 * The tool has no downgrade.  It is told of a release and an acquisition
 * around the call, in which nobody else can hold for writing.
 */
static inline void rwsem_tsan_downgrade_write_(rwsem_t *sem)
{
	RWSEM_TSAN_UNLOCK_(sem, 0, (void)0);
	RWSEM_TSAN_LOCK_(sem, __tsan_mutex_try_read_lock,
			 (rwsem_downgrade_write(sem), 0));
	(void)rwsem_result;
}

#define rwsem_init(sem, flags)        rwsem_tsan_init_(sem, flags)
#define rwsem_destroy(sem)            rwsem_tsan_destroy_(sem)
#define rwsem_down_read(sem)          rwsem_tsan_down_read_(sem)
#define rwsem_down_write(sem)         rwsem_tsan_down_write_(sem)
#define rwsem_down_read_trylock(sem)  rwsem_tsan_down_read_trylock_(sem)
#define rwsem_down_write_trylock(sem) rwsem_tsan_down_write_trylock_(sem)
#define rwsem_down_read_until(sem, clock, at)                                  \
	rwsem_tsan_down_read_until_(sem, clock, at)
#define rwsem_down_write_until(sem, clock, at)                                 \
	rwsem_tsan_down_write_until_(sem, clock, at)
#define rwsem_down_read_interruptible(sem)                                     \
	rwsem_tsan_down_read_interruptible_(sem)
#define rwsem_down_write_interruptible(sem)                                    \
	rwsem_tsan_down_write_interruptible_(sem)
#define rwsem_down_read_non_owner(sem) rwsem_tsan_down_read_non_owner_(sem)
#define rwsem_up_read(sem)             rwsem_tsan_up_read_(sem)
#define rwsem_up_read_non_owner(sem)   rwsem_tsan_up_read_non_owner_(sem)
#define rwsem_up_write(sem)            rwsem_tsan_up_write_(sem)
#define rwsem_downgrade_write(sem)     rwsem_tsan_downgrade_write_(sem)

#endif
