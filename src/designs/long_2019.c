/* SPDX-License-Identifier: MIT */
/*
 * long-2019, long-2020: a hand-off bit, an owner word, and who may spin.
 *
 * Origin.  Waiman Long, "locking/rwsem: Rwsem rearchitecture", v8 of 20 May
 * 2019, merged in Linux 5.3; and his series of November 2020, merged in 5.11,
 * with the corrections made up to January 2023.
 *
 * Idea.  A word of flags and a count of readers in place of biases that add
 * up, so that each state can be read off.  Whoever comes may pass those who
 * wait, for that is fast; but a first waiter who was passed for 4 ms sets
 * HANDOFF, and then nobody passes.  5.3 lets readers spin too, on writers and
 * on other readers, and writers for a limited time on readers; 5.11 has no
 * reader spin, since that cuts groups of readers into pieces: instead a reader
 * who finds the lock free takes it although others wait, and brings in the
 * readers at the head of the queue.
 *
 * Word.
 *
 *	63 ... 40   39 ... 8    7 ... 3      2          1         0
 *	[READFAIL] [ readers ] [       ] [HANDOFF] [WAITERS] [ WRITER ]
 *
 * A reader adds 1 to `readers` and is in unless it finds a flag.  A writer
 * swaps 0 for WRITER.  WAITERS means that the queue is not empty, HANDOFF that
 * its first has been promised the lock; both change under wait_lock only.
 *
 * A second word has the owner: the last thread that acquired, whether that was
 * a reader (who leaves it behind), and whether spinning on readers has proved
 * useless.  Nobody relies on it but spinners.
 *
 * Readers are granted the lock, all in the queue together, up to 256; counted
 * first and told then.  A first writer is told to try again.
 *
 * Limits.  2^32 - 1 read holds (2^55 there); the reader too many waits until
 * all have left.  In long-2020 a waiter waits for those before it, 4 ms and
 * some sections each.  In long-2019 readers who spin can keep a queued writer
 * out for ever: HANDOFF is set by a writer who has been woken, and while
 * readers overlap nobody wakes it.
 *
 * Costs.  An atomic operation on either side of a hold, and a store to the
 * owner; asleep, two more under wait_lock.
 *
 * Wins.  Short sections, readers against writers: in the series, 2 threads did
 * 1759 thousand operations a second before writers spun on readers and 6684
 * after, 8 threads 1074 and 7222.  And evenness: of 240 writers with sections
 * of 5 us each did 1 to 173696 without the hand-off, 5842 to 7458 with it.
 *
 * Loses.  To the same without hand-off in bulk (16 % of those writers' mean);
 * and with long read sections among writers (long-2020), for readers who steal
 * keep the first writer waiting up to 4 ms each time.
 *
 * Here.  A spinner sees neither need_resched() nor on_cpu, so it has a budget
 * of time in all (parts/spin.h), and there are no real-time waiters.  A thread
 * can lose its CPU between the word and the owner, which the kernel prevents:
 * the owner may be nobody for long, so no wait on that is without bound; and a
 * reader that takes its count back wakes as if it left, for it may be long
 * until it looks at the queue.
 *
 * Repaired.  Named broken variants of what once was wrong:
 *	long_2019.handoff_left: HANDOFF stays when its waiter gives up
 *	long_2019.handoff_taken_twice: subtracted by one who only set it
 *	long_2019.counted_late: readers are told first and counted then
 *	long_2019.follower_spins: a later waiter spins in place of the first
 *	long_2019.waiters_left: WAITERS stays when the last waiter gives up
 *	long_2019.waiters_lost: one who gives up clears it for all
 *	long_2019.leaves_quietly: a first one gives up and wakes nobody behind
 *	long_2019.spins_on_nobody: without bound while there is no owner
 *	long_2019.woken_before_told: the wake-up comes first and is used up
 *	long_2019.one_too_many: an empty queue admits a reader past the limit
 */
#include "designs/design.h"
#include "designs/parts/osq.h"
#include "designs/parts/spin.h"
#include "designs/parts/spinlock.h"
#include "designs/parts/waitlist.h"
#include "port/port.h"

