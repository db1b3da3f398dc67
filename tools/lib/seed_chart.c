/* SPDX-License-Identifier: MIT */
/*
 * The message of 2001 came with a chart: a bar for each semaphore in each test.
 * Here it is as text, from the message's numbers and from ours, each side by
 * its own fastest: processors have become faster since.
 */
#include "tools/lib/seed.h"

#include "tools/lib/cli.h"

#include <math.h>
#include <string.h>

enum { BAR = 24, TRIES = 8 };

static const char charted_part[] = "2001";

/* Reads and writes: all that figures and values have in common. */
static double there(const json_t *part, const char *cell, const char *lock)
{
	const json_t *values = json_object_get(part, "values");
	double sum = NAN, tries[TRIES];
	json_t *value;
	size_t i;

	json_array_foreach(values, i, value)
	{
		size_t count = rwi_seed_figures(
		    part, cell, lock, json_string_value(value), tries, TRIES);

		if (!count)
			continue;
		if (count > TRIES)
			count = TRIES;
		if (isnan(sum))
			sum = 0;
		for (size_t k = 0; k < count; k++)
			sum += tries[k] / (double)count;
	}
	return sum;
}

static bool is_figure(const json_t *part, const char *key, const char *name)
{
	const json_t *figures = json_object_get(part, "figures");
	json_t *figure;
	size_t i;

	json_array_foreach(figures, i, figure)
	{
		if (!strcmp(rwi_text(figure, key), name))
			return true;
	}
	return false;
}

static double here(const json_t *part, const char *cell, const char *lock)
{
	const json_t *values = json_object_get(part, "values");
	double sum = NAN;
	json_t *value;
	size_t i;

	json_array_foreach(values, i, value)
	{
		const char *name = json_string_value(value);
		const struct rwi_summary s =
		    rwi_seed_value(part, cell, lock, name);

		if (s.rounds && is_figure(part, "value", name))
			sum = isnan(sum) ? s.median : sum + s.median;
	}
	return sum;
}

typedef double height(const json_t *part, const char *cell, const char *lock);

static double highest(const json_t *part, const char *cell, height *of)
{
	const json_t *locks = json_object_get(part, "locks");
	double most = NAN;
	json_t *lock;
	size_t i;

	json_array_foreach(locks, i, lock)
	{
		const double h = of(part, cell, json_string_value(lock));

		if (!(h <= most))
			most = isnan(h) ? most : h;
	}
	return most;
}

/* "######      0.25", or a dash; the last in a line ends there. */
static void bar(double share, bool last, FILE *file)
{
	static const char full[] = "########################";
	_Static_assert(sizeof full == BAR + 1, "as long as the longest bar");

	if (!isnan(share))
		fprintf(file, "  %-*.*s %4.2f", BAR,
			(int)(share * (double)BAR + 0.5), full, share);
	else if (last)
		fputs("  -", file);
	else
		fprintf(file, "  %-*s     ", BAR, "-");
}

static void chart_cell(const json_t *part, const char *cell, FILE *file)
{
	const json_t *locks = json_object_get(part, "locks");
	const double most_there = highest(part, cell, there);
	const double most_here = highest(part, cell, here);
	json_t *lock;
	size_t i;

	fprintf(file, "  %-22s  %-*s       %s\n", cell, BAR, "in the message",
		"here");
	json_array_foreach(locks, i, lock)
	{
		const char *name = json_string_value(lock);

		fprintf(file, "    %-20s", name);
		bar(there(part, cell, name) / most_there, false, file);
		bar(here(part, cell, name) / most_here, true, file);
		fputc('\n', file);
	}
}

void rwi_seed_chart(const json_t *part, FILE *file)
{
	const json_t *cells = json_object_get(part, "cells");
	json_t *cell;
	size_t i;

	if (strcmp(rwi_text(part, "name"), charted_part) != 0)
		return;
	fputs("  reads and writes together, by the fastest of each test:\n",
	      file);
	json_array_foreach(cells, i, cell)
	{
		const char *name = rwi_text(cell, "name");

		if (is_figure(part, "cell", name))
			chart_cell(part, name, file);
	}
}
