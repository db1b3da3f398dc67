/* SPDX-License-Identifier: MIT */
/* The peers of this build.  peers.def is written by the build, one a line. */
#include "bench/peers/peers.h"

#define PEER(symbol) &rwi_peer_##symbol,
#define ABSENT(name, package)
const struct rwi_design *const rwi_peers[] = {
#include "peers.def"
	NULL,
};
#undef PEER
#undef ABSENT

#define PEER(symbol)
#define ABSENT(name, package) { name, package },
const struct rwi_absent rwi_peers_absent[] = {
#include "peers.def"
	{ NULL, NULL },
};
