/* SPDX-License-Identifier: MIT */
#include "designs/parts/osq.h"

enum { NODES = 1024, PROBES = 8 };

/* Each on a cache line of its own: that is what the queue is for. */
static struct node {
	struct node *next, *prev;
	uint32_t told; /* that it is first */
	uint32_t used;
} __attribute__((aligned(64))) nodes[NODES];

static struct node *node_of(uint32_t number)
{
	return &nodes[number - 1];
}

static uint32_t number_of(const struct node *node)
{
	return (uint32_t)(node - nodes) + 1;
}

/* A thread nearly always finds the same node free. */
static struct node *claim(void)
{
	const uint32_t home = rwi_thread_id();

	for (uint32_t i = 0; i < PROBES; i++) {
		struct node *node = &nodes[(home + i) % NODES];
		uint32_t unused = 0;

		/* ORDER node(2/2): its last user's stores. */
		if (rwi_cas_acquire(claim, &node->used, &unused, 1))
			return node;
	}
	return NULL;
}

static void give_back(struct node *node)
{
	/* ORDER node(1/2): our stores, for its next user. */
	rwi_store_release(give_back, &node->used, 0);
}

/*
 * The node behind `node`, taken off it; or null if `node` was the last, and
 * then the queue ends at `prev` (null: is empty).  A neighbour that is leaving
 * itself takes the link away for a while and brings it back; it may have lost
 * its CPU, and so may one that has come and not linked itself yet.
 */
static struct node *take_next(struct rwi_osq *queue, struct node *node,
			      struct node *prev)
{
	const uint32_t before = prev ? number_of(prev) : 0;
	uint32_t looks = 0;

	for (;;) {
		uint32_t last = number_of(node);
		struct node *next;

		/*
		 * ORDER queue(1/2): our section, for the next to come first.
		 * ORDER last(1/2), ORDER last(2/2): whoever left from behind a
		 * node is done with it, before the node has its next user.
		 */
		if (rwi_load_relaxed(tail, &queue->tail) == last &&
		    rwi_cas_acq_rel(end, &queue->tail, &last, before))
			return NULL;
		/* ORDER link(2/2): the next one's own link. */
		if (rwi_load_relaxed(next, &node->next) &&
		    (next = rwi_xchg_acquire(next, &node->next, NULL)))
			return next;
		rwi_look_again(&looks);
	}
}

/*
 * Leave the queue, unless we come first in the meantime: then true.
 *
 * The neighbour that we see may have left, and its node stand elsewhere by now,
 * in this queue or another.  There it has no link to us, for only the node
 * before us ever has, and we stay where we are until we have taken that link.
 */
static bool leave(struct rwi_osq *queue, struct node *node)
{
	struct node *prev, *next;
	uint32_t looks = 0;

	RWI_STEP("osq/leaves");
	/* Nobody tells us any more once our neighbour has lost the link. */
	for (;;) {
		struct node *self = node;

		/* ORDER unlink(2/2): the neighbour that we see is alive. */
		prev = rwi_load_acquire(prev, &node->prev);
		if (rwi_load_relaxed(linked, &prev->next) == node &&
		    rwi_cas_relaxed(unlink, &prev->next, &self, NULL))
			break;
		/* ORDER first(2/2): the section of the one before us. */
		if (rwi_load_acquire(told, &node->told))
			return !RWI_BUG("osq.told_in_vain");
		rwi_look_again(&looks);
	}
	RWI_STEP("osq/unlinked");
	next = take_next(queue, node, prev);
	RWI_STEP("osq/gap");
	if (next) {
		/* ORDER unlink(1/2): with this both are neighbours. */
		rwi_store_release(prev, &next->prev, prev);
		/* ORDER link(1/2): the node behind us, with its link. */
		if (!RWI_BUG("osq.gap"))
			rwi_store_release(bridge, &prev->next, next);
	}
	give_back(node);
	return false;
}

uint32_t rwi_osq_lock(struct rwi_osq *queue, struct rwi_spin *spin)
{
	struct node *node = claim(), *prev;
	uint32_t last;

	if (!node)
		return 0;
	rwi_store_relaxed(next, &node->next, NULL);
	rwi_store_relaxed(untold, &node->told, 0);
	/*
	 * ORDER queue(2/2): the section of the last one to come first.
	 * ORDER tail(1/2), ORDER tail(2/2): a clean node, before the next in
	 * line links itself to it.
	 */
	last = rwi_xchg_acq_rel(tail, &queue->tail, number_of(node));
	if (!last)
		return number_of(node);
	RWI_STEP("osq/links");
	prev = node_of(last);
	rwi_store_relaxed(prev, &node->prev, prev);
	/* ORDER link(1/2): our own link to the neighbour. */
	rwi_store_release(link, &prev->next, node);
	/* ORDER first(2/2): the section of the one before us. */
	while (!rwi_load_acquire(wait, &node->told)) {
		if (!rwi_spin_on(spin))
			return leave(queue, node) ? number_of(node) : 0;
	}
	return number_of(node);
}

void rwi_osq_unlock(struct rwi_osq *queue, uint32_t number)
{
	struct node *node = node_of(number);
	struct node *next = take_next(queue, node, NULL);

	if (next) {
		RWI_STEP("osq/tells");
		/* ORDER first(1/2): our section. */
		rwi_store_release(tell, &next->told, 1);
	}
	give_back(node);
}
