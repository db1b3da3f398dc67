/* SPDX-License-Identifier: MIT */
/*
 * The queue of spinners: one at a time is first, whoever leaves tears no hole,
 * a turn that comes to somebody who is leaving is not lost, and the nodes that
 * all queues share come back to the pool.
 */
#include "designs/parts/osq.h"

#include "support/steps.h"
#include "support/t.h"

#include <sched.h>

enum { FOR_EVER_NS = 2000000000, US = 1000 };

static uint32_t try_first(struct rwi_osq *queue)
{
	struct rwi_spin spin;

	rwi_spin_start(&spin, 0);
	return rwi_osq_lock(queue, &spin);
}

static void is_empty(struct rwi_osq *queue)
{
	const uint32_t turn = try_first(queue);

	t_true(turn);
	t_true(rwi_osq_is_locked(queue));
	rwi_osq_unlock(queue, turn);
	t_false(rwi_osq_is_locked(queue));
}

/* ---- Many, with all the time there is or hardly any ---- */

enum { QUEUES_MAX = 3, NODES_OF_A_THREAD = 8 };

struct hammer {
	unsigned threads, queues, rounds;
	const uint32_t *budgets_ns; /* up to a zero, which counts */
	struct t_meeting meeting;
	uint32_t first, left, whose_turn;
	struct {
		struct rwi_osq osq;
		uint64_t a, b; /* plain: what being first protects */
	} queue[QUEUES_MAX];
};

static const uint32_t tiny[] = { 50 * US, US, 0 };
static const uint32_t tiniest[] = { US, 0 };
static const uint32_t endless[] = { FOR_EVER_NS };

static uint32_t budget(const struct hammer *h)
{
	uint32_t count = 0;

	if (h->budgets_ns == endless)
		return FOR_EVER_NS;
	while (h->budgets_ns[count])
		count++;
	return h->budgets_ns[t_random(count + 1)];
}

static void be_first(struct hammer *h, unsigned i)
{
	h->queue[i].a++;
	if (t_random(32) == 0)
		sched_yield();
	else if (t_random(4) == 0)
		rwi_delay(t_random(2 * US));
	t_eq(h->queue[i].a, ++h->queue[i].b);
}

/* As many queues at once as a thread has nodes, and then no more. */
static void all_nodes_are_back(void)
{
	struct rwi_osq queues[NODES_OF_A_THREAD + 1] = { { 0 } };
	uint32_t turns[NODES_OF_A_THREAD];

	for (unsigned i = 0; i < NODES_OF_A_THREAD; i++) {
		turns[i] = try_first(&queues[i]);
		t_true(turns[i]);
	}
	t_eq(try_first(&queues[NODES_OF_A_THREAD]), 0);
	t_false(rwi_osq_is_locked(&queues[NODES_OF_A_THREAD]));
	for (unsigned i = 0; i < NODES_OF_A_THREAD; i++)
		rwi_osq_unlock(&queues[i], turns[i]);
}

static void hammer(void *arg)
{
	struct hammer *h = arg;

	for (unsigned n = 0; n < t_rounds(h->rounds); n++) {
		const unsigned i = t_random(h->queues);
		struct rwi_spin spin;
		uint32_t turn;

		rwi_spin_start(&spin, budget(h));
		t_doing("rwi_osq_lock");
		turn = rwi_osq_lock(&h->queue[i].osq, &spin);
		t_doing(NULL);
		if (!turn) {
			t_add(&h->left, 1);
			continue;
		}
		t_add(&h->first, 1);
		be_first(h, i);
		t_doing("rwi_osq_unlock");
		rwi_osq_unlock(&h->queue[i].osq, turn);
		t_doing(NULL);
	}
	/* Neighbours share nodes, so one by one. */
	t_meet(&h->meeting);
	t_await(t_load_acquire(&h->whose_turn) == t_index());
	all_nodes_are_back();
	t_store_release(&h->whose_turn, t_index() + 1);
}

