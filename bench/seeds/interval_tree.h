/* SPDX-License-Identifier: MIT */
/*
 * Intervals in a tree that finds who overlaps a given one: what the kernel
 * keeps for each mapped file, and for each family of anonymous pages.
 *
 * Nodes belong to the caller.  A tree is not safe for threads: a lock is to
 * guard it.
 */
#ifndef RWI_INTERVAL_TREE_H
#define RWI_INTERVAL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rwi_interval {
	uint64_t start, end; /* the first and the last */
	uint64_t max;        /* greatest end from here downwards */
	struct rwi_interval *left, *right;
	uint32_t priority; /* not below those under it; any will do */
	bool in_tree;
};

struct rwi_intervals {
	struct rwi_interval *root;
	size_t count;
};

/* Requires that the node is in no tree. */
void rwi_intervals_insert(struct rwi_intervals *tree,
			  struct rwi_interval *node);

/* Requires that the node is in this tree, with its interval unchanged. */
void rwi_intervals_remove(struct rwi_intervals *tree,
			  struct rwi_interval *node);

/* How many overlap start..end. */
size_t rwi_intervals_overlapping(const struct rwi_intervals *tree,
				 uint64_t start, uint64_t end);

/* Null if the tree is sound and has the nodes it counts, or what is wrong. */
const char *rwi_intervals_fault(const struct rwi_intervals *tree);

#endif
