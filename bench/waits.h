/* SPDX-License-Identifier: MIT */
/*
 * A histogram of waits in ticks, eight buckets for each doubling: what it says
 * of a wait is right to a sixteenth.
 */
#ifndef RWI_WAITS_H
#define RWI_WAITS_H

#include <stdint.h>

enum { RWI_BUCKETS = 496, RWI_OCTAVES = 48 };

struct rwi_waits {
	uint64_t counts[RWI_BUCKETS];
	uint64_t longest;
};

/* What is published of it, in seconds. */
struct rwi_wait_summary {
	uint64_t count;
	double p50, p99, p999, longest;
	uint64_t octaves[RWI_OCTAVES]; /* waits below 1, 2, 4, 8, ... ns */
};

void rwi_waits_add(struct rwi_waits *waits, uint64_t ticks);
void rwi_waits_merge(struct rwi_waits *into, const struct rwi_waits *from);
struct rwi_wait_summary rwi_waits_summarise(const struct rwi_waits *waits,
					    double tick_s);

#endif
