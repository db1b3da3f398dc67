/* SPDX-License-Identifier: MIT */
/*
 * An interval tree: a treap by where intervals start, in which each node knows
 * the greatest end below it.  Random priorities keep it flat.
 */
#include "bench/seeds/interval_tree.h"

/* Equal starts are told apart by their nodes' places. */
static bool goes_left(const struct rwi_interval *node,
		      const struct rwi_interval *of)
{
	return node->start < of->start ||
	       (node->start == of->start && (uintptr_t)node < (uintptr_t)of);
}

static uint64_t max_of(const struct rwi_interval *node)
{
	uint64_t max = node->end;

	if (node->left && node->left->max > max)
		max = node->left->max;
	if (node->right && node->right->max > max)
		max = node->right->max;
	return max;
}

/* What is left and right of the node becomes two trees. */
static void split(struct rwi_interval *root, const struct rwi_interval *node,
		  struct rwi_interval **left, struct rwi_interval **right)
{
	if (!root) {
		*left = *right = NULL;
		return;
	}
	if (goes_left(root, node)) {
		*left = root;
		split(root->right, node, &root->right, right);
	} else {
		*right = root;
		split(root->left, node, left, &root->left);
	}
	root->max = max_of(root);
}

/* The reverse. */
static struct rwi_interval *join(struct rwi_interval *left,
				 struct rwi_interval *right)
{
	if (!left)
		return right;
	if (!right)
		return left;
	if (left->priority >= right->priority) {
		left->right = join(left->right, right);
		left->max = max_of(left);
		return left;
	}
	right->left = join(left, right->left);
	right->max = max_of(right);
	return right;
}

static void insert(struct rwi_interval **root, struct rwi_interval *node)
{
	struct rwi_interval *here = *root;

	if (here && here->priority >= node->priority) {
		insert(goes_left(node, here) ? &here->left : &here->right,
		       node);
		here->max = max_of(here);
		return;
	}
	split(here, node, &node->left, &node->right);
	node->max = max_of(node);
	*root = node;
}

void rwi_intervals_insert(struct rwi_intervals *tree, struct rwi_interval *node)
{
	insert(&tree->root, node);
	node->in_tree = true;
	tree->count++;
}

/* False if it is not there. */
static bool take_out(struct rwi_interval **root,
		     const struct rwi_interval *node)
{
	struct rwi_interval *here = *root;
	bool found;

	if (!here)
		return false;
	if (here == node) {
		*root = join(here->left, here->right);
		return true;
	}
	found =
	    take_out(goes_left(node, here) ? &here->left : &here->right, node);
	here->max = max_of(here);
	return found;
}

void rwi_intervals_remove(struct rwi_intervals *tree, struct rwi_interval *node)
{
	if (!take_out(&tree->root, node))
		return;
	node->in_tree = false;
	tree->count--;
}

static size_t overlapping(const struct rwi_interval *here, uint64_t start,
			  uint64_t end)
{
	size_t count;

	if (!here || here->max < start)
		return 0;
	count = overlapping(here->left, start, end);
	if (here->start > end)
		return count;
	count += here->end >= start;
	return count + overlapping(here->right, start, end);
}

size_t rwi_intervals_overlapping(const struct rwi_intervals *tree,
				 uint64_t start, uint64_t end)
{
	return overlapping(tree->root, start, end);
}

struct check {
	const struct rwi_interval *last; /* in order, before the next */
	const char *fault;
	size_t nodes;
};

static void check(const struct rwi_interval *here, struct check *c, size_t most)
{
	if (!here || c->fault)
		return;
	if ((here->left && here->left->priority > here->priority) ||
	    (here->right && here->right->priority > here->priority))
		c->fault = "a tree has a node above a greater one";
	check(here->left, c, most);
	if (c->last && !goes_left(c->last, here))
		c->fault = "a tree is out of order";
	c->last = here;
	if (here->max != max_of(here))
		c->fault = "a tree has a wrong maximum";
	if (!here->in_tree)
		c->fault = "a tree has a node that was removed";
	if (++c->nodes > most)
		c->fault = "a tree has more nodes than it counts";
	check(here->right, c, most);
}

const char *rwi_intervals_fault(const struct rwi_intervals *tree)
{
	struct check c = { .last = NULL };

	check(tree->root, &c, tree->count);
	if (!c.fault && c.nodes != tree->count)
		c.fault = "a tree has fewer nodes than it counts";
	return c.fault;
}
