/* SPDX-License-Identifier: MIT */
/*
 * The waiting protocol: every step that a thread can make.
 *
 * To be read beside core/slow.c, whose functions have the same names here;
 * docs/model.md has the table.  Change the model first, then the code.
 */
#include "parking.h"

#include <string.h>

struct parking parking;

const struct operation parking_operations[] = {
	{ 'r', .text = "read" },
	{ 'w', .writes = true, .text = "write" },
	{ 'R', .may_fail = true, .text = "read, or give up at any moment" },
	{ 'W', .writes = true, .may_fail = true, .text = "the same for write" },
	{ 'u', .tries = true, .text = "try to read" },
	{ 't', .writes = true, .tries = true, .text = "try to write" },
	{ 'd', .writes = true, .downgrades = true,
	  .text = "write, downgrade, wait for the readers that waited then" },
	{ 'D', .writes = true, .may_fail = true, .downgrades = true,
	  .text = "the same, or give up" },
	{ 'g', .writes = true, .downgrades = true,
	  .text = "write, downgrade, wait for nobody" },
	{ 'e', .text = "read, and read again while reading" },
	{ 'x', .writes = true,
	  .text = "write, and free the semaphore if nobody is to come" },
	{ 'i', .text = "use the freed memory as a new semaphore" },
	{ 'a', .text = "wait for the new semaphore" },
	{ 'c', .text = "start in the forked child" },
	{ 0, .text = "" },
};

/* One step in the making. */
struct move {
	struct state s;
	struct thread *me;
	unsigned i;
	const char *what;

	bool aged;  /* the first waiter has been first for long enough */
	bool asked; /* whether it has matters */

	/* What a section decided. */
	uint8_t tell, told;
	bool more;
};

static struct explorer *explorer;

static bool is(enum variant variant)
{
	return parking.variant[variant];
}

static unsigned bit(unsigned j)
{
	return 1u << j;
}

const struct operation *parking_operation(const struct state *s, unsigned j)
{
	const char letter = parking.program[j][s->thread[j].op];
	const struct operation *o = parking_operations;

	while (o->letter && o->letter != letter)
		o++;
	return o;
}

static const struct operation *my(const struct move *m)
{
	return parking_operation(&m->s, m->i);
}

static bool writes(const struct state *s, unsigned j)
{
	return parking_operation(s, j)->writes;
}

/* Every look at the word comes by here. */
static void touch(const struct move *m)
{
	if (m->s.freed)
		explore_broken(explorer, "touched after free");
}

/* ---- Who may take the lock: rwi_obtainable() ---- */

enum turn { ARRIVAL, TRY, EXEMPT, COMPETING };

static bool obtainable(const struct move *m, enum turn turn)
{
	const struct state *s = &m->s;
	unsigned barred = W;

	touch(m);
	if (turn == ARRIVAL && !is(HANDOFF_IGNORED))
		barred |= HANDOFF;
	if (turn == TRY && is(TRY_RESPECTS_HANDOFF))
		barred |= HANDOFF;
	if (my(m)->writes)
		return !(s->flags & barred) &&
		       (!s->readers || is(WRITER_JOINS_READERS));
	if ((turn == ARRIVAL || turn == TRY ||
	     (turn == EXEMPT && is(EXEMPT_BARRED))) &&
	    !is(WPEND_IGNORED))
		barred |= WPEND;
	if (turn == ARRIVAL && parking.policy == PREFER_WRITERS)
		barred |= QUEUED | WOKEN;
	return !(s->flags & barred) && s->readers < parking.readers_max;
}

static enum turn turn_of(const struct move *m)
{
	if (my(m)->tries)
		return TRY;
	return m->me->hold ? EXEMPT : ARRIVAL;
}

static void take(struct move *m)
{
	if (my(m)->writes) {
		m->s.flags |= W;
		m->me->hold = WRITE_HOLD;
	} else {
		m->s.readers++;
		m->me->hold++;
	}
}

static void strip_marks(struct move *m)
{
	m->s.flags &= (uint8_t)~WOKEN;
	if (!is(HANDOFF_LEFT_BEHIND))
		m->s.flags &= (uint8_t)~HANDOFF;
}

