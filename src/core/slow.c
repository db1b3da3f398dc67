/* SPDX-License-Identifier: MIT */
/*
 * The slow paths: spinning, queueing, hand-off, wake-up.
 *
 * Every transition that concerns the queue is a section: take the bucket's
 * lock, work out the new word (the caller's own change, then settle() for what
 * follows from it), put it in with one compare-and-swap, tell the waiters
 * whom it concerns, drop the bucket's lock, wake those who slept.  If the
 * compare-and-swap fails everything is worked out again.
 *
 * A waiter is told by a store to its own word, under the bucket's lock and
 * after it left the queue; so whoever has the bucket locked and is not in the
 * queue has been told, and no node is written after its owner went away.  The
 * wake-up that follows uses the word's address as a name, no more.
 *
 * The compare-and-swap of a release is the last access to the semaphore.  Only
 * if waiters remain to be told does the section come back, and then it touches
 * the semaphore only if it finds waiters of it in the bucket: those are inside
 * a call on it, so it exists.
 */
#include "core/park.h"

#include <errno.h>

enum { TOLD_MAX = RWI_TUNABLE_tell_count_max };

/* ---- Sections ---- */

struct section {
	rwsem_t *sem;
	struct rwi_bucket *bucket;
	struct rwi_queue *queue; /* of *sem; null if nobody waits */
	unsigned policy;
	bool more; /* readers remain to be granted */
	/*
	 * A downgrade, and a reader that competed and gets in, let readers in
	 * whoever is first: those who had queued when it began, up to this
	 * ticket, and not those who come while it goes on, or it might go on
	 * for ever.
	 */
	uint64_t let_in;
	uint64_t now_ns;
	struct rwi_signals signals;
	uint32_t asleep_count;
	uint32_t *asleep[TOLD_MAX];
};

static void find_queue(struct section *x)
{
	x->queue = rwi_queue_of(x->bucket, x->sem);
}

static void enter_bucket(struct section *x)
{
	rwi_mutex_lock(&x->bucket->mutex, &x->signals);
	x->now_ns = rwi_now_ns();
	find_queue(x);
}

static void begin(struct section *x, rwsem_t *sem)
{
	x->sem = sem;
	x->bucket = rwi_bucket_of(sem);
	x->policy = rwi_load_relaxed(policy, &sem->flags_);
	x->more = false;
	x->let_in = 0;
	x->asleep_count = 0;
	rwi_event(bucket, sem);
	RWI_STEP("section: before the bucket");
	enter_bucket(x);
	RWI_STEP("section: in the bucket");
}

/* Does the policy prefer the other side, and has the waiter to bear it yet? */
static bool passed_over(const struct section *x,
			const struct rwi_waiter *waiter)
{
	const unsigned other = waiter->kind == RWI_READ ? RWSEM_PREFER_WRITERS
							: RWSEM_PREFER_READERS;

	return x->policy & other &&
	       x->now_ns - waiter->queued_ns < rwi_tunable(patience_ns);
}

/* The waiter who is next, by the policy. */
static struct rwi_waiter *first_of(const struct section *x)
{
	struct rwi_waiter *reader, *writer;

	if (!x->queue)
		return NULL;
	reader = x->queue->of[RWI_READ].first;
	writer = x->queue->of[RWI_WRITE].first;
	if (!reader || !writer)
		return reader ? reader : writer;
	if (passed_over(x, writer))
		return reader;
	if (passed_over(x, reader))
		return writer;
	return reader->ticket < writer->ticket ? reader : writer;
}

/* Does the waiter who is next bar new readers, when nobody competes? */
static bool bars_readers(const struct section *x,
			 const struct rwi_waiter *waiter)
{
	return waiter && waiter->kind == RWI_WRITE && !passed_over(x, waiter);
}

/* Is the waiter who is next owed the lock? */
static bool owed(const struct section *x, const struct rwi_waiter *waiter)
{
	if (passed_over(x, waiter) || RWI_BUG("never-handoff"))
		return false;
	return x->now_ns - waiter->first_ns >= rwi_tunable(handoff_ns) ||
	       waiter->tries >= rwi_tunable(handoff_tries);
}

