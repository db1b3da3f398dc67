/* SPDX-License-Identifier: MIT */
/*
 * howells-2001-xadd, howells-2001-xadd-c: one atomic addition a call.
 *
 * Origin.  David Howells, Linux 2.4.4 (April 2001), include/asm-i386/rwsem.h
 * and lib/rwsem.c; in the form of his "optimisations try #4", 25 April.  The
 * first design has its fast paths in x86-64 assembly, compiled into the caller
 * as there; the second is the same through the compiler's atomics.
 *
 * Idea.  One word has both what is inside and who waits, and an addition that
 * returns the value (xadd) is a whole operation as long as nobody has to wait.
 * Who must wait corrects its entry under a spinlock, queues, and is handed the
 * lock later.
 *
 * Word.
 *
 *	63                     32 31                0
 *	[ -(writer + waiters)    ][ active lockers   ]
 *
 * Active are the holders, and for a moment everybody who has just arrived.  A
 * reader adds 1 and is in unless the sum is negative.  A writer adds 1 and a
 * share of the upper half and is in if the word was 0.  A waiter takes its 1
 * back and keeps a share of its own until it is granted the lock.
 *
 * Whoever takes the lower half to 0 while somebody waits sees to the queue;
 * that can be several at once.  So a waker claims first: it adds 1, and may
 * grant only if the lower half was 0.  Otherwise it takes the 1 back, and if
 * that made the half 0, the duty is its own again: it retries.  The readers at
 * the head get in with one addition, before the first of them is woken.
 *
 * Limits.  Half of the lower half are holders, 2^31 - 1, and the rest is left
 * to threads that have just arrived; 2^31 waiters.  (On i386 the halves had 16
 * bits: 65535 active, 32766 waiting.)  A wait is bounded by the sections of
 * those that queued before, adjacent readers counting as one.
 *
 * Costs.  Two atomic additions a pair without contention.  With it, both sides
 * take the spinlock, and each operation changes the word three or four times.
 *
 * Wins.  Without contention, against everything of its year: in the message of
 * 22 April 2001 16.9 million reads by one reader, 15.2 of arcangeli-2001, 13.1
 * of howells-2001-spinlock; one writer 15.4, 14.7, 12.6.
 *
 * Loses.  When many block, since the word is changed again and again: four
 * writers 0.82 million against 1.78 and 1.35 there.
 *
 * Here.  x86's locked additions order everything; the C form asks for acquire,
 * release and, on the way to the queue, nothing more.  Otherwise as under
 * howells-2001-spinlock.  Tries and downgrade are of later kernels; waits that
 * can be given up never were part of this form.
 *
 * Repaired.  Kept as variants that the tests must catch:
 *	howells_2001_xadd.wake_without_claim	two wakers grant the lock to
 *		two waiters (2.4.4-pre4: up_write woke whoever was active)
 *	howells_2001_xadd.no_retry	a holder leaves during the claim, the
 *		waker takes its claim back, and nobody sees to the queue
 *	howells_2001_xadd.share_kept_for_nobody	a release keeps its active
 *		share for the head of the queue, as tries 2 and 3 did, when
 *		another waker has emptied the queue
 */
#include "designs/design.h"
#include "designs/parts/halves.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"
#include "port/port.h"

enum kind { READER, WRITER };

struct sem {
	int64_t count;
	struct rwi_spinlock wait_lock;
	struct rwi_waitlist queue;
};

/* ---- The queue, under wait_lock ---- */

/* Make the lower half ours, if nobody is active. */
static bool claim(struct sem *l)
{
	int64_t old;

	do {
		/* ORDER hold(2/2): all sections, for those we grant to. */
		old = rwi_fetch_add_acquire(claim, &l->count, 1);
		RWI_STEP("howells_2001_xadd/claimed");
		if (!rwi_halves_active(old))
			return true;
		if (RWI_BUG("howells_2001_xadd.wake_without_claim"))
			return true;
		old = rwi_fetch_sub_relaxed(unclaim, &l->count, 1);
	} while (rwi_halves_active(old) == 1 &&
		 !RWI_BUG("howells_2001_xadd.no_retry"));
	return false;
}

