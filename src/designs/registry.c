/* SPDX-License-Identifier: MIT */
/*
 * The table of designs, in the order in which they are presented.
 *
 * Explicit on purpose: constructors that register themselves drop out of
 * static archives unnoticed.
 */
#include "designs/design.h"

#include <string.h>

extern const struct rwi_design rwi_design_rwsem;
extern const struct rwi_design rwi_design_rwsem_inline;
extern const struct rwi_design rwi_design_rwsem_prefer_readers;
extern const struct rwi_design rwi_design_rwsem_prefer_writers;
extern const struct rwi_design rwi_design_rwsem_recursive;
extern const struct rwi_design rwi_design_rwsem_debug;
extern const struct rwi_design rwi_design_glibc;
extern const struct rwi_design rwi_design_glibc_prefer_writers;
extern const struct rwi_design rwi_design_libc;
extern const struct rwi_design rwi_design_mutex;
extern const struct rwi_design rwi_design_mutex_adaptive;
extern const struct rwi_design rwi_design_rmw_pair;
extern const struct rwi_design rwi_design_long_2014_mutex;
extern const struct rwi_design rwi_design_long_2019;
extern const struct rwi_design rwi_design_long_2020;
extern const struct rwi_design rwi_design_busted_exclusion;
extern const struct rwi_design rwi_design_busted_wakeup;
extern const struct rwi_design rwi_design_busted_handoff;

const struct rwi_design *const rwi_designs[] = {
	&rwi_design_rwsem,
	&rwi_design_rwsem_inline,
	&rwi_design_rwsem_prefer_readers,
	&rwi_design_rwsem_prefer_writers,
	&rwi_design_rwsem_recursive,
	&rwi_design_rwsem_debug,
#if defined __GLIBC__
	&rwi_design_glibc,
	&rwi_design_glibc_prefer_writers,
#else
	&rwi_design_libc,
#endif
	&rwi_design_mutex,
#if defined __GLIBC__
	&rwi_design_mutex_adaptive,
#endif
	&rwi_design_rmw_pair,
	&rwi_design_long_2014_mutex,
	&rwi_design_long_2019,
	&rwi_design_long_2020,
	&rwi_design_busted_exclusion,
	&rwi_design_busted_wakeup,
	&rwi_design_busted_handoff,
	NULL,
};

const struct rwi_design *rwi_design_find(const char *name)
{
	for (const struct rwi_design *const *d = rwi_designs; *d; d++)
		if (!strcmp((*d)->name, name))
			return *d;
	return NULL;
}
