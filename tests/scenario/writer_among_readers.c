/* SPDX-License-Identifier: MIT */
/*
 * Four readers loop with holds of a millisecond that overlap, and a writer
 * asks: it gets in within ten times its bound.
 */
#include "support/bounds.h"

#include "port/port.h"

enum { TIMES = 20 };

T_DESIGNS(writer_among_readers, RWI_BOUNDED)
{
	const struct t_crowd crowd = { .design = design,
				       .lock = lock,
				       .readers = 4,
				       .hold_us = 1000,
				       .sleep = true };

	t_within_bound(&crowd, true, t_rounds(TIMES), RWI_TUNABLE_patience_ns);
}
