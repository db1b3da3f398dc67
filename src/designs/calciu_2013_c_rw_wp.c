/* SPDX-License-Identifier: MIT */
/*
 * Origin.  Irina Calciu, Dave Dice, Yossi Lev, Victor Luchangco, Virendra
 * Marathe and Nir Shavit, NUMA-Aware Reader-Writer Locks, PPoPP 2013: C-RW-WP,
 * the one that prefers writers.  Its cohort lock is C-TKT-TKT of Dice, Marathe
 * and Shavit, Lock Cohorting, PPoPP 2012.
 *
 * Idea.  Each node of the machine has an indicator of its own for readers.  A
 * reader arrives on its node's indicator, and is in if no writer holds or
 * waits; else it departs again and waits until no writer does.  A writer takes
 * a cohort lock, by which it announces itself, and then waits until the
 * indicators show nobody.  The cohort lock hands itself on inside a node, up
 * to 64 times, before another node has it, so that what writers change stays
 * in that node's caches.  A reader that has waited for too long raises a
 * barrier, which keeps writers from queueing until it has got in.
 *
 * Word.
 *	lock            ticket, turn   of groups, for the cohort lock; unequal:
 *	                               a writer holds or waits
 *	                barrier        impatient readers
 *	                inside         the group of the writer inside
 *	each group      came, left     readers
 *	                ticket, turn   of its writers
 *	                passed, passes the group has the cohort lock already;
 *	                               how often it was handed on
 *
 * Limits.  Fewer than 2^32 readers inside at once: the counts wrap, and their
 * difference is what matters.  No tries: a writer that tried would have to
 * announce itself and make readers turn back.
 *
 * Costs.  512 bytes, a line for each group and one for all.  A read pair is
 * two atomic additions to the line of a group and two loads from one that
 * changes by writers only.  A write pair is two additions, some stores and a
 * look at every group.
 *
 * Wins.  Reading scales with the number of groups.  Writers that are frequent
 * keep the lock in one part of the machine.
 *
 * Loses.  Size: not a lock for every object.  A writer looks at all groups'
 * lines, and readers that arrive beside it and turn back disturb it.  Readers
 * wait for all writers that there are until their patience ends.
 *
 * Here.  User space does not know the nodes portably, so CPUs form seven
 * groups, by their number modulo seven: it spreads readers as nodes do, and on
 * a machine of up to seven CPUs each has a group, but a group of a larger one
 * is no neighbourhood, so handing on inside it saves less.  A thread may change
 * its CPU inside a section and depart on another indicator.  So a writer does
 * not ask each indicator whether it is empty; it adds up departures, and then
 * arrivals, over all of them.  In this order everybody who is seen to have
 * left is seen to have come.  Patience is patience_ns of waiting instead of a
 * number of looks.  Waiters give their CPU away again and again.
 *
 * Repaired.  Nothing; the broken variants are
 *	calciu_2013_c_rw_wp.looks-first  a writer looks for readers before it
 *	                                 announces itself
 *	calciu_2013_c_rw_wp.came-first   arrivals are added up before departures
 *	calciu_2013_c_rw_wp.silent-pass  the next of the group is not told that
 *	                                 it has the cohort lock already
 */
#include "designs/design.h"
#include "designs/parts/spin.h"

enum { GROUPS = 7, PASSES_MAX = 64 };

struct group {
	uint32_t came;
	uint32_t left;
	uint32_t ticket;
	uint32_t turn;
	/* The rest belongs to whose turn it is. */
	uint32_t passed;
	uint32_t passes;
} __attribute__((aligned(64)));

struct cohort {
	uint32_t ticket;
	uint32_t turn;
	uint32_t barrier;
	uint32_t inside;
	struct group groups[GROUPS];
};
_Static_assert(sizeof(struct cohort) <= RWI_LOCK_SIZE_MAX, "fits");

static uint64_t readers_max(void)
{
	return (UINT64_C(1) << rwi_tunable(count_bits)) - 1;
}

static inline uint32_t my_group(void)
{
	return rwi_cpu_hint() % GROUPS;
}

/* ---- The cohort lock ---- */

/*
 * Does a writer hold the lock or wait for it?  If the turn, looked at first,
 * still is the last ticket afterwards, no ticket was out.
 */
static inline bool is_wanted(struct cohort *l)
{
	/* ORDER cohort(2/2): the last writer's section. */
	const uint32_t turn = rwi_load_acquire(turn, &l->turn);

	/* ORDER announce(2/2): a writer that has not seen us arrive. */
	return rwi_load_seq_cst(ticket, &l->ticket) != turn;
}

static void await(uint32_t *turn, uint32_t ticket)
{
	uint32_t looks = 0;

	/*
	 * ORDER cohort(2/2), ORDER group(2/2): the last section of all, or of
	 * the group.
	 */
	while (rwi_load_acquire(await, turn) != ticket) {
		RWI_STEP("calciu_2013_c_rw_wp/writer_waits");
		rwi_look_again(&looks);
	}
}

static void take_cohort(struct cohort *l)
{
	const uint32_t self = my_group();
	struct group *group = &l->groups[self];

	await(&group->turn, rwi_fetch_add_relaxed(group, &group->ticket, 1));
	if (!group->passed) {
		RWI_STEP("calciu_2013_c_rw_wp/first_of_group");
		/* ORDER announce(1/2): readers who come now turn back. */
		await(&l->turn, rwi_fetch_add_seq_cst(all, &l->ticket, 1));
	}
	l->inside = self;
}

