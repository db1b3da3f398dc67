/* SPDX-License-Identifier: MIT */
/*
 * Locks of other libraries: those found when this was built, and those that a
 * Debian package would bring.  Both lists end with null, like rwi_designs[].
 */
#ifndef RWI_PEERS_H
#define RWI_PEERS_H

#include "designs/design.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct rwi_design *const rwi_peers[];

struct rwi_absent {
	const char *name;    /* null ends the list */
	const char *package; /* Debian packages, separated by blanks */
};
extern const struct rwi_absent rwi_peers_absent[];

/* ---- For the files that define them; a build may lack any ---- */

extern const struct rwi_design rwi_peer_absl_mutex;
extern const struct rwi_design rwi_peer_boost_shared_mutex;
extern const struct rwi_design rwi_peer_ck_brlock;
extern const struct rwi_design rwi_peer_ck_pflock;
extern const struct rwi_design rwi_peer_ck_rwlock;
extern const struct rwi_design rwi_peer_nsync;
extern const struct rwi_design rwi_peer_parking_lot;
extern const struct rwi_design rwi_peer_std_shared_mutex;
extern const struct rwi_design rwi_peer_tbb_rw_mutex;
extern const struct rwi_design rwi_peer_tbb_spin_rw_mutex;
extern const struct rwi_design rwi_peer_urcu_memb;
extern const struct rwi_design rwi_peer_urcu_qsbr;

#ifdef __cplusplus
}
#endif

#endif