/* How many of the queued readers share with those who are inside? */
static uint32_t may_enter(const struct section *x,
			  const struct rwi_waiter *first, uint32_t room)
{
	const struct rwi_list *readers = &x->queue->of[RWI_READ];
	const struct rwi_waiter *w = readers->first;
	uint32_t n = 0;

	if (room > rwi_tunable(tell_count_max))
		room = rwi_tunable(tell_count_max);
	if (first->kind == RWI_READ)
		return readers->count < room ? readers->count : room;
	for (; w && w->ticket <= x->let_in && n < room; w = w->next)
		n++;
	return n;
}

/* What settle() decided, besides the word. */
struct verdict {
	uint64_t word;
	struct rwi_waiter *compete; /* tell this one to compete */
	uint32_t grant;             /* grant so many readers, oldest first */
};

/*
 * The one decision: what follows from word `s`, which has the caller's own
 * change in it, for those in the queue.
 */
static struct verdict settle(struct section *x, uint64_t s)
{
	struct rwi_waiter *first = first_of(x);
	struct verdict v = { .word = s & ~RWI_QUEUED };
	uint32_t room = rwi_tunable(readers_max) - (uint32_t)rwi_readers(s);
	uint32_t readers;

	if (!RWI_BUG("writer-pending-for-ever"))
		v.word &= ~RWI_WPEND;
	if (!first)
		return v;
	readers = x->queue->of[RWI_READ].count;
	if (!first->first_ns)
		first->first_ns = x->now_ns;
	if (s & RWI_WRITER) {
		; /* its release will settle */
	} else if (rwi_readers(s)) {
		v.grant = may_enter(x, first, room);
		v.word += v.grant * RWI_READER;
	} else if (!(s & RWI_WOKEN)) {
		v.compete = first;
		v.word |= RWI_WOKEN;
		if (owed(x, first)) {
			v.word |= RWI_HANDOFF;
			rwi_event(handoff, x->sem);
		}
	}
	if (readers + x->queue->of[RWI_WRITE].count >
	    v.grant + (v.compete ? 1 : 0))
		v.word |= RWI_QUEUED;
	/*
	 * While somebody competes nobody is barred.  After a grant whoever is
	 * next was next before, or is a writer behind the granted readers.
	 */
	if (first->kind == RWI_READ && v.grant == readers)
		first = x->queue->of[RWI_WRITE].first;
	if (!(v.word & RWI_WOKEN) && bars_readers(x, first))
		v.word |= RWI_WPEND;
	return v;
}

/* Take a waiter out of the queue and tell it what became of it. */
static void tell(struct section *x, struct rwi_waiter *waiter,
		 enum rwi_told told)
{
	uint32_t *word = &waiter->state;

	rwi_queue_remove(x->bucket, waiter);
	RWI_STEP("tell: before the store");
	/*
	 * ORDER told(1/2): what this thread saw of the semaphore before, the
	 * last writer's section above all; without it a granted reader could
	 * miss that section.  From here on *waiter is gone.
	 */
	if (rwi_xchg_release(tell, word, told) == RWI_TOLD_ASLEEP &&
	    !RWI_BUG("sleeper-not-woken"))
		x->asleep[x->asleep_count++] = word;
}

/*
 * Put the verdict on `n` in place of `*s`.  False, and *s read again, if the
 * word has changed meanwhile.
 */
static bool commit(struct section *x, uint64_t *s, uint64_t n)
{
	struct verdict v = settle(x, n);

	RWI_STEP("commit: before the word");
	/*
	 * ORDER hold(1/2), ORDER hold(2/2): a release and an acquisition can
	 * be in it, and waiters are told on the strength of what it read.
	 */
	if (!rwi_cas_acq_rel(commit, &x->sem->word_, s, v.word))
		return false;
	RWI_STEP("commit: after the word");
	if (v.compete) {
		rwi_event(compete, x->sem);
		tell(x, v.compete, RWI_TOLD_COMPETE);
	}
	for (uint32_t i = 0; i < v.grant; i++) {
		rwi_event(grant, x->sem);
		tell(x, rwi_queue_of(x->bucket, x->sem)->of[RWI_READ].first,
		     RWI_TOLD_GRANTED);
	}
	find_queue(x);
	x->more = v.grant == rwi_tunable(tell_count_max) && x->queue &&
		  x->queue->of[RWI_READ].first && !RWI_BUG("rest-forgotten");
	return true;
}

