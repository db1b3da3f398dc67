/* SPDX-License-Identifier: MIT */
/*
 * The family as a tree of text:
 *
 *	2001  first
 *	2005  |-second: what it took from the one above
 *	      |   from third: what it took from there
 *	2013  `-fourth: what it took
 *
 * Every line begins with the design's year, so the tree can be read by years
 * although it goes by branches.
 */
#include "tools/lib/family.h"

#include "tools/lib/cli.h"

#include <string.h>

enum { COLUMNS = 80, YEAR = 6 };

struct tree {
	const struct rwi_family *family;
	FILE *file;
	char bars[COLUMNS]; /* of the branches that go on below */
};

/* The place of the one it hangs under, or the count. */
static size_t above(const struct rwi_family *f, size_t member)
{
	const struct rwi_design *design = f->members[member];

	if (!rwi_family_debts(design))
		return f->count;
	return rwi_family_place(f, design->owes[0].to);
}

/* The next after `after` that hangs under `under`, or the count. */
static size_t next_below(const struct rwi_family *f, size_t under, size_t from)
{
	while (from < f->count && above(f, from) != under)
		from++;
	return from;
}

/*
 * Text behind what stands already in the line, which has `used` columns; it
 * goes on in lines that begin as `margin` says.
 */
static void wrap(struct tree *t, size_t used, const char *margin,
		 const char *text)
{
	size_t room = used < COLUMNS ? COLUMNS - used : 0;

	for (;;) {
		const char *rest;
		const size_t length = rwi_family_line(text, room, &rest);

		fprintf(t->file, "%.*s\n", (int)length, text);
		if (!*rest)
			return;
		text = rest;
		fputs(margin, t->file);
		room = COLUMNS - strlen(margin);
	}
}

/* What it took: from the one above, then from others. */
static void took(struct tree *t, const struct rwi_design *d, size_t used,
		 bool hangs, const char *margin)
{
	for (unsigned i = 0; i < rwi_family_debts(d); i++) {
		char text[512], inner[COLUMNS + 16];

		if (i || !hangs)
			snprintf(text, sizeof text, "from %s: %s",
				 d->owes[i].to, d->owes[i].what);
		else
			snprintf(text, sizeof text, "%s", d->owes[i].what);
		if (i || !hangs) {
			fputs(margin, t->file);
			used = strlen(margin);
		} else {
			fputs(": ", t->file);
			used += 2;
		}
		snprintf(inner, sizeof inner, "%s  ", margin);
		wrap(t, used, inner, text);
	}
}

/* The year, the branches and the name; the columns that they use. */
static size_t head(const struct tree *t, const struct rwi_design *d,
		   const char *branch)
{
	if (d->year)
		fprintf(t->file, "%-*d", YEAR, d->year);
	else
		fprintf(t->file, "%-*s", YEAR, "ours");
	fprintf(t->file, "%s%s%s%s%s", t->bars, branch,
		rwi_style(t->file, RWI_BOLD), d->name,
		rwi_style(t->file, RWI_PLAIN));
	return YEAR + strlen(t->bars) + strlen(branch) + strlen(d->name);
}

static void member(struct tree *t, size_t place, bool hangs, bool last)
{
	const struct rwi_family *f = t->family;
	const struct rwi_design *d = f->members[place];
	const size_t depth = strlen(t->bars);
	const size_t child = next_below(f, place, 0);
	const size_t used = head(t, d, !hangs ? "" : last ? "`-" : "|-");
	char margin[COLUMNS + 16];

	if (hangs && depth + 2 < sizeof t->bars)
		strcat(t->bars, last ? "  " : "| ");
	snprintf(margin, sizeof margin, "%*s%s%s  ", YEAR, "", t->bars,
		 child < f->count ? "| " : "  ");
	if (!hangs)
		fputc('\n', t->file);
	took(t, d, used, hangs, margin);
	for (size_t i = child, next; i < f->count; i = next) {
		next = next_below(f, place, i + 1);
		member(t, i, true, next == f->count);
	}
	t->bars[depth] = '\0';
}

void rwi_family_text(const struct rwi_family *family, FILE *file)
{
	struct tree tree = { .family = family, .file = file };

	for (size_t i = 0; i < family->count; i++)
		if (above(family, i) == family->count)
			member(&tree, i, false, false);
}
