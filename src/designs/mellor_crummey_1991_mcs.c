/* SPDX-License-Identifier: MIT */
/*
 * Origin.  John Mellor-Crummey and Michael Scott, Scalable Reader-Writer
 * Synchronization for Shared-Memory Multiprocessors, PPoPP 1991: the fair lock
 * whose waiters spin on words of their own, a queue lock like their MCS mutex.
 *
 * Idea.  Whoever comes exchanges the end of the queue for its own node, and
 * links itself to the node that was there.  A reader whose predecessor is an
 * active reader enters.  One whose predecessor waits, or writes, leaves a note
 * in that node's state and spins on its own.  A reader that gets in wakes the
 * reader behind it, which wakes the next.  Readers leave the queue in any
 * order; the reader that leaves last, by a count, wakes the writer that the
 * one in front of it has named.
 *
 * Word.
 *	tail         the last node
 *	readers      how many are inside
 *	next_writer  whom the last reader wakes:  63    32 31    0
 *	                                          [ claim ][ node ]
 *	a node's state:     2                1              0
 *	             [ writer behind ][ reader behind ][ blocked ]
 *
 * Limits.  A thread that has queued cannot leave: no tries (a free tail may
 * still have readers inside), no timed or interruptible wait.  1024 nodes, for
 * all holds and waits of the process; who finds none waits for one.
 *
 * Costs.  24 bytes and 64 a node.  A read pair without company: six atomic
 * operations, one of them to claim the node; a write pair: five.
 *
 * Wins.  Long queues of threads that each have a CPU: a release touches one
 * waiter's line, not all of theirs, and service is in order of arrival.
 *
 * Loses.  Readers exchange the one tail and change the one count, so reading
 * does not scale, and readers are woken one by another.  A waiter that is not
 * running holds up all behind it.
 *
 * Here.  The operations of the original take a node; ours do not.  So a node
 * is claimed from a pool for each acquisition, by one compare-and-swap where
 * the calling thread usually finds the same node free, and given back by a
 * store.  Nodes are numbered and never unmapped.  The lock remembers the node
 * of its writer; each thread keeps a list, through the nodes, of those by
 * which it reads, so a read hold must be released by the thread that took it.
 * The state is one word that changes by atomic operations, where the original
 * stores to a part of it.  Waiters give their CPU away again and again.
 *
 * Repaired.  As first published the last reader took the next writer out
 * without looking at the count again.  While it was delayed others could come
 * and go, and the writer be named behind readers who were still inside.  The
 * authors' later pseudocode looks again and then compares and swaps.  There a
 * name could still come back: the same node named a second time in between,
 * which the swap cannot tell; here a name contains the number of the claim.
 *	mellor_crummey_1991_mcs.no-second-look  the count is not looked at again
 *	mellor_crummey_1991_mcs.name-comes-back names without a claim number
 *	mellor_crummey_1991_mcs.lost-successor  a woken reader does not look for
 *	                                        the reader behind it
 */
#include "designs/design.h"
#include "designs/parts/spin.h"

#define BLOCKED       UINT32_C(1)
#define READER_BEHIND UINT32_C(2)
#define WRITER_BEHIND UINT32_C(4)

enum { NODES = 1024 };

struct mcs {
	uint32_t tail;
	uint32_t readers;
	uint64_t next_writer;
	uint32_t writer; /* the node of the one inside */
};

static struct node {
	uint32_t next;
	uint32_t state;
	uint32_t writes;
	uint32_t used;
	uint32_t claim;
	uint32_t below; /* in the list of its thread's read holds */
	struct mcs *lock;
} nodes[NODES] __attribute__((aligned(64)));

/* The latest of this thread's read holds. */
static _Thread_local uint32_t top;

/* ---- Nodes ---- */

static struct node *node_of(uint32_t number)
{
	return &nodes[number - 1];
}

static uint32_t number_of(const struct node *node)
{
	return (uint32_t)(node - nodes) + 1;
}

static uint64_t name_of(const struct node *node)
{
	if (RWI_BUG("mellor_crummey_1991_mcs.name-comes-back"))
		return number_of(node);
	return (uint64_t)node->claim << 32 | number_of(node);
}