#define WRITER         (UINT64_C(1) << 0)
#define WAITERS        (UINT64_C(1) << 1)
#define HANDOFF        (UINT64_C(1) << 2)
#define READER         (UINT64_C(1) << 8)
#define LOCKED         (WRITER | ~(READER - 1))

/* In the owner word, above thread and CPU. */
#define READER_OWNED   (UINT64_C(1) << 61)
#define NO_WRITER_SPIN (UINT64_C(1) << 62)
#define NO_READER_SPIN (UINT64_C(1) << 63)
#define OWNER_FLAGS    (READER_OWNED | NO_WRITER_SPIN | NO_READER_SPIN)

/* What a waiter is: a sum. */
enum { READ = 0, WRITE = 1, OWED = 2, MARKED = 4 };

enum { GRANT_MAX = 256 };

enum version { V5_3, V5_11 };

/* Whom to wake: the first, whatever it is; only readers, and we read. */
enum whom { ANY, READERS, BESIDE_US };

struct sem {
	uint64_t count;
	uint64_t owner;
	struct rwi_osq spinners;
	struct rwi_spinlock wait_lock;
	struct rwi_waitlist queue;
};

static uint64_t readers_max(void)
{
	return (UINT64_C(1) << rwi_tunable(count_bits)) - 1;
}

/* READFAIL, and what the field could overflow into after it. */
static uint64_t read_fail(void)
{
	return ~((readers_max() + 1) * READER - 1);
}

static uint64_t readers_in(uint64_t count)
{
	return count / READER;
}

/* How many more could read? */
static uint64_t room(uint64_t count)
{
	const uint64_t in = readers_in(count);

	return in < readers_max() ? readers_max() - in : 0;
}

/* ---- The owner: a hint ---- */

static void own_for_writing(struct sem *l, uint64_t flags)
{
	rwi_store_relaxed(writer, &l->owner, rwi_owner_self() | flags);
}

/* What has been found out about spinning on readers stays true. */
static void own_for_reading(struct sem *l)
{
	const uint64_t kept = rwi_load_relaxed(kept, &l->owner) &
			      (NO_WRITER_SPIN | NO_READER_SPIN);

	rwi_store_relaxed(reader, &l->owner,
			  rwi_owner_self() | READER_OWNED | kept);
}

/* The readers who took too long have left. */
static void let_writers_spin(struct sem *l)
{
	if (rwi_load_relaxed(look, &l->owner) & NO_WRITER_SPIN)
		rwi_fetch_and_relaxed(let, &l->owner, ~NO_WRITER_SPIN);
}

/* Unless a writer owns the lock by now. */
static void let_nobody_spin(struct sem *l)
{
	uint64_t owner = rwi_load_relaxed(look, &l->owner);

	while (owner & READER_OWNED &&
	       !rwi_cas_relaxed(forbid, &l->owner, &owner,
				owner | NO_WRITER_SPIN | NO_READER_SPIN))
		;
}

/* ---- Waking, under wait_lock ---- */

static bool waited_long(const struct rwi_waiter *waiter)
{
	return rwi_now_ns() - waiter->since_ns >= rwi_tunable(wait_timeout_ns);
}

/*
 * Count the first reader in before anything else, so that no writer can come.
 * False if one has, and then its release sees to the queue again; or if there
 * is no room, and then the last reader's does.
 */
static bool claim(struct sem *l, struct rwi_waiter *head)
{
	for (;;) {
		/* ORDER hold(2/2): the last writer's section. */
		const uint64_t old =
		    rwi_fetch_add_acquire(claim, &l->count, READER);
		uint64_t change = -READER, left;

		if (!(old & WRITER) && room(old))
			return true;
		RWI_STEP("long_2019/refused");
		if (old & WRITER && !(old & HANDOFF) && waited_long(head)) {
			change += HANDOFF;
			head->kind |= OWED;
			rwi_event(handoff, l);
		}
		left = rwi_fetch_add_relaxed(unclaim, &l->count, change);
		/* Who left meanwhile took us for a reader and woke nobody. */
		if (old & WRITER || (left - READER) & LOCKED)
			return false;
	}
}

