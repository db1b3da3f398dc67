/* SPDX-License-Identifier: MIT */
/*
 * Optimistic spinning: what stands in for need_resched() and owner->on_cpu.
 *
 * A kernel spinner goes on while the owner runs on a CPU and until the
 * scheduler wants its own.  User space sees neither.  What it sees:
 *
 *	need_resched	a budget of time, optimistic_spin_ns, that is used up;
 *			a longer wait costs less asleep
 *	owner->on_cpu	the CPU on which the owner was when it acquired: if it
 *			is ours, the owner cannot be running (or has moved, and
 *			then we lose a spin); and on one CPU nobody spins
 *
 * So a spinner here gives up earlier than the kernel's when sections are long,
 * and later when the owner sleeps or has lost its CPU.
 */
#ifndef RWI_SPIN_H
#define RWI_SPIN_H

#include "port/port.h"

struct rwi_spin {
	uint64_t end_ns;
	uint32_t looks;
};

/* Begin to spin, for at most `budget_ns`.  False: spinning makes no sense. */
static inline bool rwi_spin_start(struct rwi_spin *spin, uint32_t budget_ns)
{
	const uint64_t now_ns = rwi_now_ns();

	spin->end_ns = now_ns + budget_ns;
	spin->looks = 0;
	return rwi_may_spin(now_ns);
}

/* Wait for a moment.  False: the budget is used up. */
static inline bool rwi_spin_on(struct rwi_spin *spin)
{
	rwi_relax();
	return ++spin->looks % 16 || rwi_now_ns() < spin->end_ns;
}

/*
 * Owners.  A word that names the thread and, above it, its CPU when it
 * acquired (plus one, 0 unknown): one store for both, so that nobody ever
 * follows a pointer to an owner that is gone.
 */
static inline uint64_t rwi_owner_self(void)
{
	return (uint64_t)rwi_cpu_hint() << 32 | rwi_thread_id();
}

/* May this owner be running while we look on? */
static inline bool rwi_owner_may_run(uint64_t owner)
{
	return owner >> 32 == 0 || owner >> 32 != rwi_cpu_hint();
}

/*
 * For locks of the literature, whose waiters spin for ever: look again after a
 * moment, and now and then let others run, or more threads than CPUs would
 * wait for one that cannot run.
 */
static inline void rwi_look_again(uint32_t *looks)
{
	if (++*looks % 64)
		rwi_relax();
	else
		rwi_yield();
}

#endif
