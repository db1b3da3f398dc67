/* SPDX-License-Identifier: MIT */
#include "bench/waits.h"

enum { EIGHTHS = 8, EIGHTHS_BITS = 3 };

/* Up to 7 exactly; then the highest bit and the three that follow it. */
static unsigned bucket_of(uint64_t ticks)
{
	unsigned highest;

	if (ticks < EIGHTHS)
		return (unsigned)ticks;
	highest = 63 - (unsigned)__builtin_clzll(ticks);
	return (highest - EIGHTHS_BITS + 1) * EIGHTHS +
	       (unsigned)(ticks >> (highest - EIGHTHS_BITS)) % EIGHTHS;
}

/* The middle of a bucket. */
static double ticks_of(unsigned bucket)
{
	double width;

	if (bucket < EIGHTHS)
		return bucket;
	width = (double)(UINT64_C(1) << (bucket / EIGHTHS - 1));
	return width * (EIGHTHS + bucket % EIGHTHS + 0.5);
}

void rwi_waits_add(struct rwi_waits *waits, uint64_t ticks)
{
	waits->counts[bucket_of(ticks)]++;
	if (ticks > waits->longest)
		waits->longest = ticks;
}

void rwi_waits_merge(struct rwi_waits *into, const struct rwi_waits *from)
{
	for (unsigned i = 0; i < RWI_BUCKETS; i++)
		into->counts[i] += from->counts[i];
	if (from->longest > into->longest)
		into->longest = from->longest;
}

/* The wait that `share` of all do not exceed. */
static double quantile_s(const struct rwi_waits *waits, uint64_t count,
			 double share, double tick_s)
{
	const double longest_s = (double)waits->longest * tick_s;
	uint64_t seen = 0;
	unsigned i = 0;
	double s;

	while (i < RWI_BUCKETS &&
	       (double)(seen += waits->counts[i]) < share * (double)count)
		i++;
	s = i < RWI_BUCKETS ? ticks_of(i) * tick_s : longest_s;
	return s < longest_s ? s : longest_s;
}

/* The first power of two above so many ns. */
static unsigned octave_of(double ns)
{
	unsigned i = 0;

	while (i + 1 < RWI_OCTAVES && ns >= (double)(UINT64_C(1) << i))
		i++;
	return i;
}

struct rwi_wait_summary rwi_waits_summarise(const struct rwi_waits *waits,
					    double tick_s)
{
	struct rwi_wait_summary s = { .longest =
					  (double)waits->longest * tick_s };

	for (unsigned i = 0; i < RWI_BUCKETS; i++) {
		s.count += waits->counts[i];
		s.octaves[octave_of(1e9 * tick_s * ticks_of(i))] +=
		    waits->counts[i];
	}
	s.p50 = quantile_s(waits, s.count, 0.5, tick_s);
	s.p99 = quantile_s(waits, s.count, 0.99, tick_s);
	s.p999 = quantile_s(waits, s.count, 0.999, tick_s);
	return s;
}