/* ---- The queue ---- */

/* The earliest of a kind in the queue, or -1. */
static int first_of_kind(const struct state *s, bool writer)
{
	int at_tail = -1;

	for (unsigned k = 0; k < s->waiters; k++) {
		const unsigned j = s->waiter[k];

		if (!(s->queued & bit(j)) || writes(s, j) != writer)
			continue;
		if (!s->thread[j].at_tail)
			return (int)j;
		if (at_tail < 0)
			at_tail = (int)j;
	}
	return at_tail;
}

static bool earlier(const struct state *s, int a, int b)
{
	for (unsigned k = 0; k < s->waiters; k++)
		if (s->waiter[k] == a || s->waiter[k] == b)
			return s->waiter[k] == a;
	return false;
}

bool parking_passed_over(const struct state *s, unsigned j)
{
	const enum policy other =
	    writes(s, j) ? PREFER_READERS : PREFER_WRITERS;

	return parking.policy == other && s->thread[j].patience == PATIENT;
}

/* first_of() */
int parking_first(const struct state *s)
{
	const int reader = first_of_kind(s, false);
	const int writer = first_of_kind(s, true);

	if (reader < 0 || writer < 0)
		return reader < 0 ? writer : reader;
	if (parking_passed_over(s, (unsigned)writer))
		return reader;
	if (parking_passed_over(s, (unsigned)reader))
		return writer;
	return earlier(s, reader, writer) ? reader : writer;
}

static void remove_waiter(struct state *s, unsigned j)
{
	unsigned n = 0;

	for (unsigned k = 0; k < s->waiters; k++)
		if (s->waiter[k] != j)
			s->waiter[n++] = s->waiter[k];
	s->waiters = (uint8_t)n;
	memset(&s->waiter[n], 0, THREADS_MAX - n);
}

/*
 * Into the queue.  A ticket is a place in waiter[], given when there is none
 * yet, kept until the waiter has the lock or gives up.
 */
static void insert(struct move *m)
{
	struct state *s = &m->s;

	if (s->queued & bit(m->i))
		explore_broken(explorer, "queued twice");
	m->me->at_tail = is(REQUEUE_AT_TAIL) && m->me->tries;
	for (unsigned k = 0; k <= s->waiters; k++) {
		if (k == s->waiters)
			s->waiter[s->waiters++] = (uint8_t)m->i;
		if (s->waiter[k] == m->i)
			break;
	}
	s->queued |= (uint8_t)bit(m->i);
	m->me->node = NOTHING;
}

/* The waiter's node goes out of use. */
static void drop_node(struct move *m)
{
	struct state *s = &m->s;

	if (s->untold & bit(m->i))
		explore_broken(explorer, "left before told");
	remove_waiter(s, m->i);
	for (unsigned k = 0; k < parking.threads; k++) {
		s->thread[k].let_in &= (uint8_t)~bit(m->i);
		s->thread[k].owed &= (uint8_t)~bit(m->i);
	}
	m->me->node = NO_NODE;
	m->me->tries = 0;
	m->me->patience = PATIENT;
	m->me->orphan = m->me->at_tail = 0;
}

/* The lock, or one more hold of it, after waiting. */
static void got_it(struct move *m)
{
	const struct state *s = &m->s;
	/* A slice that ends can make a second competitor. */
	const bool in_order = !parking.slices && !s->forked && !s->stopped;

	for (unsigned k = 0; k < s->waiters && s->waiter[k] != m->i; k++)
		if (in_order && my(m)->writes && writes(s, s->waiter[k]))
			explore_broken(explorer, "writer overtaken");
	drop_node(m);
}

/* ---- Sections ---- */

/* On to the next operation, or whatever follows. */
static void go(struct move *m, enum place place)
{
	struct thread *me = m->me;

	me->then = 0;
	me->let_in = 0;
	me->at = (uint8_t)place;
	if (place != NEXT)
		return;
	me->phase = 0;
	me->at = START;
	if (parking.program[m->i][++me->op])
		return;
	if (parking.endless)
		me->op = 0;
	else
		me->at = DONE;
}

