/* SPDX-License-Identifier: MIT */
/*
 * Origin.  Dave Dice and Alex Kogan, BRAVO: Biased Locking for Reader-Writer
 * Locks, USENIX ATC 2019.
 *
 * Idea.  Any reader-writer lock can be made to scale for readers.  While the
 * lock is biased, a reader writes its name into one slot of a table that all
 * locks share, looks at the bias again, and touches nothing else.  A writer
 * takes the lock underneath, ends the bias, and waits until no slot names the
 * lock.  Then the bias is forbidden for nine times as long as that took, so
 * that writers lose at most a tenth of their time by it; later the next reader
 * that comes through the lock underneath brings it back.
 *
 * Word.
 *	bias    none, biased, or being tried: see Here
 *	inhibited_until_ns
 *	word, the lock underneath:
 *	31        3     2         1         0
 *	[ readers ][ wanted ][ waiting ][ writer ]
 *	waiting  somebody sleeps on the word; a release that finds it takes it
 *	         off and wakes all
 *	wanted   a writer waits, so readers do not pass; whichever writer gets
 *	         in takes it off, and the others, woken, put it back
 *	slot    names a lock that its owner reads; 4096 for the process
 *
 * Limits.  2^29 read holds underneath.  16 holds of one thread in slots, for a
 * thread remembers which slots it has filled: the table cannot tell, since
 * another thread may have the same slot for the same lock.  Further holds, and
 * readers whose slot is taken, go underneath.  So a read hold must be released
 * by the thread that took it.
 *
 * Costs.  16 bytes, and 32 KiB for the process.  A biased read pair is one
 * compare-and-swap on a line of one's own, two loads and a store.  A writer of
 * a biased lock reads the whole table, some microseconds.
 *
 * Wins.  Reading scales, at no cost in size, where writers are rare.
 *
 * Loses.  Each writer that meets the bias pays for the scan, and waits for the
 * slots actively.  Readers that come during the scan queue underneath.
 *
 * Here.  The lock underneath is our own, one word whose waiters spin for two
 * microseconds and then sleep.  A writer that waits for a slot gives its CPU
 * away again and again.  A try for writing is ours: it must not wait for a
 * reader, nor make a reader's try fail when it fails itself.  So it only says
 * that it is trying, and looks; a reader that finds it so turns it back to
 * biased and is in, and the try ends the bias only if nobody did.
 *
 * Repaired.  Nothing; the broken variants are
 *	dice_2019_bravo.looks-once  a reader does not look at the bias again
 *	dice_2019_bravo.scan-first  slots are looked at before the bias ends
 *	dice_2019_bravo.wanted-left a writer that gets in underneath leaves the
 *	                            mark that keeps readers out
 */
#include "designs/design.h"
#include "designs/parts/spin.h"

#include <limits.h>

/* ---- The table and what a thread remembers of it ---- */

enum { SLOTS_LOG2 = 12, SLOTS = 1 << SLOTS_LOG2, HELD_MAX = 16 };
enum { INHIBIT_FACTOR = 9 };

struct bravo {
	uint32_t word;
	uint32_t bias;
	uint64_t inhibited_until_ns;
};

static struct bravo *slots[SLOTS] __attribute__((aligned(128)));

static _Thread_local struct {
	uint32_t count;
	struct bravo **slots[HELD_MAX];
} held;

/* By the thread and the lock (Knuth's multiplicative hash). */
static inline struct bravo **my_slot(const struct bravo *l)
{
	const uint64_t key = (uintptr_t)&held + 3 * (uint64_t)(uintptr_t)l;

	return &slots[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOTS_LOG2)];
}

/* A handler may come in between, and hold and release other locks. */
static inline void remember(struct bravo **slot)
{
	rwi_store_relaxed(remember, &held.slots[held.count], slot);
	rwi_store_relaxed(remembered, &held.count, held.count + 1);
}

static inline void forget(uint32_t i)
{
	const uint32_t last = held.count - 1;

	rwi_store_relaxed(forget, &held.slots[i], held.slots[last]);
	rwi_store_relaxed(forgotten, &held.count, last);
}

/* ---- The lock underneath ---- */

#define WRITER  UINT32_C(1)
#define WAITING UINT32_C(2)
#define WANTED  UINT32_C(4)
#define READER  UINT32_C(8)
#define READERS (~(READER - 1))