static struct node *claim_node(bool writes)
{
	uint32_t i = rwi_thread_id(), looks = 0, unused = 0;
	struct node *node = &nodes[i % NODES];

	/* ORDER node(2/2): its last user's stores. */
	while (!rwi_cas_acquire(claim, &node->used, &unused, 1)) {
		node = &nodes[++i % NODES];
		if (++looks % NODES == 0)
			rwi_yield();
		unused = 0;
	}
	node->claim++;
	node->writes = writes;
	rwi_store_relaxed(next, &node->next, 0);
	rwi_store_relaxed(state, &node->state, BLOCKED);
	return node;
}

static void give_back(struct node *node)
{
	/* ORDER node(1/2): our stores, for its next user. */
	rwi_store_release(give_back, &node->used, 0);
}

/* ---- The queue ---- */

/* Queue at the end.  The node before us, or null. */
static struct node *join(struct mcs *l, struct node *node)
{
	/*
	 * ORDER tail(1/2): our node, for who comes behind us.
	 * ORDER tail(2/2): the node before us; or the last writer's section.
	 */
	const uint32_t last = rwi_xchg_acq_rel(join, &l->tail, number_of(node));

	return last ? node_of(last) : NULL;
}

static void link_to(struct node *prev, struct node *node)
{
	/* ORDER link(1/2): the note in its state, and a counted reader. */
	rwi_store_release(link, &prev->next, number_of(node));
}

/* The node behind ours, which somebody is about to link there. */
static struct node *await_next(struct node *node)
{
	uint32_t looks = 0, next;

	/* ORDER link(2/2): what the one behind us did before. */
	while (!(next = rwi_load_acquire(next, &node->next)))
		rwi_look_again(&looks);
	return node_of(next);
}

/* Leave the queue: the node behind ours, or null if we were the last. */
static struct node *part(struct mcs *l, struct node *node)
{
	uint32_t last = number_of(node);

	/* ORDER tail(1/2): a writer's section, for who comes next. */
	if (!rwi_load_relaxed(next, &node->next) &&
	    rwi_cas_release(part, &l->tail, &last, 0))
		return NULL;
	RWI_STEP("mellor_crummey_1991_mcs/parting");
	return await_next(node);
}

static void await_turn(struct node *node)
{
	uint32_t looks = 0;

	/* ORDER turn(2/2): the sections before ours. */
	while (rwi_load_acquire(turn, &node->state) & BLOCKED)
		rwi_look_again(&looks);
}

/* Take the mark off and return what else is in the state. */
static uint32_t unblock(struct node *node)
{
	/* ORDER turn(1/2): the sections that we know of. */
	return rwi_fetch_sub_release(unblock, &node->state, BLOCKED) - BLOCKED;
}

/* ---- Readers ---- */

static void count_reader(struct mcs *l)
{
	rwi_fetch_add_relaxed(count, &l->readers, 1);
}

/* If the one before us is a reader that waits, tell it that we wait too. */
static bool waits(struct node *prev)
{
	uint32_t found;

	if (prev->writes)
		return true;
	/* ORDER turn(2/2): what an active reader waited for, we need not. */
	while ((found = rwi_load_acquire(before, &prev->state)) & BLOCKED) {
		if (rwi_cas_relaxed(note, &prev->state, &found,
				    found | READER_BEHIND))
			return true;
	}
	return false;
}

static void down_read(void *lock)
{
	struct mcs *l = lock;
	struct node *node = claim_node(false), *prev = join(l, node);
	uint32_t state;

	if (!prev) {
		count_reader(l);
		state = unblock(node);
	} else {
		RWI_STEP("mellor_crummey_1991_mcs/reader_joined");
		if (waits(prev)) {
			link_to(prev, node);
			await_turn(node);
			state = rwi_load_relaxed(state, &node->state);
		} else {
			count_reader(l);
			link_to(prev, node);
			state = unblock(node);
		}
	}
	if (state & READER_BEHIND &&
	    !RWI_BUG("mellor_crummey_1991_mcs.lost-successor")) {
		struct node *next = await_next(node);

		count_reader(l);
		unblock(next);
	}
	node->lock = l;
	node->below = top;
	top = number_of(node);
}