/*
 * may_enter(): grant queued readers their holds, oldest first: all, or those
 * to be let in whoever is first; as many as one section tells and as there is
 * room for.
 */
static void grant(struct move *m, bool all)
{
	const uint8_t some = m->me->let_in;
	struct state *s = &m->s;
	unsigned told = 0;

	for (unsigned k = 0; k < s->waiters; k++) {
		const unsigned j = s->waiter[k];

		if (!(s->queued & bit(j)) || writes(s, j) ||
		    !(all || some & bit(j)))
			continue;
		if (s->readers >= parking.readers_max && !is(LIMIT_IGNORED))
			break;
		if (told++ == parking.tell_max) {
			m->more = !is(REST_FORGOTTEN);
			break;
		}
		s->queued &= (uint8_t)~bit(j);
		s->readers++;
		s->thread[j].hold++;
		m->tell |= (uint8_t)bit(j);
		m->told = TOLD_GRANTED;
	}
}

/* owed(), whose clock is a choice here. */
static bool owed_the_lock(struct move *m, unsigned first)
{
	if (is(NEVER_HANDOFF))
		return false;
	if (parking_passed_over(&m->s, first) && !is(HANDOFF_BEFORE_PATIENCE))
		return false;
	if (m->s.thread[first].tries >= parking.handoff_tries)
		return true;
	m->asked = true;
	return m->aged;
}

/* QUEUED and WPEND; `first` was the first waiter before some were told. */
static void mark_queue(struct state *s, int first)
{
	int next = parking_first(s);

	/* With readers left over for want of room the code looks no further. */
	if (first >= 0 && !writes(s, (unsigned)first) &&
	    first_of_kind(s, false) >= 0)
		next = first;
	s->flags &= (uint8_t)~QUEUED;
	if (s->queued)
		s->flags |= QUEUED;
	if (!is(WPEND_STAYS))
		s->flags &= (uint8_t)~WPEND;
	if (next >= 0 && writes(s, (unsigned)next) &&
	    !parking_passed_over(s, (unsigned)next) &&
	    (!(s->flags & WOKEN) || is(WPEND_WITH_WOKEN)))
		s->flags |= WPEND;
}

/*
 * settle() and commit(): the word, with the caller's own change in it, gets
 * what follows from it for those in the queue, and is put in place.
 */
static void settle(struct move *m)
{
	struct state *s = &m->s;
	const int first = parking_first(s);

	touch(m);
	if (first >= 0 && !(s->flags & W)) {
		if (s->readers) {
			grant(m, !writes(s, (unsigned)first));
		} else if (!(s->flags & WOKEN) || is(WOKEN_IGNORED)) {
			s->flags |= WOKEN;
			if (owed_the_lock(m, (unsigned)first))
				s->flags |= HANDOFF;
			s->queued &= (uint8_t)~bit((unsigned)first);
			m->tell = (uint8_t)bit((unsigned)first);
			m->told = TOLD_COMPETE;
		}
	}
	mark_queue(s, first);
}

/* wake() is done: end(). */
static void end_wakes(struct move *m)
{
	if (m->me->more)
		m->me->at = REST;
	else
		go(m, m->me->then);
}

/* The rest of a section: tell(), wake(), end(), then on to `then`. */
static void end_section(struct move *m, enum place then)
{
	struct thread *me = m->me;

	me->then = (uint8_t)then;
	me->more = m->more;
	me->tell = m->tell;
	me->told = m->told;
	m->s.untold |= m->tell;
	me->at = m->tell && !is(STORE_AFTER_UNLOCK) ? TELL : UNLOCK;
	if (is(WAKE_BEFORE_STORE) && m->tell) {
		me->wake = me->tell;
		me->at = WAKE;
	}
}

/* begin(): the bucket's lock. */
static void lock(struct move *m)
{
	m->what = "begin: locks the bucket";
	m->s.bucket = (uint8_t)(1 + m->i);
}

