/* SPDX-License-Identifier: MIT */
/*
 * In this program the locks under test are the peers.  The list takes the
 * place of the library's own, and has the broken locks too, on which the same
 * properties must fail.
 */
#include "designs/design.h"

#include "bench/peers/peers.h"

extern const struct rwi_design rwi_design_busted_exclusion;
extern const struct rwi_design rwi_design_busted_wakeup;
extern const struct rwi_design rwi_design_busted_handoff;

#define PEER(symbol) &rwi_peer_##symbol,
#define ABSENT(name, package)
const struct rwi_design *const rwi_designs[] = {
#include "peers.def"
	&rwi_design_busted_exclusion,
	&rwi_design_busted_wakeup,
	&rwi_design_busted_handoff,
	NULL,
};
