/* SPDX-License-Identifier: MIT */
/*
 * Origin.  Björn Brandenburg and James Anderson, Reader-Writer Synchronization
 * for Shared-Memory Multiprocessor Real-Time Systems, ECRTS 2009; the ticket
 * form PF-T, also in Spin-Based Reader-Writer Synchronization for
 * Multiprocessor Real-Time Systems, Real-Time Systems, 2010.
 *
 * Idea.  Phases of reading and of writing alternate.  When a writer leaves,
 * all readers that wait get in before the next writer; when readers leave, one
 * writer gets in.  So a reader waits for at most one phase of readers and one
 * writer, however many writers there are, and writers go by tickets.  A writer
 * that is next puts two bits into the word that counts arriving readers: that
 * it is there, and the parity of its ticket.  A reader that finds them waits
 * until they change, and it does not matter to what: no writer there means
 * that the phase is over, the other parity means that it is over and the next
 * writer has counted this reader among those it must wait for.
 *
 * Word.
 *	in                               out
 *	63             2    1       0    63             2  1  0
 *	[ readers came ][present][phase] [ readers gone ] [ 0 ]
 *	ticket   the next writer's        turn   the ticket that is served
 *
 * Limits.  Fewer than 2^32 readers that hold or wait at once; compared are the
 * lower 32 bits of their counts.  A ticket cannot be given back, and a reader
 * that was counted is waited for: no timed or interruptible wait.  A writer
 * that tried would have to put its bits in and, finding readers, hold up those
 * that came meanwhile: no tries either.
 *
 * Costs.  24 bytes.  A read pair is two atomic additions; a write pair is two
 * additions, a subtraction and a store.
 *
 * Wins.  Where readers need a bound: a reader waits for one writer and one
 * phase of readers; in order of arrival it may wait for as many writers as
 * there are CPUs.  Mixed loads, because readers collect while a writer is
 * inside and then run together.
 *
 * Loses.  A writer waits for a phase of readers between any two writers, so
 * many writers and a few readers cost more than in order of arrival.  Readers
 * share two words and do not scale.  Worse than sleeping locks wherever
 * threads outnumber CPUs.
 *
 * Here.  The bound supposes that nobody inside or next in line loses its CPU,
 * which the original gets by switching preemption off.  Here everybody can, so
 * waiters give their CPU away again and again and the bound holds in numbers
 * of sections, not in time.  The original takes the bits out by a store to the
 * lowest byte of the word, and counts readers above that byte; here it is a
 * subtraction, for one word is always accessed as one.
 *
 * Repaired.  Nothing; the broken variants are
 *	brandenburg_2009_phase_fair.one-phase   all writers have one parity, so
 *	                    a reader may sleep through its phase: a deadlock
 *	brandenburg_2009_phase_fair.turn-first  the next writer is served before
 *	                    the last one's bits are out; it adds its own to them
 */
#include "designs/design.h"
#include "designs/parts/spin.h"

#define PHASE   UINT64_C(1)
#define PRESENT UINT64_C(2)
#define READER  UINT64_C(4)

struct phase_fair {
	uint64_t in;
	uint64_t out;
	uint32_t ticket;
	uint32_t turn;
};

static uint64_t readers_max(void)
{
	return (UINT64_C(1) << rwi_tunable(count_bits)) - 1;
}

/* ---- Readers ---- */

static RWI_NOINLINE void await_phase(struct phase_fair *l, uint64_t writer)
{
	uint32_t looks = 0;

	/* ORDER phase(2/2): the writer's section. */
	while ((rwi_load_acquire(wait, &l->in) & (PRESENT | PHASE)) == writer) {
		RWI_STEP("brandenburg_2009_phase_fair/reader_waits");
		rwi_look_again(&looks);
	}
}

static void down_read(void *lock)
{
	struct phase_fair *l = lock;
	/* ORDER phase(2/2): the last writer's section. */
	const uint64_t writer =
	    rwi_fetch_add_acquire(down_read, &l->in, READER) &
	    (PRESENT | PHASE);

	if (rwi_unlikely(writer))
		await_phase(l, writer);
}

static void up_read(void *lock)
{
	struct phase_fair *l = lock;

	/* ORDER readers(1/2): the section's loads come before. */
	rwi_fetch_add_release(up_read, &l->out, READER);
}

/* ---- Writers ---- */

static inline uint64_t bits_of(uint32_t ticket)
{
	if (RWI_BUG("brandenburg_2009_phase_fair.one-phase"))
		return PRESENT;
	return PRESENT | (ticket & PHASE);
}

static void down_write(void *lock)
{
	struct phase_fair *l = lock;
	const uint32_t ticket = rwi_fetch_add_relaxed(ticket, &l->ticket, 1);
	uint32_t looks = 0;
	uint64_t came;

	/* ORDER turn(2/2): the last writer's section, and its bits are out. */
	while (rwi_load_acquire(turn, &l->turn) != ticket) {
		RWI_STEP("brandenburg_2009_phase_fair/writer_waits");
		rwi_look_again(&looks);
	}
	/* Relaxed: readers that come before are counted, others see the bits.
	 */
	came = rwi_fetch_add_relaxed(announce, &l->in, bits_of(ticket));
	RWI_STEP("brandenburg_2009_phase_fair/announced");
	/* ORDER readers(2/2): the readers' loads, before our stores. */
	while ((rwi_load_acquire(readers, &l->out) ^ came) / READER &
	       readers_max())
		rwi_look_again(&looks);
}

/*
 * In this order: the next writer adds its bits to those that it finds.
 */
static void up_write(void *lock)
{
	struct phase_fair *l = lock;
	const uint32_t turn = rwi_load_relaxed(mine, &l->turn);
	const bool turn_first =
	    RWI_BUG("brandenburg_2009_phase_fair.turn-first");

	/* ORDER turn(1/2): our section. */
	if (turn_first)
		rwi_store_release(turn_first, &l->turn, turn + 1);
	else
		/* ORDER phase(1/2): our section, for readers. */
		rwi_fetch_sub_release(phase, &l->in, bits_of(turn));
	RWI_STEP("brandenburg_2009_phase_fair/between_phases");
	if (turn_first)
		/* ORDER phase(1/2): our section, for readers. */
		rwi_fetch_sub_release(phase, &l->in, bits_of(turn));
	else
		/* ORDER turn(1/2): our section and that our bits are out. */
		rwi_store_release(turn, &l->turn, turn + 1);
}

RWI_DEFINE_PAIRS(phase_fair, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_brandenburg_2009_phase_fair = {
	.name = "brandenburg-2009-phase-fair",
	.summary = "phases of readers and single writers alternate; tickets",
	.origin = "Brandenburg and Anderson, ECRTS, July 2009: PF-T",
	.file = "brandenburg_2009_phase_fair.c",
	.year = 2009,
	.owes = { { "mellor-crummey-1991-ticket",
		    "counts of readers that came and went, writers' "
		    "tickets" } },
	.traits = RWI_FOREIGN_UP_READ | RWI_INLINED | RWI_SPINS | RWI_YIELDS,
	.lock_size = sizeof(struct phase_fair),
	.lock_align = _Alignof(struct phase_fair),
	.readers_max = readers_max,
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.read_pairs = phase_fair_read_pairs,
	.write_pairs = phase_fair_write_pairs,
};