/* The first by ticket of those it has to tell, or THREADS_MAX. */
static unsigned next_to_tell(const struct move *m)
{
	for (unsigned k = 0; k < m->s.waiters; k++)
		if (m->me->tell & bit(m->s.waiter[k]))
			return m->s.waiter[k];
	return THREADS_MAX;
}

/* tell(): the store to one waiter's own word. */
static void tell(struct move *m)
{
	struct state *s = &m->s;
	struct thread *me = m->me;
	const unsigned j = next_to_tell(m);

	m->what = "tell: a waiter's own word";
	if (j >= THREADS_MAX || (s->thread[j].node != NOTHING &&
				 s->thread[j].node != TOLD_ASLEEP)) {
		explore_broken(explorer, "stray store");
		return;
	}
	if (s->thread[j].node == TOLD_ASLEEP && !is(SLEEPER_NOT_WOKEN) &&
	    !is(WAKE_BEFORE_STORE))
		me->wake |= (uint8_t)bit(j);
	s->thread[j].node = me->told;
	s->untold &= (uint8_t)~bit(j);
	me->tell &= (uint8_t)~bit(j);
	if (me->tell)
		return;
	me->told = 0;
	if (!is(STORE_AFTER_UNLOCK))
		me->at = UNLOCK;
	else if (me->wake)
		me->at = WAKE;
	else
		end_wakes(m);
}

/* wake(): the bucket's lock. */
static void unlock(struct move *m)
{
	m->what = "wake: unlocks the bucket";
	m->s.bucket = 0;
	if (m->me->tell)
		m->me->at = TELL;
	else if (m->me->wake)
		m->me->at = WAKE;
	else
		end_wakes(m);
}

/* wake(): one wake-up. */
static void wake(struct move *m)
{
	struct thread *me = m->me;
	unsigned j = 0;

	m->what = "wake: one sleeper";
	while (!(me->wake & bit(j)))
		j++;
	if (m->s.thread[j].at == ASLEEP)
		m->s.thread[j].at = AWAIT;
	me->wake &= (uint8_t)~bit(j);
	if (me->wake)
		return;
	if (me->tell)
		me->at = TELL;
	else
		end_wakes(m);
}

/* end(): the section for what one section could not tell. */
static void rest(struct move *m)
{
	m->what = "end: a section for the rest";
	if (is(REST_PLAIN))
		m->me->let_in = 0;
	if (is(REST_UNBOUNDED) && m->me->then == HELD)
		m->me->let_in = 0xff;
	if (is(REST_TOUCHES))
		touch(m);
	if (m->s.queued)
		settle(m);
	end_section(m, m->me->then);
}

/* ---- Acquiring ---- */

static bool full(const struct move *m)
{
	return !my(m)->writes && !(m->s.flags & W) &&
	       m->s.readers >= parking.readers_max;
}

/* now_or_never(), the spin of rwi_wait(), and the fast paths */
static void start(struct move *m)
{
	const struct state *s = &m->s;

	if (obtainable(m, turn_of(m))) {
		m->what = "start: acquires";
		take(m);
		go(m, HELD);
		return;
	}
	if (my(m)->tries) {
		const bool may_read =
		    s->readers < parking.readers_max && !(s->flags & WPEND);

		if (!(s->flags & W) &&
		    (my(m)->writes ? !s->readers : !s->readers || may_read))
			explore_broken(explorer, "try failed for no reason");
		m->what = "start: the try fails";
		go(m, NEXT);
		return;
	}
	m->what = "start: not now";
	m->me->at = ENQUEUE;
}

/* enqueue() */
static void enqueue(struct move *m)
{
	if (obtainable(m, turn_of(m))) {
		m->what = "enqueue: acquires after all";
		take(m);
		end_section(m, HELD);
	} else if (my(m)->may_fail && full(m)) {
		m->what = "enqueue: all read holds are out";
		end_section(m, NEXT);
	} else {
		m->what = "enqueue: in the queue";
		insert(m);
		if (is(ENQUEUE_UNSETTLED))
			m->s.flags |= QUEUED;
		else
			settle(m);
		end_section(m, AWAIT);
	}
}

