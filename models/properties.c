/* SPDX-License-Identifier: MIT */
/*
 * What must hold in every state, in every last state, and how a state prints.
 *
 * The other properties are in the steps themselves (parking.c: "touched after
 * free", "writer overtaken", "stray store", "left before told", "queued
 * twice", "try failed for no reason") and in the explorer ("stuck",
 * "starvation").
 */
#include "parking.h"

#include <stdio.h>

static bool has(const struct state *s, unsigned flag)
{
	return s->flags & flag;
}

static bool writes(const struct state *s, unsigned j)
{
	return parking_operation(s, j)->writes;
}

/* The lock is what its holders say. */
static const char *check_holds(const struct state *s)
{
	unsigned writers = 0, readers = 0;

	for (unsigned j = 0; j < parking.threads; j++) {
		if (s->thread[j].hold == WRITE_HOLD)
			writers++;
		else
			readers += s->thread[j].hold;
	}
	if (writers > 1 || (writers && readers))
		return "exclusion";
	if (s->freed)
		return NULL;
	if (has(s, W) != writers || s->readers != readers)
		return "count";
	if (s->readers > parking.readers_max)
		return "limit";
	return NULL;
}

/* Does a thread compete, or is about to be told to?  Which? */
static int competitor(const struct state *s)
{
	for (unsigned j = 0; j < parking.threads; j++)
		if (s->thread[j].node == TOLD_COMPETE)
			return (int)j;
	for (unsigned j = 0; j < parking.threads; j++)
		if (s->thread[j].told == TOLD_COMPETE)
			for (unsigned k = 0; k < parking.threads; k++)
				if (s->thread[j].tell >> k & 1)
					return (int)k;
	return -1;
}

static const char *check_marks(const struct state *s)
{
	const int who = competitor(s);

	if (has(s, HANDOFF) && !has(s, WOKEN))
		return "mark without competitor";
	/* A fork takes the competitor away; slices are there for that. */
	if (has(s, WOKEN) && who < 0 && !s->forked)
		return "mark without competitor";
	if (has(s, WPEND) && !has(s, W) && !s->readers)
		return "WPEND on a free lock";
	if (has(s, HANDOFF) && who >= 0 && !parking.slices && !s->forked &&
	    !s->stopped && parking_passed_over(s, (unsigned)who))
		return "preference";
	return NULL;
}

static bool anyone_has_more(const struct state *s)
{
	for (unsigned j = 0; j < parking.threads; j++)
		if (s->thread[j].more)
			return true;
	return false;
}

/* What settle() has seen to, once the bucket is unlocked. */
static const char *check_queue(const struct state *s)
{
	const int first = parking_first(s);
	const bool is_writer = first >= 0 && writes(s, (unsigned)first);
	/* Nobody competes, and nobody's release will settle. */
	const bool settled = first >= 0 && !has(s, W) && !has(s, WOKEN) &&
			     s->thread[first].patience != IMPATIENT;

	if (s->bucket || s->freed)
		return NULL;
	if (first >= 0 && !has(s, W) && !s->readers && !has(s, WOKEN))
		return "I4";
	if (s->queued ? !has(s, QUEUED) : has(s, QUEUED) && !s->forked)
		return "QUEUED";
	if (has(s, WPEND) && !s->forked && !s->queued)
		return "WPEND without a writer";
	if (has(s, WPEND) && parking.policy == FAIR && !s->forked && !is_writer)
		return "WPEND without a writer";
	if (!settled || s->readers == parking.readers_max || anyone_has_more(s))
		return NULL;
	if (!is_writer)
		return "reader left out";
	if (!has(s, WPEND) && !parking_passed_over(s, (unsigned)first))
		return "writer not heeded";
	return NULL;
}

/* A preference that waits for patience bars nobody before. */
static const char *check_preference(const struct state *s)
{
	if (parking.policy != PREFER_READERS || !has(s, WPEND) || s->forked)
		return NULL;
	for (unsigned k = 0; k < s->waiters; k++)
		if (writes(s, s->waiter[k]) &&
		    !parking_passed_over(s, s->waiter[k]))
			return NULL;
	return "preference";
}

static const char *check_last(const struct state *s)
{
	const unsigned stale = s->forked    ? QUEUED | WOKEN | HANDOFF
			       : s->stopped ? WOKEN | HANDOFF
					    : 0u;

	if (s->flags & ~stale || s->readers || s->waiters != s->stopped ||
	    s->queued)
		return "left over";
	return NULL;
}

const char *parking_check(const void *state)
{
	static const char *(*const checks[])(const struct state *) = {
		check_holds, check_marks, check_queue, check_preference
	};
	const char *broken = NULL;

	for (size_t i = 0; !broken && i < sizeof checks / sizeof *checks; i++)
		broken = checks[i](state);
	if (!broken && parking_final(state))
		broken = check_last(state);
	return broken;
}

bool parking_final(const void *state)
{
	const struct state *s = state;

	for (unsigned j = s->stopped; j < parking.threads; j++) {
		const char op = parking_operation(s, j)->letter;

		if (s->thread[j].at == DONE)
			continue;
		/* Waits for what need not come. */
		if (s->thread[j].at != START ||
		    !((op == 'c' && !s->forked) || (op == 'a' && !s->lives)))
			return false;
	}
	return true;
}

/* Inside a call that must come to an end. */
bool parking_waits(const void *state, unsigned actor)
{
	const struct thread *t = &((const struct state *)state)->thread[actor];

	return t->at != START && t->at != HELD && t->at != DONE;
}

void parking_print(const void *state)
{
	static const char *const flag[] = { "W", "QUEUED", "WOKEN", "HANDOFF",
					    "WPEND" };
	static const char *const place[] = {
		"start",       "enqueue", "tell",       "unlock",  "wake",
		"rest",        "await",   "asleep",     "compete", "compete()",
		"give_up()",   "slice()", "patience()", "holds",   "release()",
		"downgrade()", "late()",  "late",       "",        "done",
	};
	static const char *const node[] = { "", "", ", asleep", ", woken",
					    ", granted" };
	const struct state *s = state;

	for (unsigned k = 0; k < sizeof flag / sizeof *flag; k++)
		if (s->flags >> k & 1)
			printf("%s ", flag[k]);
	printf("readers=%u queue=", s->readers);
	for (unsigned k = 0; k < s->waiters; k++)
		if (s->queued >> s->waiter[k] & 1)
			printf("%u", s->waiter[k]);
	if (s->bucket)
		printf(" bucket=%u", s->bucket - 1u);
	if (s->forked)
		printf(" child");
	if (s->stopped)
		printf(" stopped");
	if (s->freed)
		printf(" freed");
	for (unsigned j = 0; j < parking.threads; j++) {
		const struct thread *t = &s->thread[j];

		printf(" | %u%c %s%s", j,
		       t->at == DONE ? '.' : parking_operation(s, j)->letter,
		       place[t->at], node[t->node]);
		if (t->hold)
			printf(t->hold == WRITE_HOLD ? ", W" : ", R%u",
			       t->hold);
	}
}