static void wake(struct section *x)
{
	rwi_mutex_unlock(&x->bucket->mutex, &x->signals);
	RWI_STEP("section: before the wake-ups");
	for (uint32_t i = 0; i < x->asleep_count; i++) {
		rwi_event(wake, x->sem);
		rwi_unpark(x->asleep[i], 1, RWI_CLASS_ANY);
	}
	x->asleep_count = 0;
}

static void end(struct section *x)
{
	uint64_t s;

	wake(x);
	while (x->more) {
		x->more = false;
		RWI_STEP("section: before the rest");
		enter_bucket(x);
		if (x->queue) {
			s = rwi_load_relaxed(rest, &x->sem->word_);
			while (!commit(x, &s, s))
				;
		}
		wake(x);
	}
}

/* ---- Spinning ---- */

/* Was the writer last seen on this CPU?  Then it is not running now. */
static bool owner_is_here(const rwsem_t *sem)
{
	const uint16_t owner = rwi_load_relaxed(owner, &sem->cpu_);

	return owner && owner != UINT16_MAX && owner == rwi_cpu_hint();
}

/* Can looking on be worth while for a thread that waits in this way? */
static bool worth_waiting(const rwsem_t *sem, uint64_t s, enum rwi_kind kind,
			  enum rwi_turn turn)
{
	if (s & RWI_WRITER && owner_is_here(sem))
		return false;
	if (turn != RWI_ARRIVAL)
		return true;
	/*
	 * With a queue the lock will not idle: whoever releases it wakes the
	 * first, and a spinner would only take the CPU of somebody who works.
	 */
	return !(s & (RWI_HANDOFF | RWI_WOKEN | RWI_QUEUED)) &&
	       (kind == RWI_WRITE || !(s & RWI_WPEND));
}

static bool take(rwsem_t *sem, uint64_t *s, enum rwi_kind kind,
		 enum rwi_turn turn)
{
	uint64_t n = *s + rwi_hold(kind);

	if (turn == RWI_COMPETING && !RWI_BUG("woken-stays"))
		n &= ~(RWI_WOKEN | RWI_HANDOFF);
	/* ORDER hold(2/2): what earlier holders stored. */
	return rwi_cas_acquire(take, &sem->word_, s, n);
}

/*
 * Wait actively, for at most `budget_ns`, and acquire.  A reader that competes
 * only waits for the writer to leave, and enters under the bucket's lock; then
 * true says that it can.
 */
static bool spin(rwsem_t *sem, enum rwi_kind kind, enum rwi_turn turn,
		 uint32_t budget_ns)
{
	struct rwi_record *self = rwi_thread_record();
	const uint64_t start_ns = rwi_now_ns();
	uint32_t poll_ns = rwi_tunable(poll_ns_min);
	uint16_t burst = rwi_load_relaxed(burst, &sem->burst_), before;
	uint64_t s, spent_ns = 0;
	bool progress = false;

	if (!rwi_may_spin(start_ns)) {
		rwi_event(opt_nospin, sem);
		return false;
	}
	budget_ns >>= self->spins_lost;
	for (;;) {
		s = rwi_load_relaxed(look, &sem->word_);
		before = burst;
		burst = rwi_load_relaxed(burst, &sem->burst_);
		progress = (uint16_t)(burst - before) >= 2;
		if (progress && spent_ns < rwi_tunable(burst_ns)) {
			; /* leave the owner its burst */
		} else if (rwi_obtainable(sem, s, kind, turn)) {
			if ((turn == RWI_COMPETING && kind == RWI_READ) ||
			    take(sem, &s, kind, turn)) {
				self->spins_lost -= self->spins_lost > 0;
				rwi_event(opt_lock, sem);
				return true;
			}
		} else if (!worth_waiting(sem, s, kind, turn)) {
			rwi_event(opt_nospin, sem);
			return false;
		}
		if (spent_ns >=
		    budget_ns + (progress ? rwi_tunable(burst_ns) : 0))
			break;
		rwi_delay(poll_ns);
		if (poll_ns < rwi_tunable(poll_ns_max))
			poll_ns *= 2;
		spent_ns = rwi_now_ns() - start_ns;
	}
	self->spins_lost += self->spins_lost < 4;
	rwi_event(opt_fail, sem);
	return false;
}

