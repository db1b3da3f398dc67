/* SPDX-License-Identifier: MIT */
/*
 * The graph of an exploration: nodes are numbered from 0, and the edges that
 * leave node n are edges[first[n]] up to, not including, edges[first[n + 1]].
 */
#ifndef MODELS_GRAPH_H
#define MODELS_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct graph_edge {
	uint32_t to;
	uint8_t actor;
	uint8_t kind; /* enum explore_kind */
};

struct graph {
	uint32_t nodes;
	uint64_t *first;
	struct graph_edge *edges;
};

/* A set of nodes, in no order. */
struct graph_set {
	uint32_t *node;
	uint32_t count;
};

/* Extend the marks, by node, to all nodes with ordinary steps to a marked. */
void graph_mark_sources(const struct graph *graph, bool *marked);

/*
 * Find a strongly connected part of `within` in which every actor that is ever
 * able to step, or whose clock can tick, does so without leaving the part: the
 * body of an infinite, strongly fair run.  Rare edges do not count.  Returns
 * the part, to be freed by the caller, or an empty set.
 */
struct graph_set graph_fair_part(const struct graph *graph,
				 struct graph_set within);

/*
 * A shortest path inside `part`, from a node to the end of some edge of
 * `actor`, or with `actor` negative to the node `goal`.  Writes the nodes after
 * `from` and returns their number; 0 if there is none.
 */
uint32_t graph_path(const struct graph *graph, struct graph_set part,
		    uint32_t from, int actor, uint32_t goal, uint32_t *path);

/* calloc or realloc that ends the program when there is no memory. */
void *graph_alloc(size_t count, size_t size);
void *graph_realloc(void *old, size_t count, size_t size);

#endif
