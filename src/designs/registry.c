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
extern const struct rwi_design rwi_design_howells_2001_spinlock;
extern const struct rwi_design rwi_design_howells_2001_xadd;
extern const struct rwi_design rwi_design_howells_2001_xadd_c;
extern const struct rwi_design rwi_design_arcangeli_2001;
extern const struct rwi_design rwi_design_arcangeli_2001_call;
extern const struct rwi_design rwi_design_arcangeli_2001_recursive;
extern const struct rwi_design rwi_design_arcangeli_2001_padded;
extern const struct rwi_design rwi_design_arcangeli_2001_xchgadd;
extern const struct rwi_design rwi_design_heo_2005_v1;
extern const struct rwi_design rwi_design_heo_2005_v2;
extern const struct rwi_design rwi_design_piggin_2005;
extern const struct rwi_design rwi_design_shi_2013;
extern const struct rwi_design rwi_design_lespinasse_2013;
extern const struct rwi_design rwi_design_lespinasse_2013_readers;
extern const struct rwi_design rwi_design_lespinasse_2013_fast;
extern const struct rwi_design rwi_design_chen_2013_preread;
extern const struct rwi_design rwi_design_chen_2013_spin;
extern const struct rwi_design rwi_design_chen_2013;
extern const struct rwi_design rwi_design_bueso_2014;
extern const struct rwi_design rwi_design_long_2014_mutex;
extern const struct rwi_design rwi_design_long_2014;
extern const struct rwi_design rwi_design_long_2019;
extern const struct rwi_design rwi_design_long_2020;
extern const struct rwi_design rwi_design_zijlstra_2020_percpu;
extern const struct rwi_design rwi_design_mellor_crummey_1991_ticket;
extern const struct rwi_design rwi_design_mellor_crummey_1991_mcs;
extern const struct rwi_design rwi_design_brandenburg_2009_phase_fair;
extern const struct rwi_design rwi_design_calciu_2013_c_rw_wp;
extern const struct rwi_design rwi_design_dice_2019_bravo;
extern const struct rwi_design rwi_design_glibc;
extern const struct rwi_design rwi_design_glibc_prefer_writers;
extern const struct rwi_design rwi_design_libc;
extern const struct rwi_design rwi_design_mutex;
extern const struct rwi_design rwi_design_mutex_adaptive;
extern const struct rwi_design rwi_design_rmw_pair;
extern const struct rwi_design rwi_design_busted_exclusion;
extern const struct rwi_design rwi_design_busted_wakeup;
extern const struct rwi_design rwi_design_busted_handoff;

const struct rwi_design *const rwi_designs[] = {
	/* Ours. */
	&rwi_design_rwsem,
	&rwi_design_rwsem_inline,
	&rwi_design_rwsem_prefer_readers,
	&rwi_design_rwsem_prefer_writers,
	&rwi_design_rwsem_recursive,
	&rwi_design_rwsem_debug,
	/* The lineage. */
	&rwi_design_howells_2001_spinlock,
#if defined __x86_64__
	&rwi_design_howells_2001_xadd,
#endif
	&rwi_design_howells_2001_xadd_c,
	&rwi_design_arcangeli_2001,
	&rwi_design_arcangeli_2001_call,
	&rwi_design_arcangeli_2001_recursive,
	&rwi_design_arcangeli_2001_padded,
	&rwi_design_arcangeli_2001_xchgadd,
	&rwi_design_heo_2005_v1,
	&rwi_design_heo_2005_v2,
	&rwi_design_piggin_2005,
	&rwi_design_shi_2013,
	&rwi_design_lespinasse_2013,
	&rwi_design_lespinasse_2013_readers,
	&rwi_design_lespinasse_2013_fast,
	&rwi_design_chen_2013_preread,
	&rwi_design_chen_2013_spin,
	&rwi_design_chen_2013,
	&rwi_design_bueso_2014,
	&rwi_design_long_2014_mutex,
	&rwi_design_long_2014,
	&rwi_design_long_2019,
	&rwi_design_long_2020,
	&rwi_design_zijlstra_2020_percpu,
	/* The literature. */
	&rwi_design_mellor_crummey_1991_ticket,
	&rwi_design_mellor_crummey_1991_mcs,
	&rwi_design_brandenburg_2009_phase_fair,
	&rwi_design_calciu_2013_c_rw_wp,
	&rwi_design_dice_2019_bravo,
/* The C library, and floors. */
#if defined __GLIBC__
	&rwi_design_glibc,
	&rwi_design_glibc_prefer_writers,
#endif
#if !defined __GLIBC__
	&rwi_design_libc,
#endif
	&rwi_design_mutex,
#if defined __GLIBC__
	&rwi_design_mutex_adaptive,
#endif
	&rwi_design_rmw_pair,
	/* Broken on purpose. */
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
