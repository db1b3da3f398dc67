/* SPDX-License-Identifier: MIT */
/*
 * The read side that is measured is a real one: a grace period waits for a
 * reader inside, and for no thread that has ended.
 */
#include "bench/peers/peers.h"
#include "support/t.h"

#include <urcu/urcu-memb.h>
#include <urcu/urcu-qsbr.h>

struct shared {
	const struct rwi_design *design;
	void (*synchronize)(void);
	bool inside, may_leave, over;
};

static void read_once(void *arg)
{
	struct shared *s = arg;

	s->design->down_read(NULL);
	t_store_release(&s->inside, true);
	t_await(t_load_acquire(&s->may_leave));
	t_false(t_load(&s->over));
	s->design->up_read(NULL);
}

static void await_grace(void *arg)
{
	struct shared *s = arg;

	t_doing("synchronize");
	s->synchronize();
	t_store(&s->over, true);
}

static void check(const struct rwi_design *design, void (*synchronize)(void))
{
	struct shared s = { .design = design, .synchronize = synchronize };

	t_eq(design->init(NULL), 0);
	t_threads(1, read_once, &s);
	t_await(t_load_acquire(&s.inside));
	t_await_asleep(t_threads(1, await_grace, &s));
	t_store_release(&s.may_leave, true);
	t_join();
	t_true(s.over);
	synchronize();
	/* Many pairs in a loop, by a thread that reads for the first time. */
	design->read_pairs(NULL, 1000);
}

T_TEST(memb)
{
	check(&rwi_peer_urcu_memb, urcu_memb_synchronize_rcu);
}

T_TEST(qsbr)
{
	check(&rwi_peer_urcu_qsbr, urcu_qsbr_synchronize_rcu);
}