/* Grant the lock to the readers at the head; `claimed` of them are counted. */
static void grant_readers(struct sem *l, int64_t claimed)
{
	struct rwi_waiter *reader;
	int64_t n = 0;

	for (reader = l->queue.first; reader && reader->kind == READER;
	     reader = reader->next)
		n++;
	if (!n)
		return;
	rwi_fetch_add_relaxed(grant, &l->count,
			      n * (1 - rwi_halves_share()) - claimed);
	while (n--) {
		reader = l->queue.first;
		rwi_waitlist_remove(&l->queue, reader);
		rwi_waiter_tell(reader);
		RWI_STEP("howells_2001_xadd/reader_told");
	}
}

/* The queue is not empty. */
static void grant(struct sem *l)
{
	struct rwi_waiter *head = l->queue.first;

	if (!claim(l))
		return;
	if (head->kind == READER) {
		grant_readers(l, 1);
		return;
	}
	rwi_waitlist_remove(&l->queue, head);
	rwi_waiter_tell(head);
}

/* ---- Slow paths ---- */

static RWI_NOINLINE void wait_as(struct sem *l, enum kind kind)
{
	static const struct rwi_stay for_ever;
	const int64_t change = kind == READER ? rwi_halves_share() - 1 : -1;
	struct rwi_waiter self = { .kind = kind };
	int64_t count;

	RWI_STEP("howells_2001_xadd/arrived");
	rwi_spin_lock(&l->wait_lock);
	rwi_waitlist_append(&l->queue, &self);
	count = rwi_fetch_add_relaxed(wait, &l->count, change) + change;
	if (!rwi_halves_active(count))
		grant(l);
	rwi_spin_unlock(&l->wait_lock);
	RWI_STEP("howells_2001_xadd/queued");
	rwi_waiter_sleep(&self, &for_ever);
}

/* The lower half went to 0 while somebody waited. */
static RWI_NOINLINE void wake(struct sem *l)
{
	RWI_STEP("howells_2001_xadd/released");
	rwi_spin_lock(&l->wait_lock);
	if (l->queue.first)
		grant(l);
	else if (RWI_BUG("howells_2001_xadd.share_kept_for_nobody"))
		rwi_fetch_add_relaxed(keep, &l->count, 1);
	rwi_spin_unlock(&l->wait_lock);
}

/* Readers may come in beside us, who read. */
static RWI_NOINLINE void wake_readers(struct sem *l)
{
	rwi_spin_lock(&l->wait_lock);
	grant_readers(l, 0);
	rwi_spin_unlock(&l->wait_lock);
}

/* ---- Operations without a fast path of their own ---- */

static bool down_read_trylock(void *lock)
{
	struct sem *l = lock;
	int64_t count = rwi_load_relaxed(look, &l->count);

	while (count >= 0) {
		/* ORDER hold(2/2): the last writer's section. */
		if (rwi_cas_acquire(take, &l->count, &count, count + 1))
			return true;
	}
	return false;
}

static bool down_write_trylock(void *lock)
{
	struct sem *l = lock;
	int64_t free = 0;

	/* ORDER hold(2/2): all sections before. */
	return rwi_cas_acquire(take, &l->count, &free, rwi_halves_share() + 1);
}

static void downgrade_write(void *lock)
{
	const int64_t share = rwi_halves_share();
	struct sem *l = lock;
	int64_t old;

	/* ORDER hold(1/2): our section, for readers. */
	old = rwi_fetch_sub_release(downgrade, &l->count, share);
	RWI_STEP("howells_2001_xadd/downgraded");
	if (old < share)
		wake_readers(l);
}

/*
 * ---- Fast paths ----
 *
 * A form is four functions on the word: must a reader wait, must a writer,
 * and is the queue the affair of one who released?
 */

/* ORDER hold(2/2): the last writer's section. */
static inline bool c_reader_waits(int64_t *count)
{
	return rwi_fetch_add_acquire(down_read, count, 1) + 1 < 0;
}

/* ORDER hold(2/2): all sections before. */
static inline bool c_writer_waits(int64_t *count)
{
	const int64_t mine = rwi_halves_share() + 1;

	return rwi_fetch_add_acquire(down_write, count, mine) != 0;
}

/* ORDER hold(1/2): our section comes before the next writer's. */
static inline bool c_reader_wakes(int64_t *count)
{
	const int64_t left = rwi_fetch_sub_release(up_read, count, 1) - 1;

	return left < 0 && !rwi_halves_active(left);
}

/* ORDER hold(1/2): our section, for whoever comes next. */
static inline bool c_writer_wakes(int64_t *count)
{
	const int64_t mine = rwi_halves_share() + 1;
	const int64_t left =
	    rwi_fetch_sub_release(up_write, count, mine) - mine;

	return left && !rwi_halves_active(left);
}

