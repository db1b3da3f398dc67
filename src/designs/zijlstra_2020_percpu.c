/* SPDX-License-Identifier: MIT */
/*
 * zijlstra-2020-percpu: percpu_rw_semaphore as rewritten for Linux 5.7.
 *
 * Origin.  Peter Zijlstra, 2020 (commit 7f26482a872c and its neighbours), after
 * the percpu_rw_semaphore of Mikulas Patocka, 2012.  Used where the kernel
 * hardly ever writes: cgroups, CPU hotplug, freezing of file systems.
 *
 * Idea.  Readers count in a counter of their CPU, and while no writer is about
 * that is all: no fence, no other line.  A writer first makes readers careful
 * (rcu_sync), waits until all have noticed (a grace period), then closes the
 * gate (`block`) and waits until the counters add up to zero.  A careful reader
 * counts, fences, and looks at the gate; if it is closed it takes itself off
 * again and queues.  Whoever opens the gate acquires for those in the queue,
 * readers up to the first writer, as long as that succeeds.
 *
 * Word.  block: 0 open, 1 closed.  The state that readers look at:
 *
 *	IDLE -> ENTER -> PASSED -> EXIT -> IDLE
 *	          |         ^        |
 *	          '---------+--------'    a writer comes
 *
 *	IDLE    readers only count
 *	ENTER   they are told to be careful; some may not know yet
 *	PASSED  all know
 *	EXIT    no writer is about; writers that come now need not wait
 *
 * Limits.  2^32 readers.  256 semaphores of the four kinds that keep counters
 * by CPU; init fails with EAGAIN beyond.
 *
 * Costs.  A read pair in IDLE: two additions on a line of the CPU's own and two
 * looks at a line nobody writes; careful, two fences more.  A write pair adds
 * up 64 counters and, from IDLE, interrupts every CPU that runs the process.
 *
 * Wins.  Readers on many CPUs, and writers that are rare or come in bursts.
 *
 * Loses.  Writers one at a time among many readers, each of which pays for a
 * grace period and spoils the readers' fast path for a while.
 *
 * Here.  Preemption off made "is it IDLE? then count" one step that a grace
 * period waits for.  Here a reader counts first and looks then, and
 * membarrier(2) is the grace period: a reader either has counted before it or
 * sees ENTER.  In the same order it leaves.  Where the system has no
 * membarrier, readers are careful for ever.  The kernel's addition is one plain
 * instruction that no interrupt divides; portably that is an atomic addition
 * without order, on x86 some 20 cycles instead of one, and a fence besides.
 * Grace periods there take milliseconds, and another one leads back to IDLE
 * because readers in IDLE acquire nothing.  Here they do (it is free on x86),
 * so the way back needs no grace period; a burst of writers shares one all the
 * same, as EXIT lasts until 64 readers in turn met no writer: about what the
 * next grace period will cost.  The kernel has no waits to be given up here, no
 * try for writing and no downgrade, so neither has this.
 *
 * Repaired.  Nothing.  Mistakes to be made here: the counters are added up
 * before the gate is closed (zijlstra_2020_percpu.sums_first); a refused reader
 * takes itself off another counter than its own, so that the sum, which is no
 * snapshot, can be zero with a reader inside (.undoes_elsewhere); readers are
 * sent back to IDLE while another writer is about (.idle_too_early); a careful
 * reader leaves without a word to the waiting writer (.leaves_silently).
 */
#include "designs/design.h"
#include "designs/parts/percpu.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"

enum sync { IDLE, ENTER, PASSED, EXIT };
enum kind { READER, WRITER };
enum { CALM_READS = 64 };

struct percpu {
	uint32_t index;
	uint32_t sync; /* enum sync; changes under the lock */
	uint32_t block;
	uint32_t calm; /* in EXIT: readers that met no writer */
	struct rwi_spinlock lock;
	uint32_t writers;          /* are about, or wait */
	struct rwi_waiter *drain;  /* the writer that waits for readers */
	struct rwi_waitlist queue; /* who found the gate closed */
};

static const struct rwi_stay for_ever;

static uint32_t *counter(const struct percpu *l, uint32_t cpu)
{
	return rwi_cell(l->index, cpu % RWI_CPUS);
}

/* ---- The gate ---- */

/* Under the lock: let the waiting writer add up again. */
static void poke_locked(struct percpu *l)
{
	struct rwi_waiter *writer = rwi_load_relaxed(poke, &l->drain);

	if (writer)
		rwi_waiter_tell(writer);
}

/* After taking one off a counter: a writer may wait for that. */
static RWI_NOINLINE void poke(struct percpu *l)
{
	/*
	 * ORDER drain(1/2): our counter, then the writer; it does the reverse,
	 * so at least one sees the other.
	 */
	rwi_fence_seq_cst(poke);
	RWI_STEP("zijlstra_2020_percpu/poke");
	if (!rwi_load_relaxed(look, &l->drain))
		return;
	rwi_spin_lock(&l->lock);
	poke_locked(l);
	rwi_spin_unlock(&l->lock);
}