/* ---- Waiting in the queue ---- */

/*
 * Queue, or acquire if that has become possible.  0: acquired; EAGAIN;
 * EINPROGRESS: queued.
 */
static int enqueue(struct rwi_waiter *w, rwsem_t *sem, enum rwi_turn turn,
		   bool may_fail)
{
	struct section x;
	uint64_t s;
	bool queued = false;
	int r;

	begin(&x, sem);
	s = rwi_load_relaxed(enqueue, &sem->word_);
	for (;;) {
		const bool free = rwi_obtainable(sem, s, w->kind, turn);

		if (free || (may_fail && rwi_full(s, w->kind))) {
			if (queued) {
				rwi_queue_remove(x.bucket, w);
				find_queue(&x);
				queued = false;
			}
			r = free ? 0 : EAGAIN;
			if (!free || take(sem, &s, w->kind, turn))
				break;
			continue;
		}
		if (!queued) {
			if (!w->queued_ns)
				w->queued_ns = x.now_ns;
			rwi_queue_insert(x.bucket, w);
			find_queue(&x);
			queued = true;
			if (w->kind == RWI_READ)
				rwi_event(queue_read, sem);
			else
				rwi_event(queue_write, sem);
		}
		r = EINPROGRESS;
		if (commit(&x, &s, s))
			break;
	}
	end(&x);
	return r;
}

/*
 * Is the waiter in the queue?  With the bucket locked.  Not if it has been
 * told, nor if this is a forked child, whose table started empty.
 */
static bool in_queue(const struct rwi_waiter *w)
{
	return rwi_load_relaxed(in_queue, &w->state) <= RWI_TOLD_ASLEEP &&
	       w->generation == rwi_process_generation();
}

/*
 * The end of a slice: go on if somebody else does not.  A competitor may be
 * stopped in a handler, or may not exist in this forked child; taking WOKEN
 * from a live one costs one competitor too many.
 */
static void look_around(struct rwi_waiter *w, rwsem_t *sem, bool slice)
{
	struct section x;
	uint64_t s, n;

	if (RWI_BUG("no-slices"))
		return;
	begin(&x, sem);
	s = rwi_load_relaxed(slice, &sem->word_);
	if (in_queue(w)) {
		do {
			n = s;
			if (slice && s & RWI_WOKEN) {
				n &= ~(RWI_WOKEN | RWI_HANDOFF);
				rwi_event(slice, sem);
			}
		} while (!commit(&x, &s, n));
	}
	end(&x);
}

enum outcome { GRANTED, COMPETE, ORPHANED, TIMED_OUT, INTERRUPTED };

/*
 * When to look around next.  At the end of the slice; and somebody has to see
 * that a writer whom readers pass has borne it long enough.
 */
static uint64_t next_look_ns(const struct rwi_waiter *w, const rwsem_t *sem,
			     uint64_t slice_end_ns)
{
	const uint64_t patience_end_ns =
	    w->queued_ns + rwi_tunable(patience_ns);

	if (w->kind == RWI_READ || w->patience_seen ||
	    !rwi_has_flag(sem, RWSEM_PREFER_READERS) ||
	    RWI_BUG("patience-unseen"))
		return slice_end_ns;
	return patience_end_ns < slice_end_ns ? patience_end_ns : slice_end_ns;
}

/*
 * Look on from the queue for a moment: where two threads take turns, the other
 * one is done before a sleeper would have woken up.
 */
static void look_on(const struct rwi_waiter *w, const rwsem_t *sem)
{
	struct rwi_record *self = rwi_thread_record();
	const uint64_t start_ns = rwi_now_ns();
	const uint32_t budget_ns =
	    rwi_tunable(queued_spin_ns) >> self->spins_lost;

	if (!rwi_may_spin(start_ns) || owner_is_here(sem))
		return;
	while (rwi_now_ns() - start_ns < budget_ns) {
		if (rwi_load_relaxed(look_on, &w->state) != RWI_TOLD_NOTHING) {
			self->spins_lost -= self->spins_lost > 0;
			return;
		}
		rwi_delay(rwi_tunable(poll_ns_min));
	}
	self->spins_lost += self->spins_lost < 4;
}

