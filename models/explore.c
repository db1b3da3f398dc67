/* SPDX-License-Identifier: MIT */
/* Breadth-first search with a table of visited states; see explore.h. */
#include "explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* More than any program of ours reaches; a model that runs away ends here. */
enum { STATES_MAX = 40000000 };

struct explorer {
	const struct explore_model *model;
	struct graph graph; /* graph.nodes: states known */
	unsigned char *states;
	uint32_t *parent;
	uint32_t room; /* in the arrays by state */
	uint32_t *slots, slot_mask;
	uint64_t edge_room;
	uint32_t current; /* the state being expanded */
	const char *broken;
	bool in_step; /* broken by a step out of the current state */

	/* When looking for the step that leads to a state, or that breaks. */
	const void *sought;
	const char *what;
	unsigned actor;
	bool seeking;
};

static const void *state_at(const struct explorer *x, uint32_t n)
{
	return x->states + n * x->model->size;
}

static uint32_t hash(const unsigned char *bytes, size_t size)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	while (size >= 8) {
		uint64_t word;

		memcpy(&word, bytes, 8);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
		bytes += 8;
		size -= 8;
	}
	while (size--)
		h = (h ^ *bytes++) * UINT64_C(0x100000001b3);
	return (uint32_t)(h ^ h >> 29);
}

/* The slot that holds this state, or where it belongs. */
static uint32_t *slot_of(struct explorer *x, const void *state)
{
	const size_t size = x->model->size;
	uint32_t i = hash(state, size) & x->slot_mask;

	while (x->slots[i] &&
	       memcmp(state_at(x, x->slots[i] - 1), state, size) != 0)
		i = (i + 1) & x->slot_mask;
	return &x->slots[i];
}

static void grow(struct explorer *x)
{
	struct graph *graph = &x->graph;

	if (x->room >= STATES_MAX) {
		fputs("rwsem: model: too many states\n", stderr);
		exit(2);
	}
	x->room = x->room ? x->room * 2 : 1 << 12;
	x->states = graph_realloc(x->states, x->room, x->model->size);
	x->parent = graph_realloc(x->parent, x->room, sizeof *x->parent);
	graph->first =
	    graph_realloc(graph->first, x->room + 1ul, sizeof *graph->first);
	free(x->slots);
	x->slots = graph_alloc(x->room * 2ul, sizeof *x->slots);
	x->slot_mask = x->room * 2 - 1;
	for (uint32_t n = 0; n < graph->nodes; n++)
		*slot_of(x, state_at(x, n)) = n + 1;
}

static uint32_t add_state(struct explorer *x, const void *state)
{
	uint32_t *slot = slot_of(x, state);
	uint32_t n;

	if (*slot)
		return *slot - 1;
	if (x->graph.nodes == x->room) {
		grow(x);
		slot = slot_of(x, state);
	}
	n = x->graph.nodes++;
	memcpy(x->states + n * x->model->size, state, x->model->size);
	x->parent[n] = x->current;
	*slot = n + 1;
	return n;
}

void explore_emit(struct explorer *x, const void *next, unsigned actor,
		  enum explore_kind kind, const char *what)
{
	struct graph *graph = &x->graph;
	const uint64_t edge = graph->first[x->current + 1];
	uint32_t to;

	if (x->seeking) {
		const bool found =
		    x->sought ? memcmp(next, x->sought, x->model->size) == 0
			      : x->broken != NULL;

		if (found && !x->what) {
			x->what = what;
			x->actor = actor;
		}
		return;
	}
	if (x->broken)
		return;
	if (edge == x->edge_room) {
		x->edge_room = x->edge_room ? x->edge_room * 2 : 1 << 14;
		graph->edges = graph_realloc(graph->edges, x->edge_room,
					     sizeof *graph->edges);
	}
	to = add_state(x, next);
	graph->edges[edge] =
	    (struct graph_edge){ to, (uint8_t)actor, (uint8_t)kind };
	graph->first[x->current + 1]++;
}

void explore_broken(struct explorer *x, const char *property)
{
	if (!x->broken)
		x->broken = property;
}

static void search(struct explorer *x)
{
	for (; x->current < x->graph.nodes; x->current++) {
		/* The table may move while it is added to. */
		unsigned char state[EXPLORE_SIZE_MAX];

		memcpy(state, state_at(x, x->current), x->model->size);
		x->broken = x->model->check(state);
		if (x->broken)
			return;
		x->graph.first[x->current + 1] = x->graph.first[x->current];
		x->model->expand(x, state);
		x->in_step = x->broken != NULL;
		if (x->broken)
			return;
	}
}

