/* SPDX-License-Identifier: MIT */
/* Run something in a cgroup of limited CPU time. */
#ifndef T_CGROUP_H
#define T_CGROUP_H

#include "support/t.h"

/*
 * Run body(arg) in a child, in a new cgroup that may use `percent` of one CPU.
 * It must succeed.  Skips the case where no such group can be made.
 */
void t_in_cgroup(unsigned percent, void (*body)(void *), void *arg);

#endif
