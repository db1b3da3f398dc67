/* SPDX-License-Identifier: MIT */
/* Clocks: one in seconds, and one that is quick to read. */
#ifndef RWI_CLOCK_H
#define RWI_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline double rwi_time_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/*
 * Ticks of a steady rate, the same on all CPUs.  On x86 reading them takes a
 * third of the time that the system's clock takes, so that measuring waits
 * changes less of what is measured.
 */
static inline uint64_t rwi_ticks(void)
{
#if defined __x86_64__ || defined __i386__
	return __builtin_ia32_rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
#endif
}

#endif