static void run(struct hammer *h)
{
	uint64_t sum = 0;

	h->meeting.count = h->threads;
	t_threads(h->threads, hammer, h);
	t_join();
	for (unsigned i = 0; i < h->queues; i++) {
		is_empty(&h->queue[i].osq);
		sum += h->queue[i].a;
	}
	t_eq(sum, h->first);
	t_eq(h->first + h->left, h->threads * t_rounds(h->rounds));
	t_say("  first %u times, left %u times\n", h->first, h->left);
}

/* A thread may lose its CPU between any two steps. */
static void delay(struct rwi_point *point)
{
	(void)point;
	switch (t_random(16)) {
	case 0:
		sched_yield();
		break;
	case 1:
		t_pause();
		break;
	case 2:
	case 3:
		rwi_delay(t_random(2 * US));
		break;
	default:
		break;
	}
}

/* Few, for nobody gives its CPU away to the one whose turn it is. */
T_TEST(whoever_waits_comes_first)
{
	struct hammer h = {
		.threads = 3, .queues = 1, .rounds = 100, .budgets_ns = endless
	};

	run(&h);
	t_eq(h.left, 0);
}

T_TEST(many_leave)
{
	struct hammer h = {
		.threads = 6, .queues = 1, .rounds = 10000, .budgets_ns = tiny
	};

	run(&h);
	t_ge(h.left, 1);
}

T_TEST(many_leave_with_delays)
{
	struct hammer h = {
		.threads = 6, .queues = 1, .rounds = 2000, .budgets_ns = tiniest
	};

	rwi_step_hook = delay;
	run(&h);
	t_ge(h.left, 1);
}

T_TEST(queues_share_the_pool)
{
	struct hammer h = { .threads = 6,
			    .queues = QUEUES_MAX,
			    .rounds = 2000,
			    .budgets_ns = tiny };

	rwi_step_hook = delay;
	run(&h);
	t_ge(h.left, 1);
}

/* ---- One by one ---- */

static struct rwi_osq line;

enum came { NOT_YET, FIRST, LEFT };

/* One in the line, who may be stopped at a step, and at another one. */
struct place {
	const char *stop_at, *then_at;
	const uint32_t *until; /* stay first until this is set */
	bool endless;
	uint32_t stops, went_on, came;
};

static void stop(void *arg)
{
	struct place *p = arg;
	const uint32_t stops = p->stops + 1;

	t_store_release(&p->stops, stops);
	t_await(t_load_acquire(&p->went_on) == stops);
}

static void stand_in_line(void *arg)
{
	struct place *p = arg;
	struct rwi_spin spin;
	uint32_t turn;

	if (p->stop_at)
		t_at_step(p->stop_at, stop, p);
	if (p->then_at)
		t_at_step(p->then_at, stop, p);
	rwi_spin_start(&spin, p->endless ? FOR_EVER_NS : 0);
	t_doing("rwi_osq_lock");
	turn = rwi_osq_lock(&line, &spin);
	t_doing(NULL);
	t_store_release(&p->came, turn ? FIRST : LEFT);
	if (!turn)
		return;
	if (p->until)
		t_await(t_load(p->until));
	t_doing("rwi_osq_unlock");
	rwi_osq_unlock(&line, turn);
	t_doing(NULL);
}

/* Start one and wait until it is the last. */
static void arrive(struct place *p)
{
	const uint32_t tail = t_load(&line.tail);

	t_threads(1, stand_in_line, p);
	t_await(t_load(&line.tail) != tail);
}

static void await_stop(struct place *p)
{
	t_await(t_load_acquire(&p->stops) > p->went_on);
}

static void go_on(struct place *p)
{
	t_store_release(&p->went_on, p->went_on + 1);
}

static void await_left(struct place *p)
{
	t_await(t_load_acquire(&p->came));
	t_eq(p->came, LEFT);
}

/* Its turn comes when it has made up its mind to leave. */
T_TEST(told_before_it_leaves)
{
	struct place a = { .stop_at = "osq/leaves" };
	const uint32_t turn = try_first(&line);

	arrive(&a);
	await_stop(&a);
	rwi_osq_unlock(&line, turn);
	go_on(&a);
	t_join();
	t_eq(a.came, FIRST);
	is_empty(&line);
}

