/* SPDX-License-Identifier: MIT */
/*
 * piggin-2005: an array of semaphores, one for each CPU.
 *
 * Origin.  Nick Piggin, linux-kernel, September 2005, a patch in reply to the
 * first big reader semaphore: what can be had from the semaphores there are?
 *
 * Idea.  A reader takes the semaphore of the CPU where it is and keeps a token
 * that says which; it releases that one, wherever it is by then.  A writer
 * takes all of them, in order, so that two writers cannot each have what the
 * other needs.  Readers on different CPUs share no cache line.
 *
 * Word.  None of its own.  An element of the array is a fair semaphore:
 *
 *	[ lock | readers, or -1 for a writer | queue: first, last ]
 *
 * Limits.  Those of the elements: 2^31 readers on each CPU.  Four read holds of
 * a thread on one semaphore.  256 semaphores of the four kinds that keep
 * something by CPU; init fails with EAGAIN beyond.
 *
 * Costs.  A read pair is a pair on an element whose line the CPU nearly always
 * has, and the token.  A write pair is 64 pairs on elements, each the only one
 * to know whether it must wait: a writer that waits for a reader on the last
 * CPU keeps readers out on all others meanwhile.
 *
 * Wins.  Readers on many CPUs; little code; and as each element is fair, so is
 * the array, in that everybody waits for a bounded number of others.  (It is
 * not first come, first served: a writer half-way through has not come yet
 * where a later reader asks.)
 *
 * Loses.  Writers, by the number of CPUs.  A hold cannot be given to another
 * thread that lacks the token, which was Heo's objection.  Readers that come on
 * one CPU and leave on others carry lines to and fro.
 *
 * Here.  down_read() returned the token.  Our operations have no room for it,
 * so it stays with the thread, in a table by semaphore, and a release by a
 * thread without it is a fault that is reported.  That trait, a read hold that
 * another releases, is therefore absent.  The elements are of
 * the same kind as the semaphores of 2005 that needed no machine code: a count
 * and a queue under a lock, with the hold passed on directly.  There are 64,
 * and CPUs beyond share them.  Tries are what the elements have; a try for
 * writing that fails half-way may refuse a reader's try that it met.
 *
 * Repaired.  Nothing was known to be wrong.  Mistakes to be made here: a
 * release goes by the CPU and not by the token, as if the thread had moved
 * (piggin_2005.releases_elsewhere); writers take the elements in different
 * orders (piggin_2005.no_order).
 */
#include "designs/design.h"
#include "designs/parts/element.h"
#include "designs/parts/percpu.h"

struct array {
	uint32_t index;
};

_Static_assert(sizeof(struct rwi_element) <= RWI_CELL_BYTES, "fits a cell");
_Static_assert(RWI_CPUS < UINT8_MAX, "a token fits a byte");

/*
 * Which elements this thread holds for reading, by index: a byte for each, the
 * number plus one, the last in the lowest byte.
 */
static _Thread_local uint32_t tokens[RWI_PERCPU_LOCKS];

static void keep_token(uint32_t index, uint32_t cpu)
{
	if (tokens[index] >> 24)
		rwi_panic("piggin-2005: more than four read holds of a thread");
	tokens[index] = tokens[index] << 8 | (cpu + 1);
}

static uint32_t take_token(uint32_t index)
{
	const uint32_t token = tokens[index] & UINT8_MAX;

	if (!token)
		rwi_panic("piggin-2005: a read hold released without a token");
	tokens[index] >>= 8;
	return token - 1;
}

static struct rwi_element *element(const struct array *l, uint32_t number)
{
	return rwi_cell(l->index, number % RWI_CPUS);
}

static void down_read(void *lock)
{
	struct array *l = lock;
	const uint32_t cpu = rwi_this_cpu();

	rwi_element_down(element(l, cpu), RWI_AS_READER);
	keep_token(l->index, cpu);
}

static bool down_read_trylock(void *lock)
{
	struct array *l = lock;
	const uint32_t cpu = rwi_this_cpu();

	if (!rwi_element_trylock(element(l, cpu), RWI_AS_READER))
		return false;
	keep_token(l->index, cpu);
	return true;
}

static void up_read(void *lock)
{
	struct array *l = lock;
	uint32_t cpu = take_token(l->index);

	if (RWI_BUG("piggin_2005.releases_elsewhere"))
		cpu++;
	rwi_element_up(element(l, cpu));
}

static void down_write(void *lock)
{
	struct array *l = lock;
	/* The variant: every other thread begins in the middle. */
	const uint32_t first =
	    RWI_BUG("piggin_2005.no_order") && rwi_thread_id() % 2
		? RWI_CPUS / 2
		: 0;

	for (uint32_t i = 0; i < RWI_CPUS; i++) {
		RWI_STEP("piggin_2005/next");
		rwi_element_down(element(l, first + i), RWI_AS_WRITER);
	}
}

/* Release the first `count`. */
static void release(const struct array *l, uint32_t count)
{
	for (uint32_t cpu = 0; cpu < count; cpu++) {
		RWI_STEP("piggin_2005/release");
		rwi_element_up(element(l, cpu));
	}
}

static bool down_write_trylock(void *lock)
{
	struct array *l = lock;

	for (uint32_t cpu = 0; cpu < RWI_CPUS; cpu++) {
		if (!rwi_element_trylock(element(l, cpu), RWI_AS_WRITER)) {
			release(l, cpu);
			return false;
		}
	}
	return true;
}

static void up_write(void *lock)
{
	release(lock, RWI_CPUS);
}

static int init(void *lock)
{
	struct array *l = lock;

	return rwi_percpu_get(&l->index);
}

static void destroy(void *lock)
{
	struct array *l = lock;

	rwi_percpu_put(l->index);
}

RWI_DEFINE_PAIRS(piggin, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_piggin_2005 = {
	.name = "piggin-2005",
	.summary = "a fair semaphore for each CPU: readers take one, writers "
		   "take all",
	.origin = "Nick Piggin, linux-kernel, September 2005",
	.file = "piggin_2005.c",
	.owes = { { "heo-2005-v1", "readers that share no cache line" },
		  { "howells-2001-spinlock",
		    "the element: a count and a queue under a lock" } },
	.year = 2005,
	.traits = RWI_BOUNDED,
	.lock_size = sizeof(struct array),
	.lock_align = _Alignof(struct array),
	.init = init,
	.destroy = destroy,
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.down_read_trylock = down_read_trylock,
	.down_write_trylock = down_write_trylock,
	.read_pairs = piggin_read_pairs,
	.write_pairs = piggin_write_pairs,
};
