/* SPDX-License-Identifier: MIT */
/*
 * rwsem with its fast paths inlined.
 *
 * Include this instead of rwsem.h: the same names and the same contract, but a
 * call on a semaphore that nobody else uses compiles to one compare-and-swap.
 *
 * An inlined path takes only a word whose every bit it knows, so a program
 * that was built with it goes on to work with later versions of the library
 * that use more bits; it calls the library for everything else.  The layout it
 * depends on is frozen at version 1.0, not before.
 */
#ifndef RWSEM_INLINE_H
#define RWSEM_INLINE_H

#include "rwsem/rwsem.h"

/* ThreadSanitizer sees the calls, not their insides. */
#ifndef RWSEM_TSAN_

#include <stddef.h>

#define RWSEM_WORD_WRITER_ UINT64_C(1)
#define RWSEM_WORD_READER_ (UINT64_C(1) << 32)

/*
 * Not while the semaphore is known to have waiters, or readers in company: then
 * a guess that it is free would be in vain, and the library has a better one.
 */
static inline bool rwsem_expects_free_(const rwsem_t *sem)
{
	return __builtin_expect(
	    __atomic_load_n(&sem->hint_, __ATOMIC_RELAXED) == 0, 1);
}

static inline bool rwsem_acquire_(rwsem_t *sem, uint64_t s, uint64_t n)
{
	/* ORDER hold(2/2): what earlier holders stored. */
	return rwsem_expects_free_(sem) &&
	       __builtin_expect(__atomic_compare_exchange_n(
				    &sem->word_, &s, n, false, __ATOMIC_ACQUIRE,
				    __ATOMIC_RELAXED),
				1);
}

static inline bool rwsem_release_(rwsem_t *sem, uint64_t s, uint64_t n)
{
	/* ORDER hold(1/2): the section, for the next holder. */
	return rwsem_expects_free_(sem) &&
	       __builtin_expect(__atomic_compare_exchange_n(
				    &sem->word_, &s, n, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED),
				1);
}

/* The hints left for those who wait. */
#if defined __GLIBC__ && defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 35)
#define RWSEM_HAVE_RSEQ_ 1
#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const ptrdiff_t __rseq_offset;
#endif
#endif

static inline void rwsem_note_burst_(rwsem_t *sem)
{
	const uint16_t burst = __atomic_load_n(&sem->burst_, __ATOMIC_RELAXED);

	__atomic_store_n(&sem->burst_, (uint16_t)(burst + 1), __ATOMIC_RELAXED);
}

static inline void rwsem_note_writer_(rwsem_t *sem)
{
	uint16_t cpu = 0;

#ifdef RWSEM_HAVE_RSEQ_
	cpu = (uint16_t)(*(const volatile uint32_t
			       *)((const char *)__builtin_thread_pointer() +
				  __rseq_offset + 4) +
			 1);
#endif
	__atomic_store_n(&sem->cpu_, cpu, __ATOMIC_RELAXED);
	rwsem_note_burst_(sem);
}

static inline bool rwsem_read_at_once_(rwsem_t *sem)
{
	if (!rwsem_acquire_(sem, 0, RWSEM_WORD_READER_))
		return false;
	rwsem_note_burst_(sem);
	return true;
}

static inline bool rwsem_write_at_once_(rwsem_t *sem)
{
	if (!rwsem_acquire_(sem, 0, RWSEM_WORD_WRITER_))
		return false;
	rwsem_note_writer_(sem);
	return true;
}

static inline void rwsem_inline_down_read_(rwsem_t *sem)
{
	if (!rwsem_read_at_once_(sem))
		rwsem_down_read(sem);
}

static inline bool rwsem_inline_down_read_trylock_(rwsem_t *sem)
{
	return rwsem_read_at_once_(sem) || rwsem_down_read_trylock(sem);
}

static inline void rwsem_inline_up_read_(rwsem_t *sem)
{
	if (!rwsem_release_(sem, RWSEM_WORD_READER_, 0))
		rwsem_up_read(sem);
}

static inline void rwsem_inline_down_write_(rwsem_t *sem)
{
	if (!rwsem_write_at_once_(sem))
		rwsem_down_write(sem);
}

static inline bool rwsem_inline_down_write_trylock_(rwsem_t *sem)
{
	return rwsem_write_at_once_(sem) || rwsem_down_write_trylock(sem);
}

static inline void rwsem_inline_up_write_(rwsem_t *sem)
{
	if (!rwsem_release_(sem, RWSEM_WORD_WRITER_, 0))
		rwsem_up_write(sem);
}

static inline void rwsem_inline_downgrade_write_(rwsem_t *sem)
{
	if (!rwsem_release_(sem, RWSEM_WORD_WRITER_, RWSEM_WORD_READER_))
		rwsem_downgrade_write(sem);
}

/* Function-like, so that &rwsem_down_read still names the library's. */
#define rwsem_down_read(sem)          rwsem_inline_down_read_(sem)
#define rwsem_down_read_trylock(sem)  rwsem_inline_down_read_trylock_(sem)
#define rwsem_up_read(sem)            rwsem_inline_up_read_(sem)
#define rwsem_down_write(sem)         rwsem_inline_down_write_(sem)
#define rwsem_down_write_trylock(sem) rwsem_inline_down_write_trylock_(sem)
#define rwsem_up_write(sem)           rwsem_inline_up_write_(sem)
#define rwsem_downgrade_write(sem)    rwsem_inline_downgrade_write_(sem)

#endif

#endif