/* The same, but it is yet to be told, by one who has taken the link. */
T_TEST(told_while_it_leaves)
{
	struct place a = { .stop_at = "osq/leaves" };
	struct place first = { .stop_at = "osq/tells", .until = &a.stops };

	arrive(&first);
	arrive(&a);
	await_stop(&first);
	go_on(&a);
	t_sleep_us(2000);
	t_eq(t_load(&a.came), NOT_YET);
	go_on(&first);
	t_join();
	t_eq(a.came, FIRST);
	is_empty(&line);
}

T_TEST(the_middle_leaves)
{
	struct place a = { .stop_at = "osq/leaves" }, b = { .endless = true };
	const uint32_t turn = try_first(&line);

	arrive(&a);
	arrive(&b);
	await_stop(&a);
	go_on(&a);
	await_left(&a);
	t_doing("rwi_osq_unlock");
	rwi_osq_unlock(&line, turn);
	t_join();
	t_eq(b.came, FIRST);
	is_empty(&line);
}

/* The one at the end leaves, and then it is not the one at the end any more. */
T_TEST(the_last_leaves_as_another_comes)
{
	struct place a = { .stop_at = "osq/unlinked" }, b = { .endless = true };
	const uint32_t turn = try_first(&line);

	arrive(&a);
	await_stop(&a);
	arrive(&b);
	go_on(&a);
	await_left(&a);
	rwi_osq_unlock(&line, turn);
	t_join();
	t_eq(b.came, FIRST);
	is_empty(&line);
}

/* Two neighbours leave, the first when it has been at `step` meanwhile. */
static void second_leaves_first(const char *step)
{
	struct place a = { .stop_at = step }, b = { .stop_at = "osq/leaves" };
	struct place c = { .endless = true };
	const uint32_t turn = try_first(&line);

	arrive(&a);
	await_stop(&a);
	arrive(&b);
	await_stop(&b);
	arrive(&c);
	go_on(&b);
	await_left(&b);
	go_on(&a);
	await_left(&a);
	rwi_osq_unlock(&line, turn);
	t_join();
	t_eq(c.came, FIRST);
	is_empty(&line);
}

T_TEST(the_second_leaves_before_the_first)
{
	second_leaves_first("osq/leaves");
}

T_TEST(the_second_leaves_when_the_first_has_no_link)
{
	second_leaves_first("osq/unlinked");
}

/* Not linked itself yet, it holds up the one that leaves before it. */
T_TEST(the_first_leaves_before_the_second_is_linked)
{
	struct place a = { .stop_at = "osq/leaves" };
	struct place b = { .stop_at = "osq/links", .endless = true };
	const uint32_t turn = try_first(&line);

	arrive(&a);
	await_stop(&a);
	arrive(&b);
	await_stop(&b);
	go_on(&a);
	t_sleep_us(2000);
	t_eq(t_load(&a.came), NOT_YET);
	go_on(&b);
	await_left(&a);
	rwi_osq_unlock(&line, turn);
	t_join();
	t_eq(b.came, FIRST);
	is_empty(&line);
}

/*
 * Who leaves has taken the link of the one behind it, and not handed it on: so
 * that one cannot leave, nor can the one before both go.
 */
static void gap(bool second_leaves)
{
	uint32_t end = 0;
	struct place first = { .until = &end };
	struct place a = { .stop_at = "osq/leaves", .then_at = "osq/gap" };
	struct place b = { .stop_at = "osq/leaves", .endless = !second_leaves };
	struct place c = { .endless = true };

	arrive(&first);
	arrive(&a);
	await_stop(&a);
	arrive(&b);
	if (second_leaves)
		await_stop(&b);
	arrive(&c);
	go_on(&a);
	await_stop(&a);
	if (second_leaves)
		go_on(&b);
	else
		t_store(&end, 1);
	t_sleep_us(2000);
	t_eq(t_load(&b.came), NOT_YET);
	go_on(&a);
	await_left(&a);
	if (second_leaves)
		await_left(&b);
	t_store(&end, 1);
	t_join();
	t_eq(b.came, second_leaves ? LEFT : FIRST);
	t_eq(c.came, FIRST);
	is_empty(&line);
}

T_TEST(the_second_leaves_over_the_gap)
{
	gap(true);
}

T_TEST(the_first_ends_over_the_gap)
{
	gap(false);
}
