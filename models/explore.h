/* SPDX-License-Identifier: MIT */
/*
 * Exhaustive exploration of a model: every state that any interleaving of its
 * actors reaches, sequentially consistent, each state visited once.
 *
 * A model is a fixed number of bytes and a function that emits all successors
 * of a state.  The explorer checks
 *
 *   - in each state: what the model's check() says;
 *   - in each step: that the model does not call explore_broken();
 *   - that from each state a final one can be reached by ordinary steps alone
 *     ("stuck" otherwise: a lost wake-up, a deadlock);
 *   - if asked, that no infinite and strongly fair run leaves an actor waiting
 *     for ever ("starvation").  Strongly fair: whoever can move again and again
 *     moves again and again.
 *
 * What went wrong comes with a shortest run that leads there.
 */
#ifndef MODELS_EXPLORE_H
#define MODELS_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum explore_kind {
	/* An actor goes on. */
	EXPLORE_STEP,
	/*
	 * Time that certainly passes, but in its own time: no state may need
	 * it to reach the end, and every infinite run contains it.
	 */
	EXPLORE_CLOCK,
	/* May happen, and in an infinite run again and again: a deadline. */
	EXPLORE_CHANCE,
	/* May happen, but not for ever: a stray wake-up. */
	EXPLORE_RARE
};

struct explorer;

enum { EXPLORE_SIZE_MAX = 128, EXPLORE_ACTORS_MAX = 32 };

struct explore_model {
	size_t size; /* of a state, which has no padding */
	unsigned actors;

	void (*expand)(struct explorer *explorer, const void *state);
	/* The name of the property this state breaks, or null. */
	const char *(*check)(const void *state);
	bool (*final)(const void *state);
	/* Does this actor wait for something in this state? */
	bool (*waits)(const void *state, unsigned actor);
	void (*print)(const void *state);
};

/* From expand(): `actor` turns the state into *next. */
void explore_emit(struct explorer *explorer, const void *next, unsigned actor,
		  enum explore_kind kind, const char *what);

/* From expand(): the step being made breaks a property. */
void explore_broken(struct explorer *explorer, const char *property);

struct explore_result {
	const char *broken; /* a property, or null */
	uint32_t states;
};

/*
 * Explore from *first; with `endless`, look for starvation and not for stuck
 * states (there is no end).  With `trace`, print how a property breaks.
 */
struct explore_result explore(const struct explore_model *model,
			      const void *first, bool endless, bool trace);

#endif