/*
 * We have counted, on `cpu`.  Is the gate open?  If not, take the count back:
 * there, for the writer's sum visits each counter once.
 */
static bool passes(struct percpu *l, uint32_t cpu)
{
	/*
	 * ORDER gate(1/2): our counter, then the gate; a writer does the
	 * reverse, so at least one sees the other.
	 */
	rwi_fence_seq_cst(count);
	/* ORDER open(2/2): the section of the writer that opened it. */
	if (!rwi_load_acquire(gate, &l->block))
		return true;
	RWI_STEP("zijlstra_2020_percpu/refused");
	if (RWI_BUG("zijlstra_2020_percpu.undoes_elsewhere"))
		cpu++;
	rwi_fetch_sub_relaxed(undo, counter(l, cpu), 1);
	return false;
}

/* Under the lock: acquire, for ourselves or for one in the queue. */
static bool take(struct percpu *l, uint32_t kind)
{
	const uint32_t cpu = rwi_this_cpu();

	if (kind == WRITER) {
		/* ORDER open(2/2): the section of the writer before. */
		return !rwi_load_relaxed(gate, &l->block) &&
		       !rwi_xchg_acquire(close, &l->block, 1);
	}
	rwi_fetch_add_relaxed(count, counter(l, cpu), 1);
	if (passes(l, cpu))
		return true;
	poke_locked(l);
	return false;
}

/* Acquire, but for the readers inside, or sleep until somebody has for us. */
static void take_or_queue(struct percpu *l, uint32_t kind)
{
	struct rwi_waiter self = { .kind = kind };
	bool taken;

	rwi_spin_lock(&l->lock);
	taken = take(l, kind);
	if (!taken)
		rwi_waitlist_append(&l->queue, &self);
	rwi_spin_unlock(&l->lock);
	RWI_STEP("zijlstra_2020_percpu/queued");
	if (!taken)
		rwi_waiter_sleep(&self, &for_ever);
}

/* ---- Readers ---- */

/* A careful reader is in, in EXIT: back to IDLE after a number of them. */
static void calm_down(struct percpu *l)
{
	if (rwi_fetch_add_relaxed(calm, &l->calm, 1) + 1 != CALM_READS)
		return;
	rwi_spin_lock(&l->lock);
	if (l->writers == 0) {
		/* ORDER idle(1/2): the sections of all writers so far. */
		rwi_store_release(idle, &l->sync, IDLE);
	}
	rwi_spin_unlock(&l->lock);
}

static RWI_NOINLINE bool careful(struct percpu *l, uint32_t cpu)
{
	if (!passes(l, cpu)) {
		poke(l);
		return false;
	}
	if (rwi_load_relaxed(exit, &l->sync) == EXIT)
		calm_down(l);
	return true;
}

static inline bool try_read(struct percpu *l)
{
	const uint32_t cpu = rwi_this_cpu();

	rwi_fetch_add_relaxed(count, counter(l, cpu), 1);
	/* The grace period is the fence between these two. */
	rwi_fence_compiler(look);
	/* ORDER idle(2/2): the sections of writers before. */
	return rwi_likely(rwi_load_acquire(sync, &l->sync) == IDLE) ||
	       careful(l, cpu);
}

static void down_read(void *lock)
{
	struct percpu *l = lock;

	if (rwi_unlikely(!try_read(l)))
		take_or_queue(l, READER);
}

static bool down_read_trylock(void *lock)
{
	return try_read(lock);
}

static void up_read(void *lock)
{
	struct percpu *l = lock;

	/* ORDER reader(1/2): the section's loads come before. */
	rwi_fetch_sub_release(leave, counter(l, rwi_this_cpu()), 1);
	rwi_fence_compiler(look);
	if (rwi_unlikely(rwi_load_relaxed(sync, &l->sync) != IDLE) &&
	    !RWI_BUG("zijlstra_2020_percpu.leaves_silently"))
		poke(l);
}

/* ---- Writers ---- */

/*
 * Make readers careful.  Writers that find ENTER do not wait for the grace
 * period of another but have one of their own.
 */
static void enter(struct percpu *l)
{
	uint32_t found;

	rwi_spin_lock(&l->lock);
	found = rwi_load_relaxed(enter, &l->sync);
	l->writers++;
	if (found == IDLE)
		rwi_store_relaxed(enter, &l->sync, ENTER);
	else if (found == EXIT)
		rwi_store_relaxed(again, &l->sync, PASSED);
	rwi_spin_unlock(&l->lock);
	if (found != IDLE && found != ENTER)
		return;
	RWI_STEP("zijlstra_2020_percpu/enter");
	if (!rwi_membarrier())
		rwi_panic("zijlstra-2020-percpu: membarrier stopped working");
	RWI_STEP("zijlstra_2020_percpu/passed");
	rwi_spin_lock(&l->lock);
	if (rwi_load_relaxed(passed, &l->sync) == ENTER)
		rwi_store_relaxed(passed, &l->sync, PASSED);
	rwi_spin_unlock(&l->lock);
}