/* The readers in the queue, up to `most`.  *all: and nobody else waits. */
static uint64_t count_readers(const struct sem *l, uint64_t most, bool *all)
{
	uint64_t n = 0;

	*all = true;
	for (const struct rwi_waiter *w = l->queue.first; w; w = w->next) {
		if (w->kind & WRITE || n == most)
			*all = false;
		else
			n++;
	}
	return n;
}

/* Count n readers in, of whom `claimed` are already; at most as fit. */
static uint64_t count_in(struct sem *l, uint64_t claimed)
{
	uint64_t old = rwi_load_relaxed(look, &l->count), n, next;
	bool all;

	do {
		uint64_t most = room(old) + claimed;

		most = most < GRANT_MAX ? most : GRANT_MAX;
		n = count_readers(l, most, &all);
		if (!n)
			return 0;
		next = (old + (n - claimed) * READER) & ~HANDOFF;
		if (all)
			next &= ~WAITERS;
	} while (!rwi_cas_relaxed(grant, &l->count, &old, next));
	return n;
}

static void tell_readers(struct sem *l, uint64_t n, struct rwi_wake_queue *wake)
{
	struct rwi_waiter *w, *next;

	for (w = l->queue.first; n; w = next) {
		next = w->next;
		if (w->kind & WRITE)
			continue;
		n--;
		rwi_waitlist_remove(&l->queue, w);
		rwi_event(grant, l);
		if (RWI_BUG("long_2019.woken_before_told"))
			rwi_store_relaxed(late, &w->told, 1);
		else
			rwi_wake_add(wake, w);
		RWI_STEP("long_2019/told");
	}
}

/* The first in the queue is a reader, and readers may come in. */
static void grant_readers(struct sem *l, uint64_t claimed,
			  struct rwi_wake_queue *wake)
{
	const bool late = RWI_BUG("long_2019.counted_late");
	uint64_t n;
	bool all;

	own_for_reading(l);
	if (late) {
		n = count_readers(l, GRANT_MAX, &all);
		tell_readers(l, n, wake);
		rwi_wake_up(wake);
	} else {
		n = count_in(l, claimed);
	}
	if (RWI_BUG("long_2019.woken_before_told"))
		rwi_unpark(&l->queue.first->told, 1, RWI_CLASS_ANY);
	RWI_STEP("long_2019/granted");
	if (late) {
		rwi_fetch_add_relaxed(late, &l->count, (n - claimed) * READER);
		rwi_fetch_and_relaxed(late, &l->count,
				      ~(HANDOFF | (all ? WAITERS : 0)));
	} else {
		tell_readers(l, n, wake);
	}
}

/* The queue is not empty. */
static void wake_first(struct sem *l, enum whom whom,
		       struct rwi_wake_queue *wake)
{
	struct rwi_waiter *head = l->queue.first;

	if (head->kind & WRITE) {
		if (whom == ANY)
			rwi_wake_add(wake, head);
	} else if (whom == BESIDE_US) {
		grant_readers(l, 0, wake);
	} else if (claim(l, head)) {
		grant_readers(l, 1, wake);
	}
}

/* Without wait_lock. */
static RWI_NOINLINE void wake(struct sem *l, enum whom whom)
{
	struct rwi_wake_queue wake = { .count = 0 };

	RWI_STEP("long_2019/wake");
	rwi_spin_lock(&l->wait_lock);
	if (l->queue.first)
		wake_first(l, whom, &wake);
	rwi_spin_unlock(&l->wait_lock);
	RWI_STEP("long_2019/wake_up");
	rwi_wake_up(&wake);
}

/* ---- Releases ---- */

static inline void up_read_(struct sem *l)
{
	/* ORDER hold(1/2): our section comes before the next writer's. */
	const uint64_t left =
	    rwi_fetch_sub_release(up_read, &l->count, READER) - READER;

	if (rwi_unlikely((left & (LOCKED | WAITERS)) == WAITERS)) {
		let_writers_spin(l);
		wake(l, ANY);
	}
}

static inline void up_write_(struct sem *l)
{
	rwi_store_relaxed(nobody, &l->owner, 0);
	/* ORDER hold(1/2): our section, for whoever comes next. */
	if (rwi_unlikely(rwi_fetch_sub_release(up_write, &l->count, WRITER) &
			 WAITERS))
		wake(l, ANY);
}