static void release_cohort(struct cohort *l)
{
	struct group *group = &l->groups[l->inside];
	const uint32_t next = rwi_load_relaxed(turn, &group->turn) + 1;
	const bool waiting = rwi_load_relaxed(waiting, &group->ticket) != next;

	if (waiting && group->passes < PASSES_MAX) {
		if (!RWI_BUG("calciu_2013_c_rw_wp.silent-pass"))
			group->passed = true;
		group->passes++;
	} else {
		group->passed = false;
		group->passes = 0;
		/* ORDER cohort(1/2): our section. */
		rwi_store_release(all, &l->turn,
				  rwi_load_relaxed(mine, &l->turn) + 1);
		RWI_STEP("calciu_2013_c_rw_wp/released");
	}
	/* ORDER group(1/2): our section, and who has the cohort lock. */
	rwi_store_release(group, &group->turn, next);
}

/* ---- Readers ---- */

static inline void arrive(struct group *group)
{
	/* ORDER announce(1/2): writers who come now wait for us. */
	rwi_fetch_add_seq_cst(arrive, &group->came, 1);
}

static inline void depart(struct group *group)
{
	/* ORDER readers(1/2): our section, and that we have come. */
	rwi_fetch_add_release(depart, &group->left, 1);
}

static void await_writers(struct cohort *l, uint64_t since_ns, bool *impatient)
{
	uint32_t looks = 0;

	while (is_wanted(l)) {
		RWI_STEP("calciu_2013_c_rw_wp/reader_waits");
		rwi_look_again(&looks);
		if (looks % 64 == 0 && !*impatient &&
		    rwi_now_ns() - since_ns > rwi_tunable(patience_ns)) {
			rwi_fetch_add_relaxed(raise, &l->barrier, 1);
			*impatient = true;
		}
	}
}

static RWI_NOINLINE void down_read_slow(struct cohort *l, struct group *group)
{
	const uint64_t since_ns = rwi_now_ns();
	bool impatient = false;

	do {
		RWI_STEP("calciu_2013_c_rw_wp/turning_back");
		depart(group);
		await_writers(l, since_ns, &impatient);
		group = &l->groups[my_group()];
		arrive(group);
		RWI_STEP("calciu_2013_c_rw_wp/arrived");
	} while (is_wanted(l));
	if (impatient)
		rwi_fetch_sub_relaxed(lower, &l->barrier, 1);
}

static void down_read(void *lock)
{
	struct cohort *l = lock;
	struct group *group = &l->groups[my_group()];

	arrive(group);
	if (rwi_unlikely(is_wanted(l)))
		down_read_slow(l, group);
}

static void up_read(void *lock)
{
	struct cohort *l = lock;

	depart(&l->groups[my_group()]);
}

/* ---- Writers ---- */

static uint32_t count_left(struct cohort *l)
{
	uint32_t left = 0;

	/* ORDER readers(2/2): their sections, and that they have come. */
	for (uint32_t i = 0; i < GROUPS; i++)
		left += rwi_load_acquire(left, &l->groups[i].left);
	return left;
}

static uint32_t count_came(struct cohort *l)
{
	uint32_t came = 0;

	/* ORDER announce(2/2): readers that have not seen us come. */
	for (uint32_t i = 0; i < GROUPS; i++)
		came += rwi_load_seq_cst(came, &l->groups[i].came);
	return came;
}

static bool nobody_reads(struct cohort *l)
{
	const bool came_first = RWI_BUG("calciu_2013_c_rw_wp.came-first");
	uint32_t left = 0, came = 0;

	if (came_first)
		came = count_came(l);
	else
		left = count_left(l);
	RWI_STEP("calciu_2013_c_rw_wp/adding_up");
	if (came_first)
		left = count_left(l);
	else
		came = count_came(l);
	return !((came - left) & readers_max());
}

static void await_readers(struct cohort *l)
{
	uint32_t looks = 0;

	while (!nobody_reads(l))
		rwi_look_again(&looks);
}

static void down_write(void *lock)
{
	struct cohort *l = lock;
	const bool looks_first = RWI_BUG("calciu_2013_c_rw_wp.looks-first");
	uint32_t looks = 0;

	while (rwi_load_relaxed(barrier, &l->barrier))
		rwi_look_again(&looks);
	if (looks_first)
		await_readers(l);
	take_cohort(l);
	RWI_STEP("calciu_2013_c_rw_wp/announced");
	if (!looks_first)
		await_readers(l);
}

static void up_write(void *lock)
{
	release_cohort(lock);
}

RWI_DEFINE_PAIRS(cohort, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_calciu_2013_c_rw_wp = {
	.name = "calciu-2013-c-rw-wp",
	.summary = "cohort lock for writers, an indicator a node for readers",
	.origin = "Calciu, Dice, Lev, Luchangco, Marathe and Shavit, PPoPP, "
		  "February 2013",
	.file = "calciu_2013_c_rw_wp.c",
	.year = 2013,
	.owes = { { "mellor-crummey-1991-ticket", "tickets, at both levels" } },
	.traits = RWI_FOREIGN_UP_READ | RWI_SPINS | RWI_YIELDS,
	.lock_size = sizeof(struct cohort),
	.lock_align = _Alignof(struct cohort),
	.readers_max = readers_max,
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.read_pairs = cohort_read_pairs,
	.write_pairs = cohort_write_pairs,
};