static uint32_t sum(const struct percpu *l)
{
	uint32_t total = 0;

	for (uint32_t cpu = 0; cpu < RWI_CPUS; cpu++) {
		/* ORDER reader(2/2): the sections of readers that left. */
		total += rwi_load_acquire(sum, counter(l, cpu));
		RWI_STEP("zijlstra_2020_percpu/sum");
	}
	return total;
}

/* The gate is ours: wait until no reader is left inside. */
static void drain(struct percpu *l)
{
	struct rwi_waiter self = { .told = 0 };

	rwi_spin_lock(&l->lock);
	rwi_store_relaxed(drain, &l->drain, &self);
	rwi_spin_unlock(&l->lock);
	for (;;) {
		/*
		 * ORDER gate(2/2), ORDER drain(2/2): the gate and who waits,
		 * then the counters; readers do the reverse.
		 */
		rwi_fence_seq_cst(drain);
		if (sum(l) == 0)
			break;
		RWI_STEP("zijlstra_2020_percpu/drain");
		rwi_waiter_sleep(&self, &for_ever);
		/* Who told us before now is seen by the next sum. */
		rwi_spin_lock(&l->lock);
		rwi_waiter_rearm(&self);
		rwi_spin_unlock(&l->lock);
	}
	rwi_spin_lock(&l->lock);
	rwi_store_relaxed(drained, &l->drain, NULL);
	rwi_spin_unlock(&l->lock);
}

static void down_write(void *lock)
{
	struct percpu *l = lock;
	bool empty;

	enter(l);
	RWI_STEP("zijlstra_2020_percpu/close");
	empty = RWI_BUG("zijlstra_2020_percpu.sums_first") && sum(l) == 0;
	take_or_queue(l, WRITER);
	if (empty)
		return;
	/*
	 * ORDER gate(2/2): as in drain(), which is spared if nobody is inside.
	 */
	rwi_fence_seq_cst(closed);
	if (sum(l) != 0)
		drain(l);
}

/* Under the lock: acquire for those in the queue. */
static void admit(struct percpu *l, struct rwi_wake_queue *wakes)
{
	struct rwi_waiter *first;

	while ((first = l->queue.first) && take(l, first->kind)) {
		const bool last = first->kind == WRITER;

		rwi_waitlist_remove(&l->queue, first);
		rwi_wake_add(wakes, first);
		if (last)
			break;
	}
}

static void up_write(void *lock)
{
	struct percpu *l = lock;
	struct rwi_wake_queue wakes = { .count = 0 };

	/* ORDER open(1/2): the section. */
	rwi_store_release(open, &l->block, 0);
	RWI_STEP("zijlstra_2020_percpu/opened");
	rwi_spin_lock(&l->lock);
	admit(l, &wakes);
	l->writers--;
	if (RWI_BUG("zijlstra_2020_percpu.idle_too_early")) {
		rwi_store_relaxed(early, &l->sync, IDLE);
	} else if (l->writers == 0) {
		rwi_store_relaxed(calm, &l->calm, 0);
		rwi_store_relaxed(exit, &l->sync, EXIT);
	}
	rwi_spin_unlock(&l->lock);
	rwi_wake_up(&wakes);
}

static int init(void *lock)
{
	struct percpu *l = lock;

	*l = (struct percpu){ .sync = IDLE };
	if (!rwi_membarrier()) {
		/* A writer that never leaves keeps readers careful. */
		l->sync = PASSED;
		l->writers = 1;
	}
	return rwi_percpu_get(&l->index);
}

static void destroy(void *lock)
{
	struct percpu *l = lock;

	rwi_percpu_put(l->index);
}

RWI_DEFINE_PAIRS(percpu, down_read(lock), up_read(lock), down_write(lock),
		 up_write(lock))

const struct rwi_design rwi_design_zijlstra_2020_percpu = {
	.name = "zijlstra-2020-percpu",
	.summary = "percpu_rw_semaphore of Linux 5.7: readers without fences "
		   "while no writer is about",
	.origin = "Peter Zijlstra, Linux 5.7, 2020",
	.file = "zijlstra_2020_percpu.c",
	.year = 2020,
	.traits = RWI_FOREIGN_UP_READ,
	.lock_size = sizeof(struct percpu),
	.lock_align = _Alignof(struct percpu),
	.init = init,
	.destroy = destroy,
	.down_read = down_read,
	.up_read = up_read,
	.down_write = down_write,
	.up_write = up_write,
	.down_read_trylock = down_read_trylock,
	.read_pairs = percpu_read_pairs,
	.write_pairs = percpu_write_pairs,
};
