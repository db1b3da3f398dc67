/* SPDX-License-Identifier: MIT */
/*
 * Charts of a report, drawn by gnuplot: bars in groups, or lines.
 *
 * A chart is filled once and drawn as often as needed: into the page, where
 * its colours are those of the page's style (class names and variables, so that
 * they follow light and dark), or into a PNG file, which has its own.
 */
#ifndef RWI_REPORT_CHART_H
#define RWI_REPORT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
	RWI_CHART_SERIES = 8, /* as many colours can be told apart */
	RWI_CHART_GROUPS = 40,
	RWI_CHART_POINTS = 96, /* of one series */
	RWI_CHART_TEXT = 96
};

enum rwi_chart_form {
	RWI_BARS,  /* x is the place of a group */
	RWI_DOTS,  /* the same, for ratios: a bar would begin at no number */
	RWI_LINES, /* straight from point to point, with marks */
	RWI_STEPS  /* of a distribution, without marks */
};

struct rwi_chart_point {
	double x, y;
	double low, high; /* the spread; equal if there is none */
};

struct rwi_chart_series {
	char name[RWI_CHART_TEXT];
	unsigned colour; /* 0 to RWI_CHART_SERIES - 1 */
	size_t count;
	struct rwi_chart_point points[RWI_CHART_POINTS];
};

struct rwi_chart {
	enum rwi_chart_form form;
	char name[RWI_CHART_TEXT];  /* of its PNG file, without .png */
	char title[RWI_CHART_TEXT]; /* of the picture, where it stands alone */
	char x_label[RWI_CHART_TEXT], y_label[RWI_CHART_TEXT];
	bool log_x, log_y;
	bool time_x;   /* x is in seconds, and its marks say ns, us, ms */
	double from_y; /* a logarithmic axis begins here; 0: where it likes */
	double line_y; /* draw a line across at this height; 0: none */
	size_t groups_count, series_count;
	char groups[RWI_CHART_GROUPS][RWI_CHART_TEXT];
	struct rwi_chart_series series[RWI_CHART_SERIES];
};

/* An empty one, or rwi_fatal(); free() it. */
struct rwi_chart *rwi_chart_new(enum rwi_chart_form form, const char *name,
				const char *title);

/*
 * Add a group of bars, or a series; null if it is full, or for the caller's
 * convenience if chart or series is null already.  Texts that are too long are
 * cut.  A point that is no finite number, or not positive on a logarithmic
 * axis, is left out.
 */
bool rwi_chart_group(struct rwi_chart *chart, const char *label);
struct rwi_chart_series *rwi_chart_series(struct rwi_chart *chart,
					  const char *name, unsigned colour);
void rwi_chart_point(const struct rwi_chart *chart,
		     struct rwi_chart_series *series, double x, double y,
		     double low, double high);

/* Put the points of each series in order of x, as lines need them. */
void rwi_chart_sort(struct rwi_chart *chart);

/*
 * Show y in thousands or millions if it goes that far, and say so in its label;
 * the unit of so many numbers with this greatest one, and its word, or "".
 */
void rwi_chart_scale(struct rwi_chart *chart);
double rwi_unit(double greatest, const char **word);

/* Is there anything to see? */
bool rwi_chart_is_empty(const struct rwi_chart *chart);

enum rwi_chart_size { RWI_CHART_NARROW, RWI_CHART_WIDE };

/*
 * Draw as an SVG element that inherits fonts and colours from the page, or into
 * a file.  rwi_fatal() if there is no gnuplot, or it fails.
 */
void rwi_chart_svg(const struct rwi_chart *chart, enum rwi_chart_size size,
		   FILE *page);
void rwi_chart_png(const struct rwi_chart *chart, const char *folder);

#endif
