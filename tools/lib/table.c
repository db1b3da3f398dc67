/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* vasprintf */

#include "tools/lib/table.h"

#include "tools/lib/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Cells in order; a null one ends a row. */
struct rwi_table {
	const char *sides;
	char **cells;
	size_t count;
	size_t room;
};

static void add(struct rwi_table *t, char *cell)
{
	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->cells = realloc(t->cells, t->room * sizeof *t->cells);
		if (!t->cells)
			rwi_fatal("out of memory");
	}
	t->cells[t->count++] = cell;
}

struct rwi_table *rwi_table_new(const char *sides)
{
	struct rwi_table *t = calloc(1, sizeof *t);

	if (!t)
		rwi_fatal("out of memory");
	t->sides = sides;
	return t;
}

void rwi_table_cell(struct rwi_table *table, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		rwi_fatal("out of memory");
	va_end(args);
	add(table, text);
}

void rwi_table_row(struct rwi_table *table)
{
	add(table, NULL);
}

char *rwi_number(double x, char buffer[RWI_NUMBER_SIZE])
{
	int decimals = 0;

	if (isinf(x))
		return strcpy(buffer, "inf");
	if (x != 0 && x < 0.00995) {
		snprintf(buffer, RWI_NUMBER_SIZE, "%.1e", x);
		return buffer;
	}
	for (double limit = 99.95; decimals < 3 && x < limit; limit /= 10)
		decimals++;
	snprintf(buffer, RWI_NUMBER_SIZE, "%.*f", x != 0 ? decimals : 0, x);
	return buffer;
}

static void free_table(struct rwi_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t);
}

/* The widest cell of a column. */
static int width(const struct rwi_table *t, size_t column)
{
	size_t widest = 0, at = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (!t->cells[i]) {
			at = 0;
			continue;
		}
		if (at++ == column && strlen(t->cells[i]) > widest)
			widest = strlen(t->cells[i]);
	}
	return (int)widest;
}

/* No spaces after the last cell of a row. */
static void print_cell(const struct rwi_table *t, size_t cell, size_t column,
		       FILE *file)
{
	const size_t sides = strlen(t->sides);
	const char side = t->sides[column < sides ? column : sides - 1];
	int pad = width(t, column);

	if (side == 'l' && !t->cells[cell + 1])
		pad = 0;
	fprintf(file, "  %*s", side == 'l' ? -pad : pad, t->cells[cell]);
}

void rwi_table_print(struct rwi_table *table, FILE *file)
{
	size_t column = 0;
	bool heading = true;

	fputs(rwi_style(file, RWI_BOLD), file);
	for (size_t i = 0; i < table->count; i++) {
		if (table->cells[i]) {
			print_cell(table, i, column++, file);
			continue;
		}
		fputs(heading ? rwi_style(file, RWI_PLAIN) : "", file);
		fputc('\n', file);
		heading = false;
		column = 0;
	}
	free_table(table);
}

void rwi_table_markdown(struct rwi_table *table, FILE *file)
{
	size_t columns = 0;
	bool heading = true;

	for (size_t i = 0; i < table->count; i++) {
		if (table->cells[i]) {
			fprintf(file, "| %s ", table->cells[i]);
			columns += heading;
			continue;
		}
		fputs("|\n", file);
		for (; heading && columns; columns--)
			fputs(columns == 1 ? "|---|\n" : "|---", file);
		heading = false;
	}
	free_table(table);
}