static void downgrade_write(void *lock)
{
	struct sem *l = lock;
	/* ORDER hold(1/2): our section, for readers. */
	const uint64_t old =
	    rwi_fetch_add_release(downgrade, &l->count, READER - WRITER);

	RWI_STEP("long_2019/downgraded");
	own_for_reading(l);
	if (old & WAITERS)
		wake(l, BESIDE_US);
}

/* ---- Spinning before queueing ---- */

enum ownership { NOBODY, ONE_WRITER, SOME_READERS, NO_USE };

static enum ownership ownership(uint64_t owner, uint64_t forbidden)
{
	if (owner & forbidden)
		return NO_USE;
	if (owner & READER_OWNED)
		return SOME_READERS;
	return owner ? ONE_WRITER : NOBODY;
}

/* Look on while one writer has the lock. */
static enum ownership spin_on_owner(struct sem *l, uint64_t forbidden,
				    struct rwi_spin *spin)
{
	uint64_t owner = rwi_load_relaxed(first, &l->owner), now;

	for (;;) {
		if (ownership(owner, forbidden) != ONE_WRITER)
			return ownership(owner, forbidden);
		if (!rwi_owner_may_run(owner & ~OWNER_FLAGS) ||
		    !rwi_spin_on(spin))
			return NO_USE;
		now = rwi_load_relaxed(again, &l->owner);
		if (now != owner)
			return ownership(now, forbidden);
	}
}

static bool steal_for_writing(struct sem *l)
{
	uint64_t count = rwi_load_relaxed(look, &l->count);

	while (!(count & (LOCKED | HANDOFF))) {
		/* ORDER hold(2/2): all sections before. */
		if (rwi_cas_acquire(steal, &l->count, &count, count | WRITER)) {
			RWI_STEP("long_2019/stolen");
			own_for_writing(l, 0);
			return true;
		}
	}
	return false;
}

static bool steal_for_reading(struct sem *l)
{
	const uint64_t bars = WRITER | HANDOFF | read_fail();
	uint64_t count = rwi_load_relaxed(look, &l->count) + READER;

	if (count & bars)
		return false;
	/* ORDER hold(2/2): the last writer's section. */
	count = rwi_fetch_add_acquire(steal, &l->count, READER) + READER;
	if (!(count & bars)) {
		own_for_reading(l);
		return true;
	}
	up_read_(l);
	return false;
}

/*
 * How long a writer looks on while readers come and go: longer for more of
 * them, and not again until they have left once.
 */
static bool patient_with_readers(struct sem *l, struct rwi_spin *phase,
				 enum ownership before)
{
	enum { BASE_NS = 10000, READER_NS = 500, READERS_COUNTED = 30 };
	const uint32_t most_ns = rwi_tunable(optimistic_spin_ns);
	uint64_t readers;
	uint32_t ns;

	if (before == SOME_READERS) {
		if (rwi_spin_on(phase))
			return true;
		let_nobody_spin(l);
		return false;
	}
	readers = readers_in(rwi_load_relaxed(readers, &l->count));
	if (readers > READERS_COUNTED)
		readers = READERS_COUNTED;
	ns = BASE_NS + (uint32_t)readers * READER_NS;
	return rwi_spin_start(phase, ns < most_ns ? ns : most_ns);
}

static bool spin_in_turn(struct sem *l, uint32_t kind, struct rwi_spin *spin)
{
	const uint64_t forbidden =
	    kind == WRITE ? NO_WRITER_SPIN : NO_READER_SPIN;
	enum ownership before = NOBODY, now;
	struct rwi_spin phase;

	while ((now = spin_on_owner(l, forbidden, spin)) != NO_USE) {
		if (kind == WRITE ? steal_for_writing(l) : steal_for_reading(l))
			return true;
		if (kind == WRITE && now == SOME_READERS &&
		    !patient_with_readers(l, &phase, before))
			return false;
		if (!rwi_spin_on(spin) &&
		    !(now == NOBODY && RWI_BUG("long_2019.spins_on_nobody")))
			return false;
		before = now;
	}
	return false;
}

static bool may_spin(struct sem *l, uint32_t kind, const struct rwi_stay *stay,
		     struct rwi_spin *spin)
{
	const uint64_t owner = rwi_load_relaxed(look, &l->owner);
	bool may;