/* next_look_ns(): writers only, for passed-over readers need no help. */
static bool sees_impatience(const struct state *s, unsigned i)
{
	return s->thread[i].patience == IMPATIENT && writes(s, i) &&
	       !is(PATIENCE_UNSEEN);
}

/* await(): a look at its own word, and the system call's last look. */
static void await(struct move *m)
{
	struct thread *me = m->me;

	if (me->node == TOLD_GRANTED) {
		m->what = "await: granted";
		touch(m);
		got_it(m);
		go(m, HELD);
	} else if (me->node == TOLD_COMPETE) {
		m->what = "await: told to compete";
		me->at = COMPETE;
	} else if (me->orphan && !is(ORPHAN_WAITS)) {
		m->what = "await: orphaned by a fork";
		drop_node(m);
		me->at = ENQUEUE;
	} else if (sees_impatience(&m->s, m->i)) {
		m->what = "await: P has passed";
		me->at = LOOK_PATIENCE;
	} else if (me->node == NOTHING && !is(SLEEP_UNMARKED)) {
		m->what = "await: says that it will sleep";
		me->node = TOLD_ASLEEP;
	} else {
		m->what = "await: sleeps";
		me->at = ASLEEP;
	}
}

static void wake_up(struct move *m)
{
	m->what = "await: wakes untold";
	m->me->at = AWAIT;
}

static void slice_ends(struct move *m)
{
	m->what = "await: the slice is over";
	m->me->at = LOOK_SLICE;
}

static void has_enough(struct move *m)
{
	m->what = "await: a deadline or a signal";
	m->me->at = GIVE_UP;
}

/* in_queue() */
static bool in_queue(const struct thread *t)
{
	return t->node <= TOLD_ASLEEP && !t->orphan;
}

/* look_around() */
static void look_around(struct move *m)
{
	m->what = "look_around: settles";
	if (m->me->at == LOOK_PATIENCE)
		m->me->patience = IMPATIENCE_SEEN;
	if (in_queue(m->me)) {
		if (m->me->at == LOOK_SLICE)
			strip_marks(m);
		settle(m);
	}
	end_section(m, AWAIT);
}

/* compete(): the spin of a writer that was told to. */
static void compete(struct move *m)
{
	if (my(m)->writes && obtainable(m, COMPETING)) {
		m->what = "compete: acquires";
		if (!is(WOKEN_STAYS))
			m->s.flags &= (uint8_t) ~(WOKEN | HANDOFF);
		take(m);
		got_it(m);
		go(m, HELD);
	} else {
		m->what = "compete: not now";
		m->me->at = COMPETE_QUEUE;
	}
}

static uint8_t waiting_readers(const struct state *s)
{
	unsigned readers = 0;

	for (unsigned k = 0; k < s->waiters; k++)
		if (!writes(s, s->waiter[k]))
			readers |= bit(s->waiter[k]);
	return (uint8_t)readers;
}

/* Does a reader stay in the queue though it could be let in? */
static bool left_behind(const struct move *m)
{
	return m->s.queued & waiting_readers(&m->s) && !m->more &&
	       m->s.readers < parking.readers_max;
}

/* compete(): its section. */
static void compete_queue(struct move *m)
{
	const bool got = obtainable(m, COMPETING);

	if (!(got && is(WOKEN_STAYS)))
		strip_marks(m);
	if (got) {
		m->what = "compete: enters";
		take(m);
		got_it(m);
		/* All readers who wait are let in with the one that won. */
		if (!is(READER_ENTERS_ALONE))
			m->me->let_in = waiting_readers(&m->s);
	} else {
		m->what = "compete: back into the queue";
		if (m->me->tries < parking.handoff_tries)
			m->me->tries++;
		insert(m);
		/* The child's queue knows nothing of the parent's tickets. */
		if (!is(ORPHAN_QUEUES))
			m->me->orphan = 0;
	}
	settle(m);
	if (got && !my(m)->writes && left_behind(m))
		explore_broken(explorer, "readers apart");
	end_section(m, got ? HELD : AWAIT);
}

