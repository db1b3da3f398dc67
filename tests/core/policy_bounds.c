/* SPDX-License-Identifier: MIT */
/*
 * Every policy keeps its bound for both sides: fair as it is, a preference
 * with P more for the side that it passes over.
 */
#include "support/bounds.h"

#include "port/port.h"

enum { TIMES = 15 };

struct policy {
	const char *name;
	uint64_t reader_extra_ns, writer_extra_ns;
};

static void keep(const struct policy *policy)
{
	static unsigned char lock[RWI_LOCK_SIZE_MAX]
	    __attribute__((aligned(64)));
	const struct rwi_design *design = rwi_design_find(policy->name);
	struct t_crowd crowd = { .design = design, .lock = lock };

	t_true(design);
	if (design->init)
		t_eq(design->init(lock), 0);

	/* Holds that overlap without a gap. */
	crowd.readers = 4;
	crowd.hold_us = 1000;
	crowd.sleep = true;
	t_within_bound(&crowd, true, TIMES, policy->writer_extra_ns);

	/* Long holds one after the other. */
	crowd.readers = 0;
	crowd.writers = 2;
	t_within_bound(&crowd, false, TIMES, policy->reader_extra_ns);
	t_within_bound(&crowd, true, TIMES, policy->writer_extra_ns);

	/* Short holds, so that whoever runs steals. */
	crowd.sleep = false;
	crowd.hold_us = 0;
	t_within_bound(&crowd, false, TIMES, policy->reader_extra_ns);

	/* Both at once. */
	crowd.readers = 2;
	crowd.hold_us = 20;
	t_within_bound(&crowd, true, TIMES, policy->writer_extra_ns);
	t_within_bound(&crowd, false, TIMES, policy->reader_extra_ns);
}

T_TEST(fair)
{
	keep(&(struct policy){ "rwsem", 0, 0 });
	keep(&(struct policy){ "rwsem-inline", 0, 0 });
	keep(&(struct policy){ "rwsem-recursive", 0, 0 });
	keep(&(struct policy){ "rwsem-debug", 0, 0 });
}

T_TEST(prefer_readers)
{
	keep(&(struct policy){ "rwsem-prefer-readers", 0,
			       RWI_TUNABLE_patience_ns });
}

T_TEST(prefer_writers)
{
	keep(&(struct policy){ "rwsem-prefer-writers", RWI_TUNABLE_patience_ns,
			       0 });
}
