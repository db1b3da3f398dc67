/* SPDX-License-Identifier: MIT */
/* The tables of a part of rwsem seed: a cell a row, a lock a column. */
#include "tools/lib/report_seed.h"

#include "tools/lib/report.h"

#include <stdio.h>
#include <string.h>

/* ---- Names ---- */

static void add(struct rwi_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->list[i], name))
			return;
	if (names->count < RWI_NAMES_MAX)
		names->list[names->count++] = name;
}

void rwi_part_names(const struct rwi_part *p, enum rwi_origin origin,
		    const char *key, struct rwi_names *names)
{
	json_t *list = json_object_get(p->json, "figures"), *item;
	size_t i;

	if (origin == RWI_HERE && !strcmp(key, "cell"))
		for (i = 0; i < p->cells_count; i++)
			add(names, rwi_part_cell(p, i));
	else if (origin == RWI_HERE && !strcmp(key, "lock"))
		for (i = 0; i < p->locks_count; i++)
			add(names, rwi_part_lock(p, i));
	else if (origin == RWI_HERE)
		for (i = 0; i < json_array_size(p->values); i++)
			add(names, rwi_part_value(p, i));
	else
		json_array_foreach(list, i, item)
		    add(names, rwi_text(item, key));
}

char *rwi_value_words(const char *value, char words[RWI_FAMILY_SIZE])
{
	snprintf(words, RWI_FAMILY_SIZE, "%s", value);
	for (char *p = words; *p; p++)
		if (*p == '_')
			*p = ' ';
	return words;
}

/* ---- A table ---- */

/* One table, of what there are numbers for. */
struct grid {
	const struct rwi_part *p;
	enum rwi_origin origin;
	const char *value;
	struct rwi_names cells, locks;
};

static struct rwi_summary number(const struct grid *g, size_t cell, size_t lock)
{
	return rwi_part_number(g->p, g->origin, g->cells.list[cell],
			       g->locks.list[lock], g->value);
}

static bool has_lock(const struct grid *g, size_t lock)
{
	for (size_t i = 0; i < g->cells.count; i++)
		if (number(g, i, lock).rounds)
			return true;
	return false;
}

static bool has_cell(const struct grid *g, size_t cell)
{
	for (size_t i = 0; i < g->locks.count; i++)
		if (number(g, cell, i).rounds)
			return true;
	return false;
}

/* Locks without a number go, and the rest move up; false if none is left. */
static bool tidy(struct grid *g)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->locks.count; i++)
		if (has_lock(g, i))
			g->locks.list[kept++] = g->locks.list[i];
	g->locks.count = kept;
	return kept > 0;
}

/* Do numbers of this table differ from round to round, or try to try? */
static bool has_spread(const struct grid *g)
{
	for (size_t i = 0; i < g->cells.count; i++)
		for (size_t k = 0; k < g->locks.count; k++) {
			const struct rwi_summary s = number(g, i, k);

			if (s.rounds && s.max > s.min)
				return true;
		}
	return false;
}

static double greatest(const struct grid *g)
{
	double most = 0;

	for (size_t i = 0; i < g->cells.count; i++)
		for (size_t k = 0; k < g->locks.count; k++) {
			const struct rwi_summary s = number(g, i, k);

			if (s.rounds && s.max > most)
				most = s.max;
		}
	return most;
}

static void print(struct rwi_page *page, const struct grid *g, double unit,
		  const char *caption)
{
	page->spreads = has_spread(g);
	rwi_page_table(page, caption);
	rwi_page_head(page, 'l', "");
	for (size_t i = 0; i < g->locks.count; i++)
		rwi_page_head(page, 'r', g->locks.list[i]);
	for (size_t i = 0; i < g->cells.count; i++) {
		if (!has_cell(g, i))
			continue;
		rwi_page_row(page, false, g->cells.list[i]);
		for (size_t k = 0; k < g->locks.count; k++) {
			const struct rwi_summary s = number(g, i, k);

			rwi_page_spread(page, s.rounds, s.median, s.min, s.max,
					unit);
		}
	}
	rwi_page_table_end(page);
}

static void table(struct rwi_page *page, const struct rwi_part *p,
		  enum rwi_origin origin, const char *value, const char *better)
{
	char caption[RWI_CHART_TEXT * 2], words[RWI_FAMILY_SIZE];
	struct grid g = { .p = p, .origin = origin, .value = value };
	const char *word;
	double unit;

	rwi_part_names(p, origin, "cell", &g.cells);
	rwi_part_names(p, origin, "lock", &g.locks);
	if (!tidy(&g))
		return;
	unit = rwi_unit(greatest(&g), &word);
	snprintf(caption, sizeof caption, "%s%s, %s%s%s", word,
		 rwi_value_words(value, words),
		 origin == RWI_HERE ? "here" : "as the message has it",
		 *better ? ": " : "", better);
	print(page, &g, unit, caption);
}

void rwi_part_tables(struct rwi_page *page, const struct rwi_part *p)
{
	const char *better = p->less ? "less is better" : "more is better";
	struct rwi_names here = { .count = 0 }, all = { .count = 0 };

	rwi_part_names(p, RWI_HERE, "value", &here);
	all = here;
	rwi_part_names(p, RWI_THERE, "value", &all);
	for (size_t i = 0; i < all.count; i++) {
		const char *sense = i ? "" : better;

		table(page, p, RWI_THERE, all.list[i], sense);
		if (i < here.count)
			table(page, p, RWI_HERE, all.list[i], sense);
	}
}