/* give_up() */
static void give_up(struct move *m)
{
	const enum told told = m->me->node;
	bool got;

	if (told == TOLD_GRANTED && !is(GIVE_UP_GRANTED)) {
		m->what = "give_up: granted just now";
		end_section(m, AWAIT);
		return;
	}
	got = told == TOLD_COMPETE && obtainable(m, COMPETING);
	m->what = got ? "give_up: acquires after all" : "give_up: leaves";
	if (in_queue(m->me))
		m->s.queued &= (uint8_t)~bit(m->i);
	if (told == TOLD_COMPETE && !is(MARK_LEFT_BEHIND))
		strip_marks(m);
	if (got) {
		take(m);
		got_it(m);
		m->me->let_in = waiting_readers(&m->s);
	} else {
		m->me->hold = is(GIVE_UP_GRANTED) ? 0 : m->me->hold;
		drop_node(m);
	}
	if (is(GIVE_UP_UNSETTLED))
		mark_queue(&m->s, parking_first(&m->s));
	else
		settle(m);
	end_section(m, got ? HELD : NEXT);
}

/* ---- Releasing ---- */

static void change_hold(struct move *m)
{
	if (m->me->hold == WRITE_HOLD) {
		m->s.flags &= (uint8_t)~W;
		m->me->hold = 0;
	} else {
		m->s.readers--;
		m->me->hold--;
	}
}

/* Where a release leads: out, or to that of the next hold. */
static enum place after_release(const struct move *m)
{
	if (m->me->hold)
		return HELD;
	return is(TOUCH_AFTER_RELEASE) ? LATE_TOUCH : NEXT;
}

/* has_duty() */
static bool has_duty(const struct move *m)
{
	const struct state *s = &m->s;

	if (!(s->flags & QUEUED) || s->flags & WOKEN)
		return false;
	if (m->me->hold == WRITE_HOLD)
		return true;
	return (s->readers == 1 && !is(LAST_READER_WITHOUT_DUTY)) ||
	       (s->readers >= parking.readers_max && !is(FULL_WITHOUT_DUTY));
}

/* rwi_release(): without a section. */
static void release(struct move *m)
{
	touch(m);
	if (has_duty(m)) {
		m->what = "release: has a duty";
		m->me->at = RELEASE;
		return;
	}
	m->what = "release";
	change_hold(m);
	go(m, after_release(m));
}

/* rwi_release(): its section. */
static void release_settling(struct move *m)
{
	m->what = "release: in the bucket";
	touch(m);
	if (is(SETTLE_AFTER_RELEASE) && m->me->hold == WRITE_HOLD) {
		change_hold(m);
		m->s.flags &= (uint8_t)~WPEND;
		m->me->at = LATE_SETTLE;
		return;
	}
	change_hold(m);
	settle(m);
	end_section(m, after_release(m));
}

static void late_settle(struct move *m)
{
	m->what = "release: what follows, too late";
	settle(m);
	end_section(m, after_release(m));
}

static void late_touch(struct move *m)
{
	m->what = "release: one more look at the word";
	touch(m);
	go(m, NEXT);
}

/* The change of rwi_downgrade(), and what the readers who wait are owed. */
static void downgrade_hold(struct move *m)
{
	m->s.flags &= (uint8_t)~W;
	m->s.readers++;
	m->me->hold = 1;
	m->me->phase = 1;
	if (my(m)->letter != 'g')
		m->me->owed = waiting_readers(&m->s);
}

/* rwi_downgrade(): without a section. */
static void downgrade(struct move *m)
{
	touch(m);
	if (m->s.flags & QUEUED && !is(DOWNGRADE_UNSETTLED)) {
		m->what = "downgrade: has a duty";
		m->me->at = DOWNGRADE;
		return;
	}
	m->what = "downgrade";
	downgrade_hold(m);
	go(m, HELD);
}

/* rwi_downgrade(): its section. */
static void downgrade_settling(struct move *m)
{
	m->what = "downgrade: in the bucket";
	touch(m);
	downgrade_hold(m);
	if (!is(DOWNGRADE_FIRST_ONLY))
		m->me->let_in = waiting_readers(&m->s);
	settle(m);
	end_section(m, HELD);
}