	if (owner & (kind == WRITE ? NO_WRITER_SPIN : NO_READER_SPIN))
		may = false;
	else
		may = owner & READER_OWNED ||
		      rwi_owner_may_run(owner & ~OWNER_FLAGS);
	if (may && stay->deadline)
		may = rwi_left_ns(stay->deadline) != 0;
	may = may && rwi_spin_start(spin, rwi_tunable(optimistic_spin_ns));
	if (!may)
		rwi_event(opt_nospin, l);
	return may;
}

static bool spin_and_steal(struct sem *l, uint32_t kind, struct rwi_spin *spin)
{
	const uint32_t turn = rwi_osq_lock(&l->spinners, spin);
	bool stolen;

	if (!turn)
		return false;
	RWI_STEP("long_2019/turn");
	stolen = spin_in_turn(l, kind, spin);
	rwi_osq_unlock(&l->spinners, turn);
	if (stolen)
		rwi_event(opt_lock, l);
	else
		rwi_event(opt_fail, l);
	return stolen;
}

/* ---- Leaving the queue without the lock; under wait_lock, which is left ----
 */

static void give_up(struct sem *l, struct rwi_waiter *self)
{
	struct rwi_wake_queue wake = { .count = 0 };
	const bool first = l->queue.first == self;
	uint64_t gone = 0;

	rwi_event(give_up, l);
	rwi_waitlist_remove(&l->queue, self);
	if (self->kind & OWED && !RWI_BUG("long_2019.handoff_left"))
		gone |= HANDOFF;
	if ((!l->queue.first && !RWI_BUG("long_2019.waiters_left")) ||
	    RWI_BUG("long_2019.waiters_lost"))
		gone |= WAITERS;
	if (gone)
		rwi_fetch_and_relaxed(gone, &l->count, ~gone);
	if (self->kind & MARKED && RWI_BUG("long_2019.handoff_taken_twice"))
		rwi_fetch_sub_relaxed(gone, &l->count, HANDOFF);
	/* Those behind us may have waited for nobody else. */
	if (first && l->queue.first && !RWI_BUG("long_2019.leaves_quietly"))
		wake_first(l, ANY, &wake);
	rwi_spin_unlock(&l->wait_lock);
	RWI_STEP("long_2019/gave_up");
	rwi_wake_up(&wake);
}

/* ---- Readers who have to wait ---- */

/* 0, or the lock is held when the sleep ended. */
static int sleep_as_reader(struct sem *l, struct rwi_waiter *self,
			   const struct rwi_stay *stay)
{
	const int error = rwi_waiter_sleep(self, stay);

	if (!error)
		return 0;
	RWI_STEP("long_2019/reader_leaves");
	rwi_spin_lock(&l->wait_lock);
	if (rwi_load_relaxed(granted, &self->told)) {
		rwi_spin_unlock(&l->wait_lock);
		return 0;
	}
	give_up(l, self);
	return error;
}

/*
 * `counted` says whether our 1 is in the word; it is taken back in one with
 * what else changes.
 */
static int queue_for_reading(struct sem *l, bool counted,
			     const struct rwi_stay *stay)
{
	struct rwi_wake_queue wake = { .count = 0 };
	struct rwi_waiter self = { .kind = READ, .since_ns = rwi_now_ns() };
	const uint64_t bars = RWI_BUG("long_2019.one_too_many")
				  ? WRITER | HANDOFF
				  : WRITER | HANDOFF | read_fail();
	uint64_t change = counted ? -READER : 0, count;
	bool first;

	rwi_spin_lock(&l->wait_lock);
	first = !l->queue.first;
	/* ORDER hold(2/2): the section of a writer who has just left. */
	if (first && counted && !(rwi_load_acquire(late, &l->count) & bars)) {
		rwi_spin_unlock(&l->wait_lock);
		own_for_reading(l);
		return 0;
	}
	rwi_event(queue_read, l);
	rwi_waitlist_append(&l->queue, &self);
	change += first ? WAITERS : 0;
	count = rwi_fetch_add_relaxed(queue, &l->count, change) + change;
	if (!(count & LOCKED))
		let_writers_spin(l);
	if (!(count & LOCKED) || (first && !(count & WRITER)))
		wake_first(l, ANY, &wake);
	rwi_spin_unlock(&l->wait_lock);
	RWI_STEP("long_2019/reader_queued");
	rwi_wake_up(&wake);
	return sleep_as_reader(l, &self, stay);
}