#if defined __x86_64__

/* Locked operations are full fences: ORDER hold(1/2) and ORDER hold(2/2). */
static inline bool asm_reader_waits(int64_t *count)
{
	bool waits;

	__asm__ volatile("lock incq %0"
			 : "+m"(*count), "=@ccs"(waits)
			 :
			 : "memory");
	return waits;
}

static inline bool asm_writer_waits(int64_t *count)
{
	int64_t old = rwi_halves_share() + 1;

	__asm__ volatile("lock xaddq %1, %0"
			 : "+m"(*count), "+r"(old)
			 :
			 : "memory", "cc");
	return old != 0;
}

static inline bool asm_reader_wakes(int64_t *count)
{
	int64_t old = -1;
	bool negative;

	__asm__ volatile("lock xaddq %1, %0"
			 : "+m"(*count), "+r"(old), "=@ccs"(negative)
			 :
			 : "memory");
	return negative && rwi_halves_active(old) == 1;
}

static inline bool asm_writer_wakes(int64_t *count)
{
	const int64_t mine = rwi_halves_share() + 1;
	int64_t old = -mine;
	bool company;

	__asm__ volatile("lock xaddq %1, %0"
			 : "+m"(*count), "+r"(old), "=@ccnz"(company)
			 :
			 : "memory");
	return company && rwi_halves_active(old) == 1;
}

#endif

#define DEFINE_FORM(form)                                                      \
	static inline void form##_down_read(void *lock)                        \
	{                                                                      \
		struct sem *l = lock;                                          \
                                                                               \
		if (rwi_unlikely(form##_reader_waits(&l->count)))              \
			wait_as(l, READER);                                    \
	}                                                                      \
	static inline void form##_up_read(void *lock)                          \
	{                                                                      \
		struct sem *l = lock;                                          \
                                                                               \
		if (rwi_unlikely(form##_reader_wakes(&l->count)))              \
			wake(l);                                               \
	}                                                                      \
	static inline void form##_down_write(void *lock)                       \
	{                                                                      \
		struct sem *l = lock;                                          \
                                                                               \
		if (rwi_unlikely(form##_writer_waits(&l->count)))              \
			wait_as(l, WRITER);                                    \
	}                                                                      \
	static inline void form##_up_write(void *lock)                         \
	{                                                                      \
		struct sem *l = lock;                                          \
                                                                               \
		if (rwi_unlikely(form##_writer_wakes(&l->count)))              \
			wake(l);                                               \
	}                                                                      \
	RWI_DEFINE_PAIRS(form, form##_down_read(lock), form##_up_read(lock),   \
			 form##_down_write(lock), form##_up_write(lock))

/*
 * Arrivals count as active until they have queued; there is as much room for
 * them as for holders.
 */
static uint64_t readers_max(void)
{
	return (UINT64_C(1) << (rwi_tunable(count_bits) - 1)) - 1;
}

#define FORM(form)                                                             \
	.origin = "David Howells, Linux 2.4.4, April 2001",                    \
	.file = "howells_2001_xadd.c", .year = 2001,                           \
	.lock_size = sizeof(struct sem), .lock_align = _Alignof(struct sem),   \
	.readers_max = readers_max, .down_read = form##_down_read,             \
	.up_read = form##_up_read, .down_write = form##_down_write,            \
	.up_write = form##_up_write, .down_read_trylock = down_read_trylock,   \
	.down_write_trylock = down_write_trylock,                              \
	.downgrade_write = downgrade_write, .read_pairs = form##_read_pairs,   \
	.write_pairs = form##_write_pairs
#define TRAITS (RWI_FIFO | RWI_BOUNDED | RWI_FOREIGN_UP_READ | RWI_INLINED)

#if defined __x86_64__
DEFINE_FORM(asm)

const struct rwi_design rwi_design_howells_2001_xadd = {
	.name = "howells-2001-xadd",
	.summary = "one locked addition a call, in assembly; fair, handed over",
	.traits = TRAITS | RWI_NATIVE_ONLY,
	FORM(asm),
};
#endif

DEFINE_FORM(c)

const struct rwi_design rwi_design_howells_2001_xadd_c = {
	.name = "howells-2001-xadd-c",
	.summary = "one atomic addition a call; fair, handed over",
	.traits = TRAITS,
	.owes = { { "howells-2001-xadd", "all but the assembly" } },
	FORM(c),
};