/* A state from which no ordinary steps lead to the end, or none. */
static bool find_stuck(struct explorer *x, uint32_t *where)
{
	const uint32_t states = x->graph.nodes;
	bool *good = graph_alloc(states, sizeof *good);
	bool stuck = false;

	for (uint32_t n = 0; n < states; n++)
		good[n] = x->model->final(state_at(x, n));
	graph_mark_sources(&x->graph, good);
	for (uint32_t n = 0; n < states && !stuck; n++) {
		stuck = !good[n];
		*where = n;
	}
	free(good);
	return stuck;
}

/* An actor that waits for ever in a strongly fair run: the run's body. */
static struct graph_set find_starved(struct explorer *x, unsigned *who)
{
	const uint32_t states = x->graph.nodes;
	struct graph_set part = { NULL, 0 };
	struct graph_set waiting;

	waiting.node = graph_alloc(states, sizeof *waiting.node);
	for (*who = 0; *who < x->model->actors; ++*who) {
		waiting.count = 0;
		for (uint32_t n = 0; n < states; n++)
			if (x->model->waits(state_at(x, n), *who))
				waiting.node[waiting.count++] = n;
		part = graph_fair_part(&x->graph, waiting);
		if (part.count)
			break;
	}
	free(waiting.node);
	return part;
}

/* ---- Traces ---- */

static void print_state(const struct explorer *x, uint32_t n)
{
	printf("      ");
	x->model->print(state_at(x, n));
	printf("\n");
}

/* Print the step from state `from` to state `to`, which it leads to. */
static void print_step(struct explorer *x, uint32_t from, uint32_t to)
{
	x->seeking = true;
	x->sought = state_at(x, to);
	x->what = NULL;
	x->model->expand(x, state_at(x, from));
	printf("  %u: %s\n", x->actor, x->what);
	print_state(x, to);
}

static void print_run_to(struct explorer *x, uint32_t n)
{
	uint32_t *run = graph_alloc(x->graph.nodes, sizeof *run);
	uint32_t length = 0;

	for (; n; n = x->parent[n])
		run[length++] = n;
	print_state(x, 0);
	for (n = 0; length; n = run[length])
		print_step(x, n, run[--length]);
	free(run);
}

static void print_cycle(struct explorer *x, struct graph_set part)
{
	uint32_t *path = graph_alloc(part.count + 1ul, sizeof *path);
	const uint32_t start = part.node[0];
	uint32_t at = start;

	printf("  then again and again:\n");
	for (int actor = 0; actor <= (int)x->model->actors; actor++) {
		const bool back = actor == (int)x->model->actors;
		const uint32_t length =
		    back && at == start
			? 0
			: graph_path(&x->graph, part, at, back ? -1 : actor,
				     start, path);

		for (uint32_t i = 0; i < length; i++) {
			print_step(x, at, path[i]);
			at = path[i];
		}
	}
	free(path);
}

/* Print the step that breaks a property right after state n. */
static void print_last_step(struct explorer *x, uint32_t n)
{
	x->seeking = true;
	x->sought = NULL;
	x->what = NULL;
	x->broken = NULL;
	x->model->expand(x, state_at(x, n));
	if (x->what)
		printf("  %u: %s\n", x->actor, x->what);
}

static void explain(struct explorer *x, uint32_t where, struct graph_set part)
{
	const char *broken = x->broken;

	print_run_to(x, where);
	if (part.count)
		print_cycle(x, part);
	else if (x->in_step)
		print_last_step(x, where);
	printf("  %s\n", broken);
	x->broken = broken;
}

struct explore_result explore(const struct explore_model *model,
			      const void *first, bool endless, bool trace)
{
	struct explorer x = { .model = model };
	struct graph_set part = { NULL, 0 };
	uint32_t where;
	unsigned who;
	struct explore_result result;

	grow(&x);
	x.graph.first[0] = 0;
	add_state(&x, first);
	search(&x);
	where = x.current;
	if (!x.broken && !endless && find_stuck(&x, &where))
		x.broken = "stuck";
	if (!x.broken && endless) {
		part = find_starved(&x, &who);
		if (part.count) {
			x.broken = "starvation";
			where = part.node[0];
		}
	}
	result = (struct explore_result){ x.broken, x.graph.nodes };
	if (x.broken && trace)
		explain(&x, where, part);
	free(part.node);
	free(x.states);
	free(x.parent);
	free(x.graph.first);
	free(x.graph.edges);
	free(x.slots);
	return result;
}