/* 5.3: our count is taken back at once, or writers could not steal. */
static bool read_by_spinning(struct sem *l, struct rwi_spin *spin)
{
	RWI_STEP("long_2019/uncount");
	up_read_(l);
	if (!spin_and_steal(l, READ, spin))
		return false;
	/* Readers who queued can come along. */
	if (rwi_load_relaxed(company, &l->count) & WAITERS)
		wake(l, BESIDE_US);
	return true;
}

/*
 * 5.11: our count is in the word, so the lock is ours unless a flag forbids
 * it.  Readers who are several would keep writers out for ever if others could
 * join them, so we do not.
 */
static bool read_by_stealing(struct sem *l, uint64_t count)
{
	if (count & (WRITER | HANDOFF | read_fail()))
		return false;
	if (rwi_load_relaxed(look, &l->owner) & READER_OWNED &&
	    readers_in(count) > 1)
		return false;
	RWI_STEP("long_2019/reader_steals");
	own_for_reading(l);
	if (readers_in(count) == 1 && count & WAITERS)
		wake(l, BESIDE_US);
	return true;
}

/* `count` is the word with us in it. */
static RWI_NOINLINE int down_read_slow(struct sem *l, enum version version,
				       uint64_t count,
				       const struct rwi_stay *stay)
{
	const uint64_t seen =
	    rwi_load_relaxed(seen, &l->owner) & NO_READER_SPIN;
	struct rwi_spin spin;
	bool counted = true;
	int error;

	RWI_STEP("long_2019/reader_waits");
	if (version == V5_11) {
		if (read_by_stealing(l, count))
			return 0;
	} else if (may_spin(l, READ, stay, &spin)) {
		if (read_by_spinning(l, &spin))
			return 0;
		counted = false;
	}
	error = queue_for_reading(l, counted, stay);
	if (!error && seen && version == V5_3)
		rwi_fetch_or_relaxed(still, &l->owner, NO_READER_SPIN);
	return error;
}

/* ---- Writers who have to wait ---- */

/*
 * Under wait_lock.  A waiter, first or not, who has waited too long asks for
 * the hand-off; it goes to the first.
 */
static bool take_queued(struct sem *l, struct rwi_waiter *self)
{
	struct rwi_waiter *first = l->queue.first;
	uint64_t count = rwi_load_relaxed(look, &l->count), next;

	do {
		if (count & HANDOFF && self != first)
			return false;
		if (count & LOCKED) {
			if (count & HANDOFF || !waited_long(self))
				return false;
			next = count | HANDOFF;
		} else {
			next = (count | WRITER) & ~HANDOFF;
			if (!first->next)
				next &= ~WAITERS;
		}
		/* ORDER hold(2/2): all sections before. */
	} while (!rwi_cas_acquire(take, &l->count, &count, next));
	if (next & HANDOFF) {
		first->kind |= OWED;
		self->kind |= MARKED;
		rwi_event(handoff, l);
		return false;
	}
	rwi_waitlist_remove(&l->queue, self);
	return true;
}

/* 5.11: who is promised the lock looks on for it a moment, then sleeps. */
static bool owner_left(struct sem *l, struct rwi_spin *spin)
{
	RWI_STEP("long_2019/owed");
	return spin_on_owner(l, NO_WRITER_SPIN, spin) == NOBODY &&
	       (rwi_spin_on(spin) || RWI_BUG("long_2019.follower_spins"));
}

/* Does this waiter come back at once instead of sleeping?  Under wait_lock. */
static bool comes_back(enum version version, const struct rwi_waiter *self)
{
	if (RWI_BUG("long_2019.follower_spins") && self->kind & MARKED)
		return true;
	return version == V5_11 && self->kind & OWED;
}

