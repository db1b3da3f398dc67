/* SPDX-License-Identifier: MIT */
/*
 * The queue of spinners: one at a time is first, whoever leaves tears no hole,
 * and the nodes that all queues share come back to the pool.
 */
#include "support/t.h"

#include "designs/parts/osq.h"

#include <sched.h>

enum { THREADS = 5, QUEUES = 3, ROUNDS = 30000, PROBES = 8 };
enum { FOR_EVER_NS = 2000000000 };

struct queue {
	struct rwi_osq osq;
	uint32_t inside;
	uint64_t entered; /* plain: what the queue protects */
};

struct hammer {
	struct queue queues[QUEUES];
	unsigned queue_count, threads, rounds;
	uint32_t budget_ns; /* FOR_EVER_NS, or below this at random */
	uint64_t first, left;
};

static void enter(struct queue *q)
{
	t_eq(t_add(&q->inside, 1), 0);
	q->entered++;
	switch (t_random(16)) {
	case 0:
		sched_yield();
		break;
	case 1:
		rwi_delay(t_random(3000));
		break;
	default:
		break;
	}
	t_eq(t_add(&q->inside, -1u), 1);
}

static void hammer(void *arg)
{
	struct hammer *h = arg;

	for (unsigned i = 0; i < t_rounds(h->rounds); i++) {
		struct queue *q = &h->queues[t_random(h->queue_count)];
		struct rwi_spin spin;
		uint32_t turn;

		rwi_spin_start(&spin, h->budget_ns == FOR_EVER_NS
					  ? h->budget_ns
					  : t_random(h->budget_ns + 1));
		t_doing("rwi_osq_lock");
		turn = rwi_osq_lock(&q->osq, &spin);
		t_doing(NULL);
		if (!turn) {
			t_add(&h->left, 1);
			continue;
		}
		t_add(&h->first, 1);
		t_true(rwi_osq_is_locked(&q->osq));
		enter(q);
		t_doing("rwi_osq_unlock");
		rwi_osq_unlock(&q->osq, turn);
		t_doing(NULL);
	}
}

/* All nodes that one thread may have: so many queues at once, and no more. */
static void all_nodes(void *arg)
{
	struct rwi_osq queues[PROBES + 1] = { { 0 } };
	uint32_t turns[PROBES];
	struct rwi_spin spin;

	(void)arg;
	rwi_spin_start(&spin, 0);
	for (unsigned i = 0; i < PROBES; i++) {
		turns[i] = rwi_osq_lock(&queues[i], &spin);
		t_true(turns[i]);
	}
	t_eq(rwi_osq_lock(&queues[PROBES], &spin), 0);
	t_false(rwi_osq_is_locked(&queues[PROBES]));
	for (unsigned i = 0; i < PROBES; i++)
		rwi_osq_unlock(&queues[i], turns[i]);
}

static void run(struct hammer *h)
{
	uint64_t entered = 0;

	t_threads(h->threads, hammer, h);
	t_join();
	for (unsigned i = 0; i < h->queue_count; i++) {
		t_false(rwi_osq_is_locked(&h->queues[i].osq));
		entered += h->queues[i].entered;
	}
	t_eq(entered, h->first);
	t_eq(h->first + h->left, h->threads * t_rounds(h->rounds));
	t_say("  first %llu times, left %llu times\n",
	      (unsigned long long)h->first, (unsigned long long)h->left);
	all_nodes(NULL);
	t_threads(h->threads, all_nodes, NULL);
	t_join();
}

/* A thread may lose its CPU in the middle of an operation. */
static void delay(struct rwi_point *point)
{
	(void)point;
	switch (t_random(16)) {
	case 0:
		sched_yield();
		break;
	case 1:
		rwi_delay(t_random(2000));
		break;
	default:
		break;
	}
}

/* Few of them: a queue moves only when the one whose turn it is has a CPU. */
T_TEST(who_waits_comes_first)
{
	struct hammer h = { .queue_count = 1,
			    .threads = 2,
			    .rounds = 300,
			    .budget_ns = FOR_EVER_NS };

	run(&h);
	t_eq(h.left, 0);
}

T_TEST(many_leave)
{
	struct hammer h = { .queue_count = 1,
			    .threads = THREADS,
			    .rounds = ROUNDS,
			    .budget_ns = 2000 };

	run(&h);
	t_ge(h.first, 1);
	t_ge(h.left, 1);
}

T_TEST(many_leave_with_delays)
{
	struct hammer h = { .queue_count = 1,
			    .threads = THREADS,
			    .rounds = ROUNDS,
			    .budget_ns = 4000 };

	rwi_step_hook = delay;
	run(&h);
	t_ge(h.left, 1);
}

T_TEST(queues_share_the_pool)
{
	struct hammer h = { .queue_count = QUEUES,
			    .threads = THREADS,
			    .rounds = ROUNDS,
			    .budget_ns = 8000 };

	rwi_step_hook = delay;
	run(&h);
	t_ge(h.left, 1);
}

/* ---- Step by step: those in the middle leave, and the line still moves ----
 */

static struct rwi_osq line;
static uint32_t budgets[] = { FOR_EVER_NS, 1000000, 1000000, FOR_EVER_NS };
enum { LINE = sizeof budgets / sizeof *budgets };
static uint32_t came[LINE];

static void stand_in_line(void *arg)
{
	const unsigned place = *(const unsigned *)arg;
	struct rwi_spin spin;
	uint32_t turn;

	rwi_spin_start(&spin, budgets[place]);
	t_doing("rwi_osq_lock");
	turn = rwi_osq_lock(&line, &spin);
	t_doing(NULL);
	t_store(&came[place], turn ? 1 : 2);
	if (turn)
		rwi_osq_unlock(&line, turn);
}

T_TEST(the_middle_leaves)
{
	static unsigned place[LINE];
	struct rwi_spin spin;
	uint32_t turn;

	rwi_spin_start(&spin, 0);
	turn = rwi_osq_lock(&line, &spin);
	t_true(turn);
	for (unsigned i = 0; i < LINE; i++) {
		const uint32_t tail = t_load(&line.tail);

		place[i] = i;
		t_threads(1, stand_in_line, &place[i]);
		t_await(t_load(&line.tail) != tail || t_load(&came[i]));
	}
	t_await(t_load(&came[1]) && t_load(&came[2]));
	t_eq(came[1], 2);
	t_eq(came[2], 2);
	t_eq(t_load(&came[0]), 0);
	t_eq(t_load(&came[3]), 0);
	rwi_osq_unlock(&line, turn);
	t_join();
	t_eq(came[0], 1);
	t_eq(came[3], 1);
	t_false(rwi_osq_is_locked(&line));
}