/*
 * Sleep until told something, or until there is a reason to give up.  Signals
 * and stray wake-ups do not put off the end of a slice.
 */
static enum outcome await(struct rwi_waiter *w, rwsem_t *sem,
			  const struct rwi_how *how)
{
	uint64_t slice_ns = rwi_tunable(slice_ns_min);
	uint64_t slice_end_ns = rwi_now_ns() + slice_ns;
	uint64_t now_ns, look_ns;
	struct rwi_deadline until;
	enum rwi_parked parked;
	bool last;

	look_on(w, sem);
	for (;;) {
		/* ORDER told(2/2): what the teller saw of the semaphore. */
		uint32_t told = rwi_load_acquire(await, &w->state);

		if (told == RWI_TOLD_GRANTED)
			return GRANTED;
		if (told == RWI_TOLD_COMPETE)
			return COMPETE;
		if (w->generation != rwi_process_generation())
			return ORPHANED;
		now_ns = rwi_now_ns();
		look_ns = next_look_ns(w, sem, slice_end_ns);
		if (now_ns >= look_ns) {
			look_around(w, sem, now_ns >= slice_end_ns);
			if (now_ns >= w->queued_ns + rwi_tunable(patience_ns))
				w->patience_seen = true;
			if (now_ns < slice_end_ns)
				continue;
			if (slice_ns < rwi_tunable(slice_ns_max))
				slice_ns *= 2;
			slice_end_ns = now_ns + slice_ns;
			continue;
		}
		if (told == RWI_TOLD_NOTHING &&
		    !rwi_cas_relaxed(asleep, &w->state, &told, RWI_TOLD_ASLEEP))
			continue;
		last = how->deadline &&
		       rwi_left_ns(how->deadline) <= look_ns - now_ns;
		until =
		    last ? *how->deadline : rwi_deadline_in(look_ns - now_ns);
		rwi_event(sleep, sem);
		RWI_STEP("await: before the sleep");
		parked =
		    rwi_park(&w->state, RWI_TOLD_ASLEEP, RWI_CLASS_ANY, &until);
		if (parked == RWI_PARKED_SIGNAL && how->interruptible)
			return INTERRUPTED;
		if (parked == RWI_PARKED_TIMEOUT && last)
			return TIMED_OUT;
	}
}

/*
 * Compete after having been told to.  True: acquired.  Else the waiter is in
 * the queue again, in its old place.
 */
static bool compete(struct rwi_waiter *w, rwsem_t *sem)
{
	struct section x;
	uint64_t s, n;
	bool queued = false, got = false;

	RWI_STEP("compete: before the spin");
	if (spin(sem, w->kind, RWI_COMPETING,
		 rwi_tunable(competitor_spin_ns)) &&
	    w->kind == RWI_WRITE)
		return true;
	RWI_STEP("compete: after the spin");
	begin(&x, sem);
	s = rwi_load_relaxed(compete, &sem->word_);
	do {
		n = s;
		if (!RWI_BUG("woken-stays"))
			n &= ~(RWI_WOKEN | RWI_HANDOFF);
		got = rwi_obtainable(sem, s, w->kind, RWI_COMPETING);
		/* A reader that gets in lets all queued readers in with it. */
		x.let_in = got && !RWI_BUG("reader-enters-alone")
			       ? x.bucket->ticket
			       : 0;
		if (got) {
			n += rwi_hold(w->kind);
			if (queued)
				rwi_queue_remove(x.bucket, w);
			queued = false;
		} else if (!queued) {
			/* A forked child has another table, other tickets. */
			if (w->generation != rwi_process_generation() ||
			    RWI_BUG("requeue-at-tail"))
				w->ticket = 0;
			w->generation = rwi_process_generation();
			rwi_store_relaxed(compete, &w->state, RWI_TOLD_NOTHING);
			rwi_queue_insert(x.bucket, w);
			queued = true;
		}
		find_queue(&x);
	} while (!commit(&x, &s, n));
	if (!got) {
		w->tries++;
		rwi_event(requeue, sem);
	}
	end(&x);
	return got;
}