/* Queue, and wake who could run before us; wait_lock is held afterwards. */
static void queue_for_writing(struct sem *l, struct rwi_waiter *self)
{
	struct rwi_wake_queue wake = { .count = 0 };
	uint64_t count;

	rwi_event(queue_write, l);
	rwi_spin_lock(&l->wait_lock);
	rwi_waitlist_append(&l->queue, self);
	if (l->queue.first == self) {
		rwi_fetch_or_relaxed(waiters, &l->count, WAITERS);
		return;
	}
	count = rwi_load_relaxed(look, &l->count);
	if (!(count & WRITER))
		wake_first(l, count & LOCKED ? READERS : ANY, &wake);
	if (wake.count) {
		rwi_spin_unlock(&l->wait_lock);
		rwi_wake_up(&wake);
		rwi_spin_lock(&l->wait_lock);
	}
}

static int wait_as_writer(struct sem *l, enum version version,
			  const struct rwi_stay *stay)
{
	struct rwi_waiter self = { .kind = WRITE, .since_ns = rwi_now_ns() };
	struct rwi_spin spin;
	bool spinning = false, back;
	int error = 0;

	queue_for_writing(l, &self);
	for (;;) {
		rwi_waiter_rearm(&self);
		if (take_queued(l, &self)) {
			rwi_spin_unlock(&l->wait_lock);
			return 0;
		}
		if (error) {
			give_up(l, &self);
			return error;
		}
		back = comes_back(version, &self);
		rwi_spin_unlock(&l->wait_lock);
		RWI_STEP("long_2019/writer_queued");
		if (back && !spinning)
			spinning = back = rwi_spin_start(
			    &spin, rwi_tunable(optimistic_spin_ns));
		if (!back || !owner_left(l, &spin)) {
			error = rwi_waiter_sleep(&self, stay);
			spinning = false;
		}
		RWI_STEP("long_2019/writer_tries");
		rwi_spin_lock(&l->wait_lock);
	}
}

static RWI_NOINLINE int down_write_slow(struct sem *l, enum version version,
					const struct rwi_stay *stay)
{
	struct rwi_spin spin;
	uint64_t flags = 0;
	int error;

	RWI_STEP("long_2019/writer_waits");
	if (may_spin(l, WRITE, stay, &spin) && spin_and_steal(l, WRITE, &spin))
		return 0;
	/* Readers who took too long for us had better not spin themselves. */
	if (version == V5_3 &&
	    rwi_load_relaxed(seen, &l->owner) & NO_WRITER_SPIN)
		flags = NO_READER_SPIN;
	error = wait_as_writer(l, version, stay);
	if (!error)
		own_for_writing(l, flags);
	return error;
}

/* ---- Operations ---- */

static inline int down_read_as(struct sem *l, enum version version,
			       const struct rwi_stay *stay)
{
	const uint64_t bars = WRITER | WAITERS | HANDOFF | read_fail();
	/* ORDER hold(2/2): the last writer's section. */
	const uint64_t count =
	    rwi_fetch_add_acquire(down_read, &l->count, READER) + READER;

	if (rwi_unlikely(count & bars))
		return down_read_slow(l, version, count, stay);
	own_for_reading(l);
	return 0;
}

static bool down_write_trylock(void *lock)
{
	struct sem *l = lock;
	uint64_t free = 0;

	/* ORDER hold(2/2): all sections before. */
	if (!rwi_cas_acquire(down_write, &l->count, &free, WRITER))
		return false;
	RWI_STEP("long_2019/not_owned_yet");
	own_for_writing(l, 0);
	return true;
}

static inline int down_write_as(struct sem *l, enum version version,
				const struct rwi_stay *stay)
{
	if (rwi_likely(down_write_trylock(l)))
		return 0;
	return down_write_slow(l, version, stay);
}

static bool down_read_trylock(void *lock)
{
	struct sem *l = lock;
	const uint64_t bars = WRITER | WAITERS | HANDOFF | read_fail();
	uint64_t count = rwi_load_relaxed(look, &l->count);

	while (!((count + READER) & bars)) {
		/* ORDER hold(2/2): the last writer's section. */
		if (rwi_cas_acquire(try, &l->count, &count, count + READER)) {
			own_for_reading(l);
			return true;
		}
	}
	return false;
}

static void up_read(void *lock)
{
	struct sem *l = lock;

	up_read_(l);
}