/* ---- The surroundings ---- */

/* Is this thread done with the semaphore, but for the tail of a call? */
static bool is_past(const struct state *s, unsigned j)
{
	const struct thread *t = &s->thread[j];
	const char *op = &parking.program[j][t->op];
	const bool in_tail = t->at == LATE_SETTLE || t->at == LATE_TOUCH ||
			     t->then == NEXT || t->then == LATE_TOUCH;

	if (t->at == DONE || (t->at == START && *op == 'a' && !s->lives))
		return true;
	return in_tail && !t->hold && !parking.endless &&
	       (!op[1] || op[1] == 'a');
}

/* Free the semaphore, as the next owner may at once, if nobody is to come. */
static bool can_free(const struct state *s, unsigned i)
{
	for (unsigned j = 0; j < parking.threads; j++)
		if (j != i && !is_past(s, j))
			return false;
	return true;
}

static void free_it(struct move *m)
{
	m->what = "frees the semaphore";
	if (m->s.flags != W || m->s.readers || m->s.queued)
		explore_broken(explorer, "left over");
	m->s.flags = 0;
	m->s.freed = 1;
	m->me->hold = 0;
	go(m, NEXT);
}

static void use_again(struct move *m)
{
	m->what = "uses the memory again";
	if (m->s.freed) {
		m->s.freed = 0;
		m->s.lives = 1;
	}
	go(m, NEXT);
}

static void begin_program(struct move *m)
{
	m->what = "begins";
	go(m, NEXT);
}

static void read_again(struct move *m)
{
	m->what = "wants to read again";
	m->me->phase = 1;
	m->me->at = START;
}

static void lose_patience(struct move *m)
{
	m->what = "has waited for P";
	m->me->patience = IMPATIENT;
}

/*
 * Thread 0 forks, in a handler if it is inside a call; from here on we are in
 * the child, where it is alone and the table is empty.
 */
static bool can_fork(const struct state *s)
{
	/* Signals are blocked while it has the bucket locked. */
	if (!parking.forks || s->forked || s->bucket == 1 ||
	    s->thread[0].at == DONE)
		return false;
	/* Holds of others would stay, and the child would wait for ever. */
	for (unsigned j = 1; j < parking.threads; j++)
		if (s->thread[j].hold)
			return false;
	return !(s->untold & 1 && s->thread[0].hold);
}

static void fork_it(struct move *m)
{
	struct state *s = &m->s;
	struct thread *me = m->me;

	m->what = "forks";
	s->forked = 1;
	s->bucket = s->queued = s->untold = 0;
	for (unsigned j = 1; j < parking.threads; j++) {
		if (parking_operation(s, j)->letter == 'c')
			continue;
		s->thread[j] = (struct thread){ .at = DONE };
		remove_waiter(s, j);
	}
	if (me->node) {
		remove_waiter(s, 0);
		me->orphan = 1;
	}
	if (me->at == ASLEEP)
		me->at = AWAIT;
	me->let_in = me->owed = 0;
}

/* A handler or a debugger stops thread 0 while it is told to compete. */
static bool can_stop(const struct state *s)
{
	return parking.stops && !s->stopped && s->bucket != 1 &&
	       s->thread[0].node == TOLD_COMPETE;
}

static void stop_it(struct move *m)
{
	m->what = "is stopped";
	m->s.stopped = 1;
}

/* ---- All steps ---- */

static void make(const struct state *now, unsigned i, enum explore_kind kind,
		 void (*step)(struct move *))
{
	struct move m;
	bool aged = false;

	do {
		m = (struct move){ .s = *now, .i = i, .aged = aged };
		m.me = &m.s.thread[i];
		step(&m);
		explore_emit(explorer, &m.s, i, kind, m.what);
		aged = !aged;
	} while (m.asked && aged);
}

