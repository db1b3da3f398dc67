/* SPDX-License-Identifier: MIT */
/*
 * Origin.  John Mellor-Crummey and Michael Scott, Scalable Reader-Writer
 * Synchronization for Shared-Memory Multiprocessors, PPoPP 1991: the simple
 * lock that is fair, the ticket lock with two kinds of tickets.
 *
 * Idea.  Two words count the readers and the writers that have come, and those
 * that have gone.  Whoever comes adds itself to the first word and learns in
 * the same operation who came before.  A writer waits until all of those have
 * gone, a reader until the writers among them have.  Leaving is one addition
 * to the second word.  There is nothing else: no queue, no flag, no owner.
 *
 * Word.
 *	requests, completions:
 *	63          32 31          0
 *	[  readers   ] [  writers  ]
 *
 * Both count for ever and wrap.  The writers' count overflows into the
 * readers', and does so in both words before anybody compares them whole; the
 * readers' overflows out of the word.  The other way round a carry of the
 * readers would look like a writer that has come and never goes.
 *
 * Limits.  Fewer than 2^32 readers, and as many writers, that hold or wait at
 * once; one more and a writer takes a full house for an empty one.  A ticket
 * cannot be given back, so there is no timed and no interruptible wait.
 *
 * Costs.  16 bytes.  A read or write pair is two atomic additions and a load,
 * with company or without.  Every waiter looks at the one word that every
 * release changes, so with n waiters a release costs n cache misses.
 *
 * Wins.  The shortest code that is first in, first out; no pair of a fair lock
 * has fewer atomic operations.  Right for a handful of threads, each on a CPU
 * of its own, that hold it for a moment.
 *
 * Loses.  When the next in line is not running: the lock is then idle until
 * the scheduler comes round to that one thread, however many others could use
 * it.  Two alternating kinds of threads admit one reader at a time.  Readers
 * share both words, so reading does not scale.
 *
 * Here.  The words have 64 bits instead of 32 and are packed as there.  In the
 * original a waiter spins and keeps its CPU; here it gives it away again and
 * again, for threads may outnumber the CPUs, and a turn can still take a time
 * slice.  Tries are ours: a try takes a ticket only if it is good at once.
 * Nothing follows the addition that leaves, so the next owner may unmap the
 * lock, and a read hold belongs to no thread.
 *
 * Repaired.  Nothing; the broken variants show what the layout and the two
 * comparisons are for.
 *	mellor_crummey_1991_ticket.carry          readers count below writers
 *	mellor_crummey_1991_ticket.writers-alone  a writer waits for the
 *	                                          writers before it only
 */
#include "designs/design.h"
#include "designs/parts/spin.h"

struct ticket {
	uint64_t requests;
	uint64_t completions;
};

/* ---- The two fields ---- */

static inline uint64_t field(void)
{
	return (UINT64_C(1) << rwi_tunable(count_bits)) - 1;
}

static inline uint64_t one_reader(void)
{
	return RWI_BUG("mellor_crummey_1991_ticket.carry") ? 1 : field() + 1;
}

static inline uint64_t one_writer(void)
{
	return RWI_BUG("mellor_crummey_1991_ticket.carry") ? field() + 1 : 1;
}

/* The bits that a reader, or a writer, compares. */
static inline uint64_t writers(void)
{
	return one_writer() * field();
}

static inline uint64_t all(void)
{
	if (RWI_BUG("mellor_crummey_1991_ticket.writers-alone"))
		return writers();
	return one_reader() * field() + one_writer() * field();
}

static uint64_t readers_max(void)
{
	return field();
}

/* ---- Operations ---- */

/* Have all gone who had come when `before` was read, in the bits given? */
static inline bool gone(struct ticket *l, uint64_t before, uint64_t bits)
{
	/* ORDER gone(2/2): the sections of those before us. */
	return !((rwi_load_acquire(gone, &l->completions) ^ before) & bits);
}

static inline void await_gone(struct ticket *l, uint64_t before, uint64_t bits)
{
	uint32_t looks = 0;

	while (!gone(l, before, bits)) {
		RWI_STEP("mellor_crummey_1991_ticket/waiting");
		rwi_look_again(&looks);
	}
}

static inline void leave(struct ticket *l, uint64_t one)
{
	/* ORDER gone(1/2): our section.  Readers have one too: their loads. */
	rwi_fetch_add_release(leave, &l->completions, one);
}

static void down_read(void *lock)
{
	struct ticket *l = lock;

	await_gone(l,
		   rwi_fetch_add_relaxed(down_read, &l->requests, one_reader()),
		   writers());
}

static void up_read(void *lock)
{
	leave(lock, one_reader());
}

static void down_write(void *lock)
{
	struct ticket *l = lock;

	await_gone(
	    l, rwi_fetch_add_relaxed(down_write, &l->requests, one_writer()),
	    all());
}

static void up_write(void *lock)
{
	leave(lock, one_writer());
}

/*
 * Requests first: if they still are what they were once all of them are known
 * to have gone, nobody else has come.
 */
static bool take_if_gone(struct ticket *l, uint64_t one, uint64_t bits)
{
	uint64_t before = rwi_load_relaxed(try, &l->requests);

	while (gone(l, before, bits)) {
		if (rwi_cas_relaxed(take, &l->requests, &before, before + one))
			return true;
	}
	return false;
}

static bool down_read_trylock(void *lock)
{
	return take_if_gone(lock, one_reader(), writers());
}

static bool down_write_trylock(void *lock)
{
	return take_if_gone(lock, one_writer(), all());
}

RWI_DEFINE_PAIRS(ticket, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_mellor_crummey_1991_ticket = {
	.name = "mellor-crummey-1991-ticket",
	.summary = "fair ticket lock: counts of who has come and who has gone",
	.origin = "Mellor-Crummey and Scott, PPoPP, April 1991",
	.file = "mellor_crummey_1991_ticket.c",
	.year = 1991,
	.traits = RWI_FIFO | RWI_FOREIGN_UP_READ | RWI_DESTROY_SAFE |
		  RWI_INLINED | RWI_SPINS | RWI_YIELDS,
	.lock_size = sizeof(struct ticket),
	.lock_align = _Alignof(struct ticket),
	.readers_max = readers_max,
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.down_read_trylock = down_read_trylock,
	.down_write_trylock = down_write_trylock,
	.read_pairs = ticket_read_pairs,
	.write_pairs = ticket_write_pairs,
};
