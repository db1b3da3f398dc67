/* SPDX-License-Identifier: MIT */
/*
 * The family of designs: who took what from whom.
 *
 * It is what the debts in the registry say.  Text shows it as a tree, in which
 * each design hangs under the first of those it owes; a picture shows all
 * debts as edges.
 */
#ifndef RWI_FAMILY_H
#define RWI_FAMILY_H

#include <stdio.h>

#include "designs/design.h"

enum { RWI_FAMILY_MAX = 256 };

struct rwi_family {
	const struct rwi_design *members[RWI_FAMILY_MAX];
	size_t count;
};

/*
 * All designs of the registry that have a year, a debt or a debtor, the oldest
 * first; those without a year are ours, and last.
 */
void rwi_family_read(struct rwi_family *family);

/* A member's place by name, or the count. */
size_t rwi_family_place(const struct rwi_family *family, const char *name);

/* Its year; for ours more than any. */
int rwi_family_year(const struct rwi_design *design);

/* The debts of a design: their number. */
unsigned rwi_family_debts(const struct rwi_design *design);

/*
 * The length of what fits of `text` into a line of `room` characters, at least
 * a word; *next becomes the rest, or "".
 */
size_t rwi_family_line(const char *text, size_t room, const char **next);

/* Print it as lines of at most 80 characters of ASCII. */
void rwi_family_text(const struct rwi_family *family, FILE *file);

/* Print it as an SVG picture that needs nothing else. */
void rwi_family_svg(const struct rwi_family *family, FILE *file);

#endif