/* Off the list of this thread. */
static struct node *my_hold(const struct mcs *l)
{
	uint32_t *number = &top;

	while (*number) {
		struct node *node = node_of(*number);

		if (node->lock == l) {
			*number = node->below;
			return node;
		}
		number = &node->below;
	}
	rwi_panic("mellor-crummey-1991-mcs: up_read by a thread that does not "
		  "hold the lock");
}

/* The last reader has left, or so it seemed: let the next writer in. */
static void let_writer_in(struct mcs *l)
{
	uint64_t name;

	RWI_STEP("mellor_crummey_1991_mcs/last_reader");
	/*
	 * ORDER last-reader(2/2): a writer that saw us inside.
	 * ORDER name(2/2): the readers before it.
	 */
	name = rwi_load_seq_cst(named, &l->next_writer);
	if (!name)
		return;
	RWI_STEP("mellor_crummey_1991_mcs/named");
	/*
	 * Nobody gets in before a writer that has been named, so from zero the
	 * count does not change any more.
	 *
	 * ORDER readers(2/2): the other readers' sections.
	 */
	if (!RWI_BUG("mellor_crummey_1991_mcs.no-second-look") &&
	    rwi_load_acquire(again, &l->readers))
		return;
	RWI_STEP("mellor_crummey_1991_mcs/nobody_inside");
	if (rwi_cas_relaxed(take, &l->next_writer, &name, 0))
		unblock(node_of((uint32_t)name));
}

static void up_read(void *lock)
{
	struct mcs *l = lock;
	struct node *node = my_hold(l), *next = part(l, node);

	/*
	 * ORDER name(1/2): whoever reads it sees all readers counted that are
	 * before the writer.
	 */
	if (next && rwi_load_relaxed(behind, &node->state) & WRITER_BEHIND)
		rwi_store_release(name, &l->next_writer, name_of(next));
	/*
	 * ORDER last-reader(1/2): either we see the writer's name, or it sees
	 * that we have left.
	 * ORDER readers(1/2): our section, and a name that we have stored.
	 */
	if (rwi_fetch_sub_seq_cst(leave, &l->readers, 1) == 1)
		let_writer_in(l);
	give_back(node);
}

/* ---- Writers ---- */

/* There was no queue, but there may be readers inside that have left it. */
static bool nobody_inside(struct mcs *l, struct node *node)
{
	/* ORDER last-reader(1/2): our name, for the last reader. */
	rwi_store_seq_cst(name, &l->next_writer, name_of(node));
	RWI_STEP("mellor_crummey_1991_mcs/writer_named");
	/*
	 * ORDER last-reader(2/2): that it has left.
	 * ORDER readers(2/2): the readers' sections.
	 */
	return rwi_load_seq_cst(inside, &l->readers) == 0 &&
	       rwi_xchg_relaxed(take, &l->next_writer, 0);
}

static void down_write(void *lock)
{
	struct mcs *l = lock;
	struct node *node = claim_node(true), *prev = join(l, node);

	if (prev) {
		rwi_fetch_or_relaxed(note, &prev->state, WRITER_BEHIND);
		RWI_STEP("mellor_crummey_1991_mcs/writer_joined");
		link_to(prev, node);
		await_turn(node);
	} else if (!nobody_inside(l, node)) {
		await_turn(node);
	}
	l->writer = number_of(node);
}

static void up_write(void *lock)
{
	struct mcs *l = lock;
	struct node *node = node_of(l->writer), *next = part(l, node);

	if (next) {
		if (!next->writes)
			count_reader(l);
		unblock(next);
	}
	give_back(node);
}

RWI_DEFINE_PAIRS(mcs, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_mellor_crummey_1991_mcs = {
	.name = "mellor-crummey-1991-mcs",
	.summary = "fair queue of readers and writers, each spinning by itself",
	.origin = "Mellor-Crummey and Scott, PPoPP, April 1991",
	.file = "mellor_crummey_1991_mcs.c",
	.year = 1991,
	.traits = RWI_FIFO | RWI_SPINS | RWI_YIELDS,
	.lock_size = sizeof(struct mcs),
	.lock_align = _Alignof(struct mcs),
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.read_pairs = mcs_read_pairs,
	.write_pairs = mcs_write_pairs,
};