/* Leave for good.  True: the lock came first, and it is ours. */
static bool give_up(struct rwi_waiter *w, rwsem_t *sem)
{
	struct section x;
	uint64_t s, n;
	uint32_t told;
	bool got;

	RWI_STEP("give up: before the bucket");
	begin(&x, sem);
	/* ORDER told(2/2): what the teller saw of the semaphore. */
	told = rwi_load_acquire(give_up, &w->state);
	got = told == RWI_TOLD_GRANTED;
	if (!got) {
		if (in_queue(w)) {
			rwi_queue_remove(x.bucket, w);
			find_queue(&x);
		}
		if (RWI_BUG("give-up-unsettled"))
			x.queue = NULL;
		s = rwi_load_relaxed(give_up, &sem->word_);
		do {
			n = s;
			if (told != RWI_TOLD_COMPETE)
				continue;
			got = rwi_obtainable(sem, s, w->kind, RWI_COMPETING);
			x.let_in = got ? x.bucket->ticket : 0; /* as above */
			n += got ? rwi_hold(w->kind) : 0;
			if (!RWI_BUG("mark-left-behind"))
				n &= ~(RWI_WOKEN | RWI_HANDOFF);
		} while (!commit(&x, &s, n));
		rwi_event(give_up, sem);
	}
	end(&x);
	return got;
}

int rwi_wait(rwsem_t *sem, enum rwi_kind kind, enum rwi_turn turn,
	     const struct rwi_how *how)
{
	struct rwi_waiter w = { .sem = sem, .kind = kind };
	enum outcome outcome;
	int r;

	if (spin(sem, kind, turn, rwi_tunable(arrival_spin_ns)))
		return 0;
	for (;;) {
		w.generation = rwi_process_generation();
		w.ticket = 0;
		rwi_store_relaxed(wait, &w.state, RWI_TOLD_NOTHING);
		r = enqueue(&w, sem, turn, how->may_fail);
		if (r != EINPROGRESS)
			return r;
		do
			outcome = await(&w, sem, how);
		while (outcome == COMPETE && !compete(&w, sem));
		switch (outcome) {
		case COMPETE:
		case GRANTED:
			return 0;
		case TIMED_OUT:
			return give_up(&w, sem) ? 0 : ETIMEDOUT;
		case INTERRUPTED:
			return give_up(&w, sem) ? 0 : EINTR;
		case ORPHANED:
			break; /* a forked child: start again */
		}
	}
}

/* ---- Releases ---- */

void rwi_release(rwsem_t *sem, enum rwi_kind kind)
{
	struct section x;
	uint64_t s = rwi_load_relaxed(release, &sem->word_);

	for (;;) {
		if (kind == RWI_WRITE && !(s & RWI_WRITER))
			rwi_fault(sem, "up_write: not held for writing");
		if (kind == RWI_READ && rwi_readers(s) == 0)
			rwi_fault(sem, "up_read: not held for reading");
		if (rwi_has_duty(s, kind))
			break;
		RWI_STEP("release: before the word");
		/* ORDER hold(1/2): the section, for the next holder. */
		if (rwi_cas_release(release, &sem->word_, &s,
				    s - rwi_hold(kind)))
			return;
	}
	begin(&x, sem);
	s = rwi_load_relaxed(duty, &sem->word_);
	while (!commit(&x, &s, s - rwi_hold(kind)))
		;
	end(&x);
}

void rwi_downgrade(rwsem_t *sem)
{
	const uint64_t change = RWI_READER - RWI_WRITER;
	uint64_t s = rwi_load_relaxed(downgrade, &sem->word_);
	struct section x;

	do {
		if (!(s & RWI_WRITER))
			rwi_fault(sem, "downgrade_write: not held for writing");
		if (s & RWI_QUEUED && !RWI_BUG("downgrade-unsettled"))
			break;
		RWI_STEP("downgrade: before the word");
		/* ORDER hold(1/2): the section, for readers. */
		if (rwi_cas_release(downgrade, &sem->word_, &s, s + change))
			return;
	} while (true);
	begin(&x, sem);
	x.let_in = x.bucket->ticket;
	s = rwi_load_relaxed(duty, &sem->word_);
	while (!commit(&x, &s, s + change))
		;
	end(&x);
}
