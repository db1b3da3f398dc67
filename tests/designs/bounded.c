/* SPDX-License-Identifier: MIT */
/*
 * Where a bound is promised, a writer gets in among readers that overlap, and
 * a reader among writers that hammer, within ten times the bound.  (With holds
 * of a millisecond: scenario/writer_among_readers.c.)
 */
#include "support/bounds.h"

#include "port/port.h"

enum { TIMES = 20 };

/* A preference adds P to one side's bound; enough for any design here. */
static const uint64_t extra_ns = RWI_TUNABLE_patience_ns;

T_DESIGNS(a_writer_among_busy_readers, RWI_BOUNDED)
{
	const struct t_crowd crowd = { .design = design,
				       .lock = lock,
				       .readers = 3 };

	t_within_bound(&crowd, true, TIMES, extra_ns);
}

T_DESIGNS(a_reader_among_busy_writers, RWI_BOUNDED)
{
	const struct t_crowd crowd = {
		.design = design, .lock = lock, .writers = 3, .hold_us = 3
	};

	t_within_bound(&crowd, false, TIMES, extra_ns);
}

T_DESIGNS(a_writer_among_all, RWI_BOUNDED)
{
	const struct t_crowd crowd = { .design = design,
				       .lock = lock,
				       .readers = 2,
				       .writers = 2,
				       .hold_us = 50 };

	t_within_bound(&crowd, true, TIMES, extra_ns);
}
