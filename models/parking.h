/* SPDX-License-Identifier: MIT */
/*
 * The waiting protocol as a model: the state of one semaphore, of its queue
 * and of up to five threads that run small programs on it.
 *
 * One step of the model is one atomic step of the code: a load or a
 * compare-and-swap of the word, a load or store of a waiter's own word, the
 * bucket's lock, a system call.  Three things are drawn together:
 *
 *   - A loop around a compare-and-swap is the turn that succeeds, when it does.
 *     Spinning is waiting for that moment.
 *   - A section changes the queue in the same step as the word, for the queue
 *     is seen under the bucket's lock only.
 *   - What a thread does with its hold takes no step.
 *
 * So the code and the model are to be read side by side; each step is named
 * after the function it stands for.
 */
#ifndef MODELS_PARKING_H
#define MODELS_PARKING_H

#include "explore.h"

enum { THREADS_MAX = 5 };

/* The word (core/word.h), but for the read holds and CHECKED. */
enum {
	W = 1 << 0,
	QUEUED = 1 << 1,
	WOKEN = 1 << 2,
	HANDOFF = 1 << 3,
	WPEND = 1 << 4
};

/* Where a thread is: what its next step will be. */
enum place {
	START,   /* the first look, and the spin */
	ENQUEUE, /* the section that queues */
	TELL,    /* in a section: the stores to the waiters' words */
	UNLOCK,  /* the end of a section */
	WAKE,    /* after a section: the wake-ups */
	REST,    /* the section for the readers that remain to be told */
	AWAIT,   /* looking at its own word */
	ASLEEP,
	COMPETE,       /* told to; spinning */
	COMPETE_QUEUE, /* the section that enters or queues again */
	GIVE_UP,       /* the section that leaves */
	LOOK_SLICE,    /* the section at the end of a slice, or of patience */
	LOOK_PATIENCE,
	HELD,      /* the lock is ours */
	RELEASE,   /* the section that releases */
	DOWNGRADE, /* the section that downgrades */
	LATE_SETTLE,
	LATE_TOUCH, /* variants only */
	NEXT,       /* not a place: on to the next operation */
	DONE
};

/* A waiter's own word (core/park.h), and whether there is one. */
enum told { NO_NODE, NOTHING, TOLD_ASLEEP, TOLD_COMPETE, TOLD_GRANTED };

enum { WRITE_HOLD = 255 };

/* Has the waiter been queued for P, and has it seen to that? */
enum patience { PATIENT, IMPATIENT, IMPATIENCE_SEEN };

/* Sets of threads are bits by number. */
struct thread {
	uint8_t at;       /* enum place */
	uint8_t op;       /* index in its program */
	uint8_t phase;    /* of the operation: 1 after its first acquisition */
	uint8_t hold;     /* read holds, or WRITE_HOLD */
	uint8_t node;     /* enum told */
	uint8_t tries;    /* competitions lost */
	uint8_t patience; /* enum patience */
	uint8_t orphan;   /* its node is from before a fork */
	uint8_t at_tail;  /* it lost its place (variants only) */
	uint8_t tell;     /* to be told */
	uint8_t told;     /* what; enum told */
	uint8_t wake;     /* to be woken */
	uint8_t more;     /* readers remain to be granted */
	uint8_t then;     /* enum place, after section and wake-ups */
	uint8_t let_in;   /* readers to be let in whoever is first */
	uint8_t owed;     /* who waited when it downgraded */
};

struct state {
	uint8_t flags, readers; /* the word */
	uint8_t bucket;         /* 0, or 1 + the thread that has it locked */
	uint8_t waiters;
	uint8_t waiter[THREADS_MAX]; /* by ticket, in the queue or told */
	uint8_t queued;              /* those in the queue */
	uint8_t untold;              /* taken out, own word not yet stored */
	uint8_t freed;               /* the semaphore does not exist now */
	uint8_t lives;               /* how often the memory was used again */
	uint8_t forked;              /* this is the child */
	uint8_t stopped;             /* thread 0 makes no further step */
	struct thread thread[THREADS_MAX];
};

enum policy { FAIR, PREFER_READERS, PREFER_WRITERS };

/* Variants broken on purpose. */
enum variant {
#define VARIANT(name, text) name,
#include "variants.def"
#undef VARIANT
	VARIANTS
};

/* What is being explored. */
struct parking {
	const char *program[THREADS_MAX];
	unsigned threads;
	enum policy policy;
	uint8_t readers_max, tell_max, handoff_tries;
	bool endless; /* programs start over */
	bool slices;  /* slices of sleep may end */
	bool forks;   /* thread 0 may fork at any time */
	bool stops;   /* thread 0 may stop for good while it competes */
	bool variant[VARIANTS];
};
extern struct parking parking;

/* An operation of a program. */
struct operation {
	char letter;
	bool writes;
	bool tries;    /* now or never */
	bool may_fail; /* can give up */
	bool downgrades;
	const char *text;
};
extern const struct operation parking_operations[]; /* ends with letter 0 */

const struct operation *parking_operation(const struct state *s, unsigned j);
void parking_expand(struct explorer *explorer, const void *state);

/* The first in the queue by the policy, or -1. */
int parking_first(const struct state *s);
/* Does the policy still pass this waiter over? */
bool parking_passed_over(const struct state *s, unsigned j);

/* properties.c */
const char *parking_check(const void *state);
bool parking_final(const void *state);
bool parking_waits(const void *state, unsigned actor);
void parking_print(const void *state);

#endif