static void up_write(void *lock)
{
	struct sem *l = lock;

	up_write_(l);
}

static const struct rwi_stay for_ever, until_signal = { .interruptible = true };

#define DEFINE_VERSION(prefix, version)                                        \
	static inline void prefix##_down_read(void *lock)                      \
	{                                                                      \
		struct sem *l = lock;                                          \
                                                                               \
		down_read_as(l, version, &for_ever);                           \
	}                                                                      \
	static inline void prefix##_down_write(void *lock)                     \
	{                                                                      \
		struct sem *l = lock;                                          \
                                                                               \
		down_write_as(l, version, &for_ever);                          \
	}                                                                      \
	static int prefix##_down_read_interruptible(void *lock)                \
	{                                                                      \
		struct sem *l = lock;                                          \
                                                                               \
		return down_read_as(l, version, &until_signal);                \
	}                                                                      \
	static int prefix##_down_write_interruptible(void *lock)               \
	{                                                                      \
		struct sem *l = lock;                                          \
                                                                               \
		return down_write_as(l, version, &until_signal);               \
	}                                                                      \
	static int prefix##_down_read_until(void *lock, clockid_t clock,       \
					    const struct timespec *at)         \
	{                                                                      \
		struct sem *l = lock;                                          \
		struct rwi_deadline deadline;                                  \
		const int error = rwi_deadline_from(&deadline, clock, at);     \
                                                                               \
		if (error)                                                     \
			return error;                                          \
		return down_read_as(                                           \
		    l, version, &(struct rwi_stay){ .deadline = &deadline });  \
	}                                                                      \
	static int prefix##_down_write_until(void *lock, clockid_t clock,      \
					     const struct timespec *at)        \
	{                                                                      \
		struct sem *l = lock;                                          \
		struct rwi_deadline deadline;                                  \
		const int error = rwi_deadline_from(&deadline, clock, at);     \
                                                                               \
		if (error)                                                     \
			return error;                                          \
		return down_write_as(                                          \
		    l, version, &(struct rwi_stay){ .deadline = &deadline });  \
	}                                                                      \
	RWI_DEFINE_PAIRS(prefix, prefix##_down_read(lock), up_read(lock),      \
			 prefix##_down_write(lock), up_write(lock))

#define VERSION(prefix)                                                        \
	.file = "long_2019.c", .lock_size = sizeof(struct sem),                \
	.lock_align = _Alignof(struct sem), .readers_max = readers_max,        \
	.down_read = prefix##_down_read, .up_read = up_read,                   \
	.down_write = prefix##_down_write, .up_write = up_write,               \
	.down_read_trylock = down_read_trylock,                                \
	.down_write_trylock = down_write_trylock,                              \
	.down_read_until = prefix##_down_read_until,                           \
	.down_write_until = prefix##_down_write_until,                         \
	.down_read_interruptible = prefix##_down_read_interruptible,           \
	.down_write_interruptible = prefix##_down_write_interruptible,         \
	.downgrade_write = downgrade_write, .read_pairs = prefix##_read_pairs, \
	.write_pairs = prefix##_write_pairs

DEFINE_VERSION(v5_3, V5_3)
DEFINE_VERSION(v5_11, V5_11)

const struct rwi_design rwi_design_long_2019 = {
	.name = "long-2019",
	.summary =
	    "flags and a hand-off bit; both sides spin before they queue",
	.origin = "Waiman Long, LKML, May 2019; Linux 5.3",
	.year = 2019,
	.owes = { { "bueso-2014",
		    "owner, queue of spinners, writers who steal" },
		  { "long-2014", "readers who spin" } },
	.traits = RWI_FOREIGN_UP_READ | RWI_STARVES_WRITERS,
	VERSION(v5_3),
};

const struct rwi_design rwi_design_long_2020 = {
	.name = "long-2020",
	.summary = "flags and a hand-off bit; writers spin, readers steal",
	.origin = "Waiman Long, LKML, November 2020; Linux 5.11",
	.year = 2020,
	.owes = { { "long-2019",
		    "all but what readers do before they queue" } },
	.traits = RWI_FOREIGN_UP_READ | RWI_BOUNDED,
	VERSION(v5_11),
};
