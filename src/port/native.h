/* SPDX-License-Identifier: MIT */
/* The port to gcc or clang on Linux: what must be inline. */
#ifndef RWI_NATIVE_H
#define RWI_NATIVE_H

#ifndef RWI_PORT_H
#error "include port/port.h"
#endif

#include <sched.h>

#define rwi_load_relaxed(site, p)     __atomic_load_n(p, __ATOMIC_RELAXED)
#define rwi_load_acquire(site, p)     __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define rwi_load_seq_cst(site, p)     __atomic_load_n(p, __ATOMIC_SEQ_CST)

#define rwi_store_relaxed(site, p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define rwi_store_release(site, p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define rwi_store_seq_cst(site, p, v) __atomic_store_n(p, v, __ATOMIC_SEQ_CST)

#define RWI_CAS(p, expected, v, order)                                         \
	__atomic_compare_exchange_n(p, expected, v, false, order,              \
				    __ATOMIC_RELAXED)
#define rwi_cas_relaxed(site, p, e, v) RWI_CAS(p, e, v, __ATOMIC_RELAXED)
#define rwi_cas_acquire(site, p, e, v) RWI_CAS(p, e, v, __ATOMIC_ACQUIRE)
#define rwi_cas_release(site, p, e, v) RWI_CAS(p, e, v, __ATOMIC_RELEASE)
#define rwi_cas_acq_rel(site, p, e, v) RWI_CAS(p, e, v, __ATOMIC_ACQ_REL)
#define rwi_cas_seq_cst(site, p, e, v) RWI_CAS(p, e, v, __ATOMIC_SEQ_CST)

#define rwi_xchg_relaxed(site, p, v)   __atomic_exchange_n(p, v, __ATOMIC_RELAXED)
#define rwi_xchg_acquire(site, p, v)   __atomic_exchange_n(p, v, __ATOMIC_ACQUIRE)
#define rwi_xchg_release(site, p, v)   __atomic_exchange_n(p, v, __ATOMIC_RELEASE)
#define rwi_xchg_acq_rel(site, p, v)   __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL)
#define rwi_xchg_seq_cst(site, p, v)   __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

#define rwi_fetch_add_relaxed(site, p, v)                                      \
	__atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define rwi_fetch_add_acquire(site, p, v)                                      \
	__atomic_fetch_add(p, v, __ATOMIC_ACQUIRE)
#define rwi_fetch_add_release(site, p, v)                                      \
	__atomic_fetch_add(p, v, __ATOMIC_RELEASE)
#define rwi_fetch_add_acq_rel(site, p, v)                                      \
	__atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
#define rwi_fetch_add_seq_cst(site, p, v)                                      \
	__atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)

#define rwi_fetch_sub_relaxed(site, p, v)                                      \
	__atomic_fetch_sub(p, v, __ATOMIC_RELAXED)
#define rwi_fetch_sub_acquire(site, p, v)                                      \
	__atomic_fetch_sub(p, v, __ATOMIC_ACQUIRE)
#define rwi_fetch_sub_release(site, p, v)                                      \
	__atomic_fetch_sub(p, v, __ATOMIC_RELEASE)
#define rwi_fetch_sub_acq_rel(site, p, v)                                      \
	__atomic_fetch_sub(p, v, __ATOMIC_ACQ_REL)
#define rwi_fetch_sub_seq_cst(site, p, v)                                      \
	__atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST)

#define rwi_fetch_or_relaxed(site, p, v)                                       \
	__atomic_fetch_or(p, v, __ATOMIC_RELAXED)
#define rwi_fetch_or_acq_rel(site, p, v)                                       \
	__atomic_fetch_or(p, v, __ATOMIC_ACQ_REL)
#define rwi_fetch_or_seq_cst(site, p, v)                                       \
	__atomic_fetch_or(p, v, __ATOMIC_SEQ_CST)
#define rwi_fetch_and_relaxed(site, p, v)                                      \
	__atomic_fetch_and(p, v, __ATOMIC_RELAXED)
#define rwi_fetch_and_acq_rel(site, p, v)                                      \
	__atomic_fetch_and(p, v, __ATOMIC_ACQ_REL)
#define rwi_fetch_and_seq_cst(site, p, v)                                      \
	__atomic_fetch_and(p, v, __ATOMIC_SEQ_CST)

#define rwi_fence_acquire(site)  __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define rwi_fence_release(site)  __atomic_thread_fence(__ATOMIC_RELEASE)
#define rwi_fence_seq_cst(site)  __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Orders what the compiler emits, and no CPU: the mate of rwi_membarrier(). */
#define rwi_fence_compiler(site) __atomic_signal_fence(__ATOMIC_SEQ_CST)

#define rwi_likely(x)            __builtin_expect(!!(x), 1)
#define rwi_unlikely(x)          __builtin_expect(!!(x), 0)
#define RWI_NOINLINE             __attribute__((noinline))
#define RWI_INLINE               inline __attribute__((always_inline))

/* Tell the CPU that this is a loop which waits. */
static inline void rwi_relax(void)
{
#if defined __x86_64__ || defined __i386__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("isb" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

/* Let others run on this CPU. */
static inline void rwi_yield(void)
{
	sched_yield();
}

/*
 * 1 + the CPU this thread runs on, 0 if that is unknown or does not fit: only
 * ever a hint.  The C library's rseq area has it in one load.
 */
#if defined __GLIBC__
#if __GLIBC_PREREQ(2, 35)
#define RWI_HAVE_RSEQ 1
#endif
#endif
#ifdef RWI_HAVE_RSEQ
extern const ptrdiff_t __rseq_offset;
static inline uint16_t rwi_cpu_hint(void)
{
	const char *self = (const char *)__builtin_thread_pointer();
	const uint32_t *cpu = (const uint32_t *)(self + __rseq_offset + 4);

	return (uint16_t)(__atomic_load_n(cpu, __ATOMIC_RELAXED) + 1);
}
#else
uint16_t rwi_cpu_hint(void);
#endif

#endif
