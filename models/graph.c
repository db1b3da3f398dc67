/* SPDX-License-Identifier: MIT */
/* Reachability and fair cycles; see graph.h. */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

void *graph_realloc(void *old, size_t count, size_t size)
{
	void *memory = NULL;

	if (!count)
		count = 1;
	if (count <= SIZE_MAX / size)
		memory = realloc(old, count * size);
	if (!memory) {
		fputs("rwsem: model: out of memory\n", stderr);
		exit(2);
	}
	return memory;
}

void *graph_alloc(size_t count, size_t size)
{
	return memset(graph_realloc(NULL, count, size), 0,
		      (count ? count : 1) * size);
}

void graph_mark_sources(const struct graph *graph, bool *marked)
{
	const uint32_t nodes = graph->nodes;
	uint64_t *first = graph_alloc(nodes + 2ul, sizeof *first);
	uint32_t *source, *todo = graph_alloc(nodes, sizeof *todo);
	uint32_t count = 0;

	/* The same graph with its steps reversed, sorted by counting. */
	for (uint64_t e = 0; e < graph->first[nodes]; e++)
		first[graph->edges[e].to + 2]++;
	for (uint32_t n = 0; n < nodes; n++)
		first[n + 2] += first[n + 1];
	source = graph_alloc(graph->first[nodes], sizeof *source);
	for (uint32_t n = 0; n < nodes; n++)
		for (uint64_t e = graph->first[n]; e < graph->first[n + 1]; e++)
			source[first[graph->edges[e].to + 1]++] =
			    graph->edges[e].kind == EXPLORE_STEP ? n
								 : UINT32_MAX;
	for (uint32_t n = 0; n < nodes; n++)
		if (marked[n])
			todo[count++] = n;
	while (count) {
		const uint32_t n = todo[--count];

		for (uint64_t e = first[n]; e < first[n + 1]; e++) {
			const uint32_t from = source[e];

			if (from == UINT32_MAX || marked[from])
				continue;
			marked[from] = true;
			todo[count++] = from;
		}
	}
	free(first);
	free(source);
	free(todo);
}

/*
 * Tarjan's algorithm without recursion.  `part` of a node is 0 outside of the
 * set looked at, PENDING until its part is known, then the part's number.
 */
enum { PENDING = UINT32_MAX };

struct parts {
	const struct graph *graph;
	uint32_t *part;
	uint32_t *index, *low;
	uint64_t *next; /* the edge to look at next */
	uint32_t *stack, *call;
	uint32_t *member; /* the members of part 1, of part 2, ... */
	uint32_t *start;  /* where those of part n begin: start[n - 1] */
	uint32_t members, count;
};

static struct parts *parts_new(const struct graph *graph)
{
	struct parts *p = graph_alloc(1, sizeof *p);
	const uint32_t nodes = graph->nodes;

	p->graph = graph;
	p->part = graph_alloc(nodes, sizeof *p->part);
	p->index = graph_alloc(nodes, sizeof *p->index);
	p->low = graph_alloc(nodes, sizeof *p->low);
	p->next = graph_alloc(nodes, sizeof *p->next);
	p->stack = graph_alloc(nodes, sizeof *p->stack);
	p->call = graph_alloc(nodes, sizeof *p->call);
	p->member = graph_alloc(nodes, sizeof *p->member);
	p->start = graph_alloc(nodes + 1ul, sizeof *p->start);
	return p;
}

static void parts_free(struct parts *p)
{
	free(p->part);
	free(p->index);
	free(p->low);
	free(p->next);
	free(p->stack);
	free(p->call);
	free(p->member);
	free(p->start);
	free(p);
}

static void visit_from(struct parts *p, uint32_t root, uint32_t *counter)
{
	const struct graph *graph = p->graph;
	uint32_t stacked = 0, calls = 0;

	p->call[calls++] = p->stack[stacked++] = root;
	p->index[root] = p->low[root] = ++*counter;
	p->next[root] = graph->first[root];
	while (calls) {
		const uint32_t n = p->call[calls - 1];
		uint32_t m;

		if (p->next[n] < graph->first[n + 1]) {
			const struct graph_edge *edge =
			    &graph->edges[p->next[n]++];

			m = edge->to;
			if (edge->kind == EXPLORE_RARE || p->part[m] != PENDING)
				continue;
			if (!p->index[m]) {
				p->call[calls++] = p->stack[stacked++] = m;
				p->index[m] = p->low[m] = ++*counter;
				p->next[m] = graph->first[m];
			} else if (p->index[m] < p->low[n]) {
				p->low[n] = p->index[m];
			}
			continue;
		}
		if (--calls && p->low[n] < p->low[p->call[calls - 1]])
			p->low[p->call[calls - 1]] = p->low[n];
		if (p->low[n] != p->index[n])
			continue;
		p->count++;
		do {
			m = p->stack[--stacked];
			p->part[m] = p->count;
			p->member[p->members++] = m;
		} while (m != n);
		p->start[p->count] = p->members;
	}
}

static void find_parts(struct parts *p, struct graph_set within)
{
	uint32_t counter = 0;

	memset(p->part, 0, p->graph->nodes * sizeof *p->part);
	p->members = p->count = 0;
	for (uint32_t i = 0; i < within.count; i++) {
		p->part[within.node[i]] = PENDING;
		p->index[within.node[i]] = 0;
	}
	for (uint32_t i = 0; i < within.count; i++)
		if (!p->index[within.node[i]])
			visit_from(p, within.node[i], &counter);
}

