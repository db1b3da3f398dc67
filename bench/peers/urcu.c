/* SPDX-License-Identifier: MIT */
/*
 * The read side of liburcu: what a reader pays if writers do all the work.
 *
 * RCU has no lock and keeps no writer out, so there are no write operations
 * here.  Two readers of it on two CPUs do exactly twice what one does; where
 * that does not show, something disturbed the measurement.
 *
 * A thread is registered by its first read and unregistered by its end.  In
 * the qsbr flavour the end of each section reports a quiescent state; a thread
 * that sleeps elsewhere would delay grace periods, but nobody awaits any.
 */
#define _LGPL_SOURCE /* inline, as the licence allows for MIT code */

#include "bench/peers/peers.h"

#include <pthread.h>
#include <urcu/urcu-memb.h>
#include <urcu/urcu-qsbr.h>

/* What has to happen when a registered thread ends. */
static pthread_key_t memb_end, qsbr_end;
static int error;

static _Thread_local bool memb_known, qsbr_known;

static void leave_memb(void *unused)
{
	(void)unused;
	urcu_memb_unregister_thread();
}

static void leave_qsbr(void *unused)
{
	(void)unused;
	urcu_qsbr_unregister_thread();
}

static void create_keys(void)
{
	error = pthread_key_create(&memb_end, leave_memb);
	if (!error)
		error = pthread_key_create(&qsbr_end, leave_qsbr);
}

static int init(void *lock)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)lock;
	pthread_once(&once, create_keys);
	return error;
}

/* ---- memb: the writer makes all CPUs execute a barrier ---- */

static inline void enter_memb(void)
{
	if (memb_known)
		return;
	urcu_memb_register_thread();
	memb_known = true;
	pthread_setspecific(memb_end, &memb_known);
}

static void memb_down_read(void *lock)
{
	(void)lock;
	enter_memb();
	urcu_memb_read_lock();
}

static void memb_up_read(void *lock)
{
	(void)lock;
	urcu_memb_read_unlock();
}

static void memb_read_pairs(void *lock, uint64_t pairs)
{
	(void)lock;
	enter_memb();
	while (pairs--) {
		urcu_memb_read_lock();
		urcu_memb_read_unlock();
	}
}

const struct rwi_design rwi_peer_urcu_memb = {
	.name = "urcu-memb",
	.summary = "liburcu's read side, barriers on the writer's demand",
	.origin = "Desnoyers, McKenney, Stern, Dagenais, Walpole, TPDS 2012",
	.year = 2012,
	.traits =
	    RWI_NATIVE_ONLY | RWI_NO_EXCLUSION | RWI_RECURSIVE | RWI_INLINED,
	.lock_align = 1,
	.init = init,
	.down_read = memb_down_read,
	.up_read = memb_up_read,
	.read_pairs = memb_read_pairs,
};

/* ---- qsbr: the reader says now and then that it is outside ---- */

static inline void enter_qsbr(void)
{
	if (qsbr_known)
		return;
	urcu_qsbr_register_thread();
	qsbr_known = true;
	pthread_setspecific(qsbr_end, &qsbr_known);
}

static void qsbr_down_read(void *lock)
{
	(void)lock;
	enter_qsbr();
	urcu_qsbr_read_lock();
}

static void qsbr_up_read(void *lock)
{
	(void)lock;
	urcu_qsbr_read_unlock();
	urcu_qsbr_quiescent_state();
}

static void qsbr_read_pairs(void *lock, uint64_t pairs)
{
	(void)lock;
	enter_qsbr();
	while (pairs--) {
		urcu_qsbr_read_lock();
		urcu_qsbr_read_unlock();
		urcu_qsbr_quiescent_state();
	}
}

const struct rwi_design rwi_peer_urcu_qsbr = {
	.name = "urcu-qsbr",
	.summary = "liburcu's read side, a quiescent state after each section",
	.origin = "Desnoyers, McKenney, Stern, Dagenais, Walpole, TPDS 2012",
	.year = 2012,
	.traits = RWI_NATIVE_ONLY | RWI_NO_EXCLUSION | RWI_INLINED,
	.lock_align = 1,
	.init = init,
	.down_read = qsbr_down_read,
	.up_read = qsbr_up_read,
	.read_pairs = qsbr_read_pairs,
};