enum side { READ, WRITE };
enum { SLICE_NS = 1000000000 };

static inline uint32_t bars(enum side side)
{
	return WRITER | (side == READ ? WANTED : READERS);
}

static inline uint32_t with(uint32_t found, enum side side)
{
	if (side == READ)
		return found + READER;
	if (RWI_BUG("dice_2019_bravo.wanted-left"))
		return found | WRITER;
	return (found & ~WANTED) | WRITER;
}

static inline bool take(struct bravo *l, enum side side)
{
	uint32_t found = rwi_load_relaxed(look, &l->word);

	while (!(found & bars(side))) {
		/* ORDER word(2/2): the sections before ours. */
		if (rwi_cas_acquire(take, &l->word, &found, with(found, side)))
			return true;
	}
	return false;
}

static RWI_NOINLINE void take_slow(struct bravo *l, enum side side)
{
	const uint32_t marks = WAITING | (side == WRITE ? WANTED : 0);
	struct rwi_spin spin;
	bool spins = rwi_spin_start(&spin, rwi_tunable(arrival_spin_ns));

	while (!take(l, side)) {
		const struct rwi_deadline slice = rwi_deadline_in(SLICE_NS);
		uint32_t found;

		spins = spins && rwi_spin_on(&spin);
		if (spins)
			continue;
		found = rwi_fetch_or_relaxed(mark, &l->word, marks) | marks;
		RWI_STEP("dice_2019_bravo/marked");
		/* It may have been released before the marks were there. */
		if (found & bars(side))
			rwi_park(&l->word, found, RWI_CLASS_ANY, &slice);
	}
}

static RWI_NOINLINE void wake_all(struct bravo *l)
{
	RWI_STEP("dice_2019_bravo/released");
	rwi_fetch_and_relaxed(wake, &l->word, ~WAITING);
	rwi_unpark(&l->word, INT_MAX, RWI_CLASS_ANY);
}

static inline void release(struct bravo *l, uint32_t one)
{
	/* ORDER word(1/2): our section. */
	const uint32_t left =
	    rwi_fetch_sub_release(release, &l->word, one) - one;

	if (rwi_unlikely(left & WAITING) && !(left & READERS))
		wake_all(l);
}

/* ---- The bias ---- */

enum { NONE, BIASED, TRYING };

/*
 * With our slot filled: are we in?  The writer ends the bias and then looks at
 * the slots; so either it finds ours, or we find that the bias has ended.
 */
static inline bool still_biased(struct bravo *l)
{
	uint32_t bias;

	if (RWI_BUG("dice_2019_bravo.looks-once"))
		return true;
	/*
	 * ORDER revoke(2/2): a writer that has not seen our slot.
	 * ORDER bias(2/2): the last writer's section.
	 */
	while ((bias = rwi_load_seq_cst(again, &l->bias)) == TRYING) {
		/* ORDER bias(1/2): the section, for readers behind us. */
		if (rwi_cas_release(foil, &l->bias, &bias, BIASED))
			return true;
	}
	return bias == BIASED;
}

static inline void clear(struct bravo **slot)
{
	/* ORDER slot(1/2): our section. */
	rwi_store_release(clear, slot, NULL);
}

static inline bool down_read_biased(struct bravo *l)
{
	struct bravo **const slot = my_slot(l), *empty = NULL;

	if (rwi_load_relaxed(first, &l->bias) == NONE ||
	    held.count == HELD_MAX || rwi_load_relaxed(slot, slot))
		return false;
	RWI_STEP("dice_2019_bravo/was_biased");
	/* ORDER revoke(1/2): our name, for a writer that ends the bias. */
	if (!rwi_cas_seq_cst(publish, slot, &empty, l))
		return false;
	RWI_STEP("dice_2019_bravo/published");
	if (rwi_unlikely(!still_biased(l))) {
		clear(slot);
		return false;
	}
	remember(slot);
	return true;
}

/* With the lock underneath held for reading. */
static inline void restore_bias(struct bravo *l)
{
	if (rwi_load_relaxed(biased, &l->bias) == NONE &&
	    rwi_now_ns() >= rwi_load_relaxed(until, &l->inhibited_until_ns)) {
		/* ORDER bias(1/2): the last writer's section. */
		rwi_store_release(restore, &l->bias, BIASED);
	}
}