static bool is_fair(const struct graph_edge *edge)
{
	return edge->kind == EXPLORE_STEP || edge->kind == EXPLORE_CLOCK;
}

/* A bit for who moves along an edge; an actor's clock is another mover. */
static uint64_t mover(const struct graph_edge *edge)
{
	return UINT64_C(1) << (edge->actor + (edge->kind == EXPLORE_CLOCK
						  ? EXPLORE_ACTORS_MAX
						  : 0));
}

/* Those able to move somewhere in the part but never moving inside it. */
static uint64_t wronged(const struct parts *p, struct graph_set part,
			bool *has_cycle)
{
	const struct graph *graph = p->graph;
	const uint32_t own = p->part[part.node[0]];
	uint64_t able = 0, moving = 0;

	*has_cycle = false;
	for (uint32_t i = 0; i < part.count; i++) {
		const uint32_t n = part.node[i];

		for (uint64_t e = graph->first[n]; e < graph->first[n + 1];
		     e++) {
			const struct graph_edge *edge = &graph->edges[e];

			if (is_fair(edge))
				able |= mover(edge);
			if (edge->kind == EXPLORE_RARE ||
			    p->part[edge->to] != own)
				continue;
			moving |= mover(edge);
			*has_cycle = true;
		}
	}
	return able & ~moving;
}

/* Can one of these move in node n? */
static bool moves(const struct graph *graph, uint32_t n, uint64_t movers)
{
	for (uint64_t e = graph->first[n]; e < graph->first[n + 1]; e++)
		if (is_fair(&graph->edges[e]) &&
		    (mover(&graph->edges[e]) & movers))
			return true;
	return false;
}

static struct graph_set copy(struct graph_set set)
{
	struct graph_set to = { graph_alloc(set.count, sizeof *to.node),
				set.count };

	memcpy(to.node, set.node, set.count * sizeof *to.node);
	return to;
}

/*
 * The usual emptiness check for strong fairness: a part that wrongs an actor
 * cannot hold a fair run that comes by a state in which the actor could move;
 * so take those states out and look at what is left.
 */
struct graph_set graph_fair_part(const struct graph *graph,
				 struct graph_set within)
{
	struct parts *p = parts_new(graph);
	struct graph_set *todo = graph_alloc(1, sizeof *todo);
	struct graph_set found = { NULL, 0 };
	uint32_t todos = 0;

	todo[todos++] = copy(within);
	while (todos) {
		struct graph_set set = todo[--todos];

		find_parts(p, set);
		free(set.node);
		for (uint32_t k = 0; k < p->count && !found.count; k++) {
			struct graph_set part = { &p->member[p->start[k]],
						  p->start[k + 1] -
						      p->start[k] };
			bool has_cycle;
			uint64_t victims = wronged(p, part, &has_cycle);
			struct graph_set rest;

			if (!has_cycle)
				continue;
			if (!victims) {
				found = copy(part);
				break;
			}
			rest = copy(part);
			rest.count = 0;
			for (uint32_t i = 0; i < part.count; i++)
				if (!moves(graph, part.node[i], victims))
					rest.node[rest.count++] = part.node[i];
			if (rest.count) {
				todo = graph_realloc(todo, todos + 1ul,
						     sizeof *todo);
				todo[todos++] = rest;
			} else {
				free(rest.node);
			}
		}
		if (found.count)
			break;
	}
	while (todos)
		free(todo[--todos].node);
	free(todo);
	parts_free(p);
	return found;
}

uint32_t graph_path(const struct graph *graph, struct graph_set part,
		    uint32_t from, int actor, uint32_t goal, uint32_t *path)
{
	uint32_t *before = graph_alloc(graph->nodes, sizeof *before);
	uint32_t *queue = graph_alloc(part.count + 1ul, sizeof *queue);
	uint32_t head = 0, tail = 0, length = 0, last = UINT32_MAX, end = 0;

	/* 0: outside; 1: not yet reached; 2 + n: reached from n. */
	for (uint32_t i = 0; i < part.count; i++)
		before[part.node[i]] = 1;
	for (queue[tail++] = from; head < tail && last == UINT32_MAX; head++) {
		const uint32_t n = queue[head];

		for (uint64_t e = graph->first[n]; e < graph->first[n + 1];
		     e++) {
			const struct graph_edge *edge = &graph->edges[e];

			if (edge->kind == EXPLORE_RARE || !before[edge->to])
				continue;
			if (actor < 0 ? edge->to == goal
				      : edge->actor == actor) {
				last = n;
				end = edge->to;
				break;
			}
			if (before[edge->to] == 1 && edge->to != from) {
				before[edge->to] = 2 + n;
				queue[tail++] = edge->to;
			}
		}
	}
	if (last != UINT32_MAX) {
		path[length++] = end;
		for (uint32_t n = last; n != from; n = before[n] - 2)
			path[length++] = n;
		for (uint32_t i = 0; i < length / 2; i++) {
			const uint32_t swap = path[i];

			path[i] = path[length - 1 - i];
			path[length - 1 - i] = swap;
		}
	}
	free(before);
	free(queue);
	return length;
}
