/* SPDX-License-Identifier: MIT */
/*
 * The page of a report, from top to bottom: one HTML file that needs nothing
 * else.  Whatever text is handed over is escaped here.
 */
#ifndef RWI_REPORT_PAGE_H
#define RWI_REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "tools/lib/report_chart.h"

enum { RWI_PAGE_CHAPTERS = 32 };

struct rwi_page {
	FILE *file;      /* what stands under the contents */
	const char *png; /* charts go into this folder as well, or null */
	bool in_head;    /* of the table at hand */
	bool spreads;    /* there is more than one round to every number */
	char *body;
	size_t body_size;
	unsigned chapters_count;
	char chapters[RWI_PAGE_CHAPTERS][RWI_CHART_TEXT];
};

/* As HTML, in an element or in the quotes of an attribute. */
void rwi_page_text(FILE *file, const char *text);

void rwi_page_begin(struct rwi_page *page, const char *png);

/*
 * Write it all: title, what was measured when with what on what (a record of
 * any kind has these under the same keys), contents, and the rest.
 */
void rwi_page_end(struct rwi_page *page, const char *title,
		  const json_t *record, FILE *file);

/* The style, in one element. */
void rwi_page_style(FILE *file);

/*
 * A chapter, with an entry in the contents; a heading within; a paragraph of a
 * kind that the style knows, or of none: "".
 */
void rwi_page_chapter(struct rwi_page *page, const char *title);
void rwi_page_heading(struct rwi_page *page, const char *title);
void rwi_page_paragraph(struct rwi_page *page, const char *kind,
			const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Figures of two to a row where there is room. */
void rwi_page_figures(struct rwi_page *page);
void rwi_page_figures_end(struct rwi_page *page);

/* A chart under its title and legend; none if it is empty. */
void rwi_page_figure(struct rwi_page *page, const struct rwi_chart *chart,
		     const char *better);

/*
 * A table: heading cells, then rows of cells.  The side is 'r' for a number and
 * 'l' for text.  The first cell of a row is its heading.
 */
void rwi_page_table(struct rwi_page *page, const char *caption);
void rwi_page_head(struct rwi_page *page, char side, const char *text);
void rwi_page_row(struct rwi_page *page, bool stands_out, const char *heading);
void rwi_page_cell(struct rwi_page *page, char side, const char *text);
/* Good or bad, in a word. */
void rwi_page_verdict(struct rwi_page *page, bool good, const char *word);
void rwi_page_table_end(struct rwi_page *page);

/* Three digits that mean something, with blanks between thousands. */
enum { RWI_FIGURE_SIZE = 40 };
char *rwi_figure(double x, char buffer[RWI_FIGURE_SIZE]);

/* A number alone, or a dash. */
void rwi_page_number(struct rwi_page *page, bool known, double number);

/* A median and its spread, in this unit; a dash if there is none. */
void rwi_page_spread(struct rwi_page *page, bool known, double median,
		     double low, double high, double unit);

#endif