static void make_section(const struct state *now, unsigned i,
			 void (*section)(struct move *))
{
	if (!now->bucket)
		make(now, i, EXPLORE_STEP, lock);
	else if (now->bucket == 1 + i)
		make(now, i, EXPLORE_STEP, section);
}

static void expand_start(const struct state *now, unsigned i)
{
	switch (parking_operation(now, i)->letter) {
	case 'a':
		if (now->lives)
			make(now, i, EXPLORE_STEP, begin_program);
		break;
	case 'c':
		if (now->forked)
			make(now, i, EXPLORE_STEP, begin_program);
		break;
	case 'i':
		make(now, i, EXPLORE_STEP, use_again);
		break;
	default:
		make(now, i, EXPLORE_STEP, start);
	}
}

/* A slice ends; for certain where the duty may rest with nobody else. */
static void expand_slice(const struct state *now, unsigned i)
{
	const bool certain = (now->forked || now->stopped) && !is(NO_SLICES);

	if (!in_queue(&now->thread[i]))
		return;
	if (certain && now->flags & WOKEN)
		make(now, i, EXPLORE_STEP, slice_ends);
	else if (parking.slices)
		make(now, i, EXPLORE_RARE, slice_ends);
}

static void expand_asleep(const struct state *now, unsigned i)
{
	const bool certain =
	    sees_impatience(now, i) || now->forked || now->stopped;

	make(now, i, certain ? EXPLORE_STEP : EXPLORE_RARE, wake_up);
	if (parking_operation(now, i)->may_fail)
		make(now, i, EXPLORE_CHANCE, has_enough);
}

static void expand_held(const struct state *now, unsigned i)
{
	const struct operation *o = parking_operation(now, i);
	const struct thread *t = &now->thread[i];

	if (o->downgrades && !t->phase)
		make(now, i, EXPLORE_STEP, downgrade);
	else if (o->letter == 'e' && !t->phase)
		make(now, i, EXPLORE_STEP, read_again);
	else if (o->letter == 'x' && can_free(now, i))
		make(now, i, EXPLORE_STEP, free_it);
	else if (!t->owed)
		make(now, i, EXPLORE_STEP, release);
}

static void expand_thread(const struct state *now, unsigned i)
{
	static void (*const section[])(struct move *) = {
		[ENQUEUE] = enqueue,
		[REST] = rest,
		[COMPETE_QUEUE] = compete_queue,
		[GIVE_UP] = give_up,
		[LOOK_SLICE] = look_around,
		[LOOK_PATIENCE] = look_around,
		[RELEASE] = release_settling,
		[DOWNGRADE] = downgrade_settling,
	};
	const struct thread *t = &now->thread[i];

	switch (t->at) {
	case START:
		expand_start(now, i);
		break;
	case TELL:
		make(now, i, EXPLORE_STEP, tell);
		break;
	case UNLOCK:
		make(now, i, EXPLORE_STEP, unlock);
		break;
	case WAKE:
		make(now, i, EXPLORE_STEP, wake);
		break;
	case AWAIT:
		make(now, i, EXPLORE_STEP, await);
		expand_slice(now, i);
		break;
	case ASLEEP:
		expand_asleep(now, i);
		break;
	case COMPETE:
		make(now, i, EXPLORE_STEP, compete);
		break;
	case HELD:
		expand_held(now, i);
		break;
	case LATE_SETTLE:
		make(now, i, EXPLORE_STEP, late_settle);
		break;
	case LATE_TOUCH:
		make(now, i, EXPLORE_STEP, late_touch);
		break;
	case DONE:
		break;
	default:
		make_section(now, i, section[t->at]);
	}

	if (t->node && parking.policy && parking_passed_over(now, i))
		make(now, i, EXPLORE_CLOCK, lose_patience);
}

void parking_expand(struct explorer *x, const void *state)
{
	const struct state *s = state;

	explorer = x;
	for (unsigned i = s->stopped; i < parking.threads; i++)
		expand_thread(s, i);
	if (can_fork(s))
		make(s, 0, EXPLORE_RARE, fork_it);
	if (can_stop(s))
		make(s, 0, EXPLORE_RARE, stop_it);
}