/* The first slot from `i` on that names the lock, or SLOTS. */
static uint32_t find_reader(struct bravo *l, uint32_t i)
{
	/*
	 * ORDER slot(2/2): the readers' sections.
	 * ORDER revoke(2/2): readers that have not seen the bias end.
	 */
	while (i < SLOTS && rwi_load_seq_cst(scan, &slots[i]) != l)
		i++;
	return i;
}

static void await_slots(struct bravo *l)
{
	uint32_t looks = 0;

	for (uint32_t i = 0; (i = find_reader(l, i)) < SLOTS;)
		rwi_look_again(&looks);
}

static void inhibit(struct bravo *l, uint64_t began_ns)
{
	const uint64_t ended_ns = rwi_now_ns();

	rwi_store_relaxed(until, &l->inhibited_until_ns,
			  ended_ns + (ended_ns - began_ns) * INHIBIT_FACTOR);
}

/*
 * With the lock underneath held for writing: no reader is let in by its slot
 * any more, or, TRYING, none without our noticing.
 */
static void end_bias(struct bravo *l, uint32_t as)
{
	/* ORDER revoke(1/2): readers that come now go underneath, or foil us.
	 */
	rwi_store_seq_cst(end, &l->bias, as);
	RWI_STEP("dice_2019_bravo/bias_ended");
}

static RWI_NOINLINE void revoke(struct bravo *l)
{
	const bool scan_first = RWI_BUG("dice_2019_bravo.scan-first");
	const uint64_t began_ns = rwi_now_ns();

	if (scan_first)
		await_slots(l);
	RWI_STEP("dice_2019_bravo/revoking");
	end_bias(l, NONE);
	if (!scan_first)
		await_slots(l);
	inhibit(l, began_ns);
}

/* The same unless a reader is inside or comes meanwhile. */
static RWI_NOINLINE bool try_to_revoke(struct bravo *l)
{
	const uint64_t began_ns = rwi_now_ns();
	uint32_t bias = TRYING, next;

	end_bias(l, TRYING);
	next = find_reader(l, 0) == SLOTS ? NONE : BIASED;
	/* ORDER bias(1/2): the last writer's section. */
	if (!rwi_cas_release(tried, &l->bias, &bias, next) || next == BIASED)
		return false;
	inhibit(l, began_ns);
	return true;
}

/* ---- Operations ---- */

static void down_read(void *lock)
{
	struct bravo *l = lock;

	if (down_read_biased(l))
		return;
	if (!take(l, READ))
		take_slow(l, READ);
	restore_bias(l);
}

static void up_read(void *lock)
{
	struct bravo *l = lock;

	for (uint32_t i = held.count; i-- > 0;) {
		struct bravo **const slot = held.slots[i];

		if (rwi_load_relaxed(mine, slot) == l) {
			forget(i);
			clear(slot);
			return;
		}
	}
	release(l, READER);
}

static bool down_read_trylock(void *lock)
{
	struct bravo *l = lock;

	if (down_read_biased(l))
		return true;
	if (!take(l, READ))
		return false;
	restore_bias(l);
	return true;
}

static void down_write(void *lock)
{
	struct bravo *l = lock;

	if (!take(l, WRITE))
		take_slow(l, WRITE);
	if (rwi_load_relaxed(biased, &l->bias) != NONE)
		revoke(l);
}

static void up_write(void *lock)
{
	release(lock, WRITER);
}

static bool down_write_trylock(void *lock)
{
	struct bravo *l = lock;

	if (!take(l, WRITE))
		return false;
	if (rwi_load_relaxed(biased, &l->bias) == NONE || try_to_revoke(l))
		return true;
	up_write(l);
	return false;
}

RWI_DEFINE_PAIRS(bravo, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_dice_2019_bravo = {
	.name = "dice-2019-bravo",
	.summary = "readers in a table of all locks while biased; else a word",
	.origin = "Dice and Kogan, USENIX ATC, July 2019",
	.file = "dice_2019_bravo.c",
	.year = 2019,
	.traits = RWI_INLINED,
	.lock_size = sizeof(struct bravo),
	.lock_align = _Alignof(struct bravo),
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.down_read_trylock = down_read_trylock,
	.down_write_trylock = down_write_trylock,
	.read_pairs = bravo_read_pairs,
	.write_pairs = bravo_write_pairs,
};
