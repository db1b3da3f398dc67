/* SPDX-License-Identifier: MIT */
/* Tables of text, for people or as Markdown. */
#ifndef RWI_TABLE_H
#define RWI_TABLE_H

#include <stdio.h>

struct rwi_table;

/* One letter a column, l or r for its side; the last one goes on. */
struct rwi_table *rwi_table_new(const char *sides);

/*
 * Add a cell to the last row, or begin the next row.  A row without cells is
 * an empty line.  The first row is the heading.
 */
void rwi_table_cell(struct rwi_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rwi_table_row(struct rwi_table *table);

/* Three digits that mean something, and no exponent while that fits. */
enum { RWI_NUMBER_SIZE = 32 };
char *rwi_number(double x, char buffer[RWI_NUMBER_SIZE]);

/* Print and free: aligned for people, or as Markdown. */
void rwi_table_print(struct rwi_table *table, FILE *file);
void rwi_table_markdown(struct rwi_table *table, FILE *file);

#endif
