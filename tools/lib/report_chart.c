/* SPDX-License-Identifier: MIT */
/* What a chart shows, and the scripts by which gnuplot draws it. */
#define _GNU_SOURCE /* open_memstream */

#include "tools/lib/report_chart.h"

#include "tools/lib/cli.h"
#include "tools/lib/report_gnuplot.h"
#include "tools/lib/report_svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Filling ---- */

struct rwi_chart *rwi_chart_new(enum rwi_chart_form form, const char *name,
				const char *title)
{
	struct rwi_chart *c = calloc(1, sizeof *c);

	if (!c)
		rwi_fatal("out of memory");
	c->form = form;
	snprintf(c->name, sizeof c->name, "%s", name);
	/* Names become those of files and of elements. */
	for (char *p = c->name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789", *p))
			*p = '-';
	snprintf(c->title, sizeof c->title, "%s", title);
	return c;
}

bool rwi_chart_group(struct rwi_chart *c, const char *label)
{
	if (c->groups_count == RWI_CHART_GROUPS)
		return false;
	snprintf(c->groups[c->groups_count++], RWI_CHART_TEXT, "%s", label);
	return true;
}

struct rwi_chart_series *rwi_chart_series(struct rwi_chart *c, const char *name,
					  unsigned colour)
{
	struct rwi_chart_series *s;

	if (c->series_count == RWI_CHART_SERIES)
		return NULL;
	s = &c->series[c->series_count++];
	snprintf(s->name, sizeof s->name, "%s", name);
	s->colour = colour % RWI_CHART_SERIES;
	return s;
}

void rwi_chart_point(const struct rwi_chart *c, struct rwi_chart_series *s,
		     double x, double y, double low, double high)
{
	if (!s || s->count == RWI_CHART_POINTS || !isfinite(x) || !isfinite(y))
		return;
	if ((c->log_x && x <= 0) || (c->log_y && y <= 0))
		return;
	if (!isfinite(low) || !isfinite(high) || low > y || high < y ||
	    (c->log_y && low <= 0))
		low = high = y;
	s->points[s->count++] = (struct rwi_chart_point){ x, y, low, high };
}

static int by_x(const void *a, const void *b)
{
	const struct rwi_chart_point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

void rwi_chart_sort(struct rwi_chart *c)
{
	for (size_t i = 0; i < c->series_count; i++)
		qsort(c->series[i].points, c->series[i].count,
		      sizeof *c->series[i].points, by_x);
}

double rwi_unit(double greatest, const char **word)
{
	const double millions = 2e6, thousands = 2e4;

	*word = "";
	if (greatest >= millions) {
		*word = "million ";
		return 1e6;
	}
	if (greatest >= thousands) {
		*word = "thousand ";
		return 1e3;
	}
	return 1;
}

void rwi_chart_scale(struct rwi_chart *c)
{
	char label[RWI_CHART_TEXT];
	double greatest = 0, unit;
	const char *word;

	for (size_t i = 0; i < c->series_count; i++)
		for (size_t k = 0; k < c->series[i].count; k++)
			greatest =
			    fmax(greatest, fabs(c->series[i].points[k].high));
	unit = rwi_unit(greatest, &word);
	for (size_t i = 0; i < c->series_count; i++)
		for (size_t k = 0; k < c->series[i].count; k++) {
			c->series[i].points[k].y /= unit;
			c->series[i].points[k].low /= unit;
			c->series[i].points[k].high /= unit;
		}
	snprintf(label, sizeof label, "%s", c->y_label);
	snprintf(c->y_label, sizeof c->y_label, "%s%.80s", word, label);
}

bool rwi_chart_is_empty(const struct rwi_chart *c)
{
	for (size_t i = 0; i < c->series_count; i++)
		if (c->series[i].count)
			return false;
	return true;
}

/* ---- Colours ---- */

/* What is not a series. */
enum ink { AXIS = RWI_CHART_SERIES, TEXT, GRID, INKS };

/*
 * In the page each ink has a colour that no chart has otherwise, by which
 * rwi_svg_write() knows it again; a PNG file is on white.
 */
static const char *const page_inks[INKS] = { "#000001", "#000002", "#000003",
					     "#000004", "#000005", "#000006",
					     "#000007", "#000008", "#000009",
					     "#00000a", "#00000b" };
static const char *const file_inks[INKS] = { "#2a78d6", "#eb6834", "#1baf7a",
					     "#eda100", "#e87ba4", "#008300",
					     "#4a3aa7", "#e34948", "#8a8984",
					     "#3b3a37", "#e4e3df" };

struct drawing {
	const struct rwi_chart *c;
	const char *const *inks;
	bool alone; /* in a file, without a page around it */
	double width;
	FILE *f;
	bool has_begun; /* the plot command */
};

/* ---- Texts ---- */

/*
 * Within single quotes gnuplot replaces nothing, and the quote itself is
 * doubled; a line must not end in there.
 */
static void put_text(FILE *f, const char *text)
{
	fputc('\'', f);
	for (const char *p = text; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			fputc(' ', f);
		else
			fputc(*p, f);
		if (*p == '\'')
			fputc('\'', f);
	}
	fputc('\'', f);
}

/* ---- Axes ---- */

static void range_x(const struct rwi_chart *c, double *min, double *max)
{
	*min = INFINITY;
	*max = -INFINITY;
	for (size_t i = 0; i < c->series_count; i++)
		for (size_t k = 0; k < c->series[i].count; k++) {
			*min = fmin(*min, c->series[i].points[k].x);
			*max = fmax(*max, c->series[i].points[k].x);
		}
}

/* The next greater x that a point has, or infinity. */
static double next_x(const struct rwi_chart *c, double after)
{
	double next = INFINITY;

	for (size_t i = 0; i < c->series_count; i++)
		for (size_t k = 0; k < c->series[i].count; k++)
			if (c->series[i].points[k].x > after)
				next = fmin(next, c->series[i].points[k].x);
	return next;
}

/* 10 ns, 1 us, 100 ms at each power of ten. */
static void time_tics(const struct drawing *d, double min, double max)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "ks" };
	const char *before = "set xtics (";

	for (int i = (int)floor(log10(min)); i <= (int)ceil(log10(max)); i++) {
		const int nano = i + 9;

		if (nano < 0 || nano / 3 > 4)
			continue;
		fprintf(d->f, "%s'%s %s' 1e%d", before,
			(const char *const[]){ "1", "10", "100" }[nano % 3],
			units[nano / 3], i);
		before = ", ";
	}
	fputs(*before == ',' ? ")\n" : "set xtics\n", d->f);
}

/* At the points themselves, as far as their numbers have room. */
static void point_tics(const struct drawing *d, double min, double max)
{
	const struct rwi_chart *c = d->c;
	const double room = 18 / d->width;
	const char *before = "set xtics (";
	double last = -INFINITY;

	for (double x = min; isfinite(x); x = next_x(c, x)) {
		const double at = max <= min ? 0
				  : c->log_x ? log(x / min) / log(max / min)
					     : (x - min) / (max - min);

		if (at - last < room)
			continue;
		fprintf(d->f, "%s'%.4g' %.9g", before, x, x);
		before = ", ";
		last = at;
	}
	fputs(")\n", d->f);
}

static void axis_of_points(const struct drawing *d)
{
	const struct rwi_chart *c = d->c;
	double min, max;

	range_x(c, &min, &max);
	if (c->log_x)
		fputs("set logscale x\n", d->f);
	if (c->time_x)
		time_tics(d, min, max);
	else
		point_tics(d, min, max);
	if (max > min)
		fprintf(d->f, "set xrange [%.9g:%.9g]\n",
			c->log_x ? min : min - (max - min) / 40,
			c->log_x ? max * pow(max / min, 0.02)
				 : max + (max - min) / 40);
	else
		fprintf(d->f, "set xrange [%.9g:%.9g]\n",
			c->log_x ? min / 2 : min - 1,
			c->log_x ? max * 2 : max + 1);
}

static void axis_of_groups(const struct drawing *d)
{
	const double letter = d->alone ? 9 : 6.2;
	const struct rwi_chart *c = d->c;
	size_t longest = 0;

	for (size_t i = 0; i < c->groups_count; i++)
		if (strlen(c->groups[i]) > longest)
			longest = strlen(c->groups[i]);
	/* Side by side if the longest has room in a group. */
	fprintf(d->f, "set xtics scale 0 %s (",
		(double)(longest + 1) * letter * (double)c->groups_count >
			d->width - 60
		    ? "rotate by 40 right"
		    : "norotate");
	for (size_t i = 0; i < c->groups_count; i++) {
		fputs(i ? ", " : "", d->f);
		put_text(d->f, c->groups[i]);
		fprintf(d->f, " %zu", i);
	}
	fprintf(d->f, ")\nset xrange [-0.6:%g]\n",
		(double)c->groups_count - 0.4);
}

static bool has_groups(const struct rwi_chart *c)
{
	return c->form == RWI_BARS || c->form == RWI_DOTS;
}

/* Is anything negative? */
static bool goes_below(const struct rwi_chart *c)
{
	for (size_t i = 0; i < c->series_count; i++)
		for (size_t k = 0; k < c->series[i].count; k++)
			if (c->series[i].points[k].low < 0)
				return true;
	return false;
}

static void axes(const struct drawing *d)
{
	const struct rwi_chart *c = d->c;

	fprintf(d->f,
		"set border 1 lc rgb '%s' lw 1\n"
		"set tics nomirror out scale 0.4 textcolor rgb '%s'\n"
		"set grid ytics back lt 1 lc rgb '%s' lw 1\n"
		"set ytics scale 0\nset format y '%%g'\n",
		d->inks[AXIS], d->inks[TEXT], d->inks[GRID]);
	if (has_groups(c))
		axis_of_groups(d);
	else
		axis_of_points(d);
	if (c->log_y)
		fprintf(d->f, "set logscale y\nset yrange [%s:*]\n",
			c->from_y > 0 ? "from_y" : "*");
	else
		fprintf(d->f, "set yrange [%s:*]\n", goes_below(c) ? "*" : "0");
	if (*c->x_label) {
		fputs("set xlabel ", d->f);
		put_text(d->f, c->x_label);
		fprintf(d->f, " textcolor rgb '%s'\n", d->inks[TEXT]);
	}
	if (d->alone) {
		fputs("set ylabel ", d->f);
		put_text(d->f, c->y_label);
		fprintf(d->f, " textcolor rgb '%s'\n", d->inks[TEXT]);
	}
	if (isfinite(c->line_y) && c->line_y > 0)
		fprintf(d->f,
			"set arrow from graph 0, first %.9g to graph 1, first "
			"%.9g nohead front lc rgb '%s' dt 2\n",
			c->line_y, c->line_y, d->inks[AXIS]);
}

/* ---- Data ---- */

/* How many series before this one have bars, or of all. */
static size_t shown(const struct rwi_chart *c, size_t before)
{
	size_t n = 0;

	for (size_t i = 0; i < before; i++)
		n += c->series[i].count > 0;
	return n;
}

static double bar_width(const struct rwi_chart *c)
{
	return 0.8 / (double)shown(c, c->series_count);
}

/* Where the middle of a bar is. */
static double place_x(const struct rwi_chart *c, size_t series, double x)
{
	const double all = (double)shown(c, c->series_count);

	if (!has_groups(c))
		return x;
	return x + ((double)shown(c, series) - (all - 1) / 2) * bar_width(c);
}

static bool has_spread(const struct rwi_chart_series *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->points[i].high > s->points[i].low)
			return true;
	return false;
}

static void data(const struct drawing *d, size_t series)
{
	const struct rwi_chart *c = d->c;
	const struct rwi_chart_series *s = &c->series[series];

	fprintf(d->f, "$d%zu << END\n", series);
	for (size_t i = 0; i < s->count; i++)
		fprintf(d->f, "%.9g %.9g %.9g %.9g\n",
			place_x(c, series, s->points[i].x), s->points[i].y,
			s->points[i].low, s->points[i].high);
	fputs("END\n", d->f);
}

/* Of gnuplot, by colour, so that paper without colours can tell them too. */
static const int marks[RWI_CHART_SERIES] = { 7, 5, 9, 13, 11, 8, 4, 6 };

static void put_title(const struct drawing *d, const struct rwi_chart_series *s)
{
	fputs(d->alone ? " title " : " notitle", d->f);
	if (d->alone)
		put_text(d->f, s->name);
}

static const char *separator(struct drawing *d)
{
	const char *text = d->has_begun ? ", " : "plot ";

	d->has_begun = true;
	return text;
}

/* A bar or dots with their spread on top. */
static void plot_groups(struct drawing *d, size_t series)
{
	const struct rwi_chart *c = d->c;
	const struct rwi_chart_series *s = &c->series[series];
	const char *ink = d->inks[s->colour];

	fprintf(d->f, "%s$d%zu using 1:2", separator(d), series);
	if (c->form == RWI_BARS)
		fprintf(d->f,
			":(%g) with boxes fs solid 1 noborder lc rgb '%s'",
			bar_width(c) * 0.9, ink);
	else
		fprintf(d->f, " with points pt %d ps 0.6 lc rgb '%s'",
			marks[s->colour], ink);
	put_title(d, s);
	if (has_spread(s))
		fprintf(d->f,
			"%s$d%zu using 1:3:(0):($4-$3) with vectors nohead lw "
			"0.8 lc rgb '%s' notitle",
			separator(d), series,
			c->form == RWI_BARS ? d->inks[TEXT] : ink);
}

static void plot_band(struct drawing *d, size_t series)
{
	const struct rwi_chart_series *s = &d->c->series[series];

	if (d->c->form == RWI_LINES && has_spread(s))
		fprintf(d->f,
			"%s$d%zu using 1:3:4 with filledcurves lc rgb '%s' fs "
			"transparent solid 0.12 noborder notitle",
			separator(d), series, d->inks[s->colour]);
}

static void plot_line(struct drawing *d, size_t series)
{
	const struct rwi_chart *c = d->c;
	const struct rwi_chart_series *s = &c->series[series];

	fprintf(d->f, "%s$d%zu using 1:2 with %s lt 1 lc rgb '%s' lw %s",
		separator(d), series,
		c->form == RWI_STEPS ? "lines" : "linespoints",
		d->inks[s->colour], s->colour ? "1.5" : "2.5");
	if (c->form == RWI_LINES)
		fprintf(d->f, " pt %d ps 0.5", marks[s->colour]);
	put_title(d, s);
}

/* Bands lie below all lines, and the first series on top of the others. */
static void plot(struct drawing *d)
{
	const struct rwi_chart *c = d->c;

	for (size_t i = 0; i < c->series_count; i++)
		if (c->series[i].count && has_groups(c))
			plot_groups(d, i);
		else if (c->series[i].count)
			plot_band(d, i);
	for (size_t i = c->series_count; i-- > 0;)
		if (c->series[i].count && !has_groups(c))
			plot_line(d, i);
	fputc('\n', d->f);
}

static void script(struct drawing *d)
{
	const struct rwi_chart *c = d->c;

	for (size_t i = 0; i < c->series_count; i++)
		if (c->series[i].count)
			data(d, i);
	if (c->from_y > 0)
		fprintf(d->f, "from_y = %.9g\n", c->from_y);
	axes(d);
	if (!d->alone)
		fputs("set key off\n", d->f);
	else
		fprintf(d->f, "set key above left Left reverse %s\n",
			has_groups(c) ? "noinvert" : "invert");
	plot(d);
}

/* ---- Drawing ---- */

static char *finish(struct drawing *d, char **text, size_t *size)
{
	char *out;

	if (fclose(d->f))
		rwi_fatal("out of memory");
	out = rwi_gnuplot(*text, size);
	free(*text);
	return out;
}

static void begin(struct drawing *d, char **text, size_t *size)
{
	d->f = open_memstream(text, size);
	if (!d->f)
		rwi_fatal("out of memory");
}

void rwi_chart_svg(const struct rwi_chart *c, enum rwi_chart_size form,
		   FILE *page)
{
	const bool wide = form == RWI_CHART_WIDE;
	const unsigned width = wide ? 760 : 380, height = wide ? 300 : 250;
	struct drawing d = { c, page_inks, false, width, NULL, false };
	char *text, *svg;
	size_t size;

	begin(&d, &text, &size);
	fprintf(d.f,
		"set terminal svg noenhanced size %u,%u font 'page,%u'\n"
		"set lmargin 5\nset rmargin 1\nset tmargin 0.7\n",
		width, height, wide ? 12 : 11);
	script(&d);
	svg = finish(&d, &text, &size);
	rwi_svg_write(svg, width, height, c->title, page);
	free(svg);
}

void rwi_chart_png(const struct rwi_chart *c, const char *folder)
{
	struct drawing d = { c, file_inks, true, 1200, NULL, false };
	char *text, *png, *path;
	size_t size;
	FILE *file;

	begin(&d, &text, &size);
	fputs("if (strstrt(GPVAL_TERMINALS, ' pngcairo ')) {\n"
	      "set terminal pngcairo noenhanced size 1200,700 font 'sans,14'\n"
	      "} else {\n"
	      "set terminal png noenhanced size 1200,700 large\n"
	      "}\nset title ",
	      d.f);
	put_text(d.f, c->title);
	fprintf(d.f, " textcolor rgb '%s'\n", d.inks[TEXT]);
	script(&d);
	png = finish(&d, &text, &size);
	if (asprintf(&path, "%s/%s.png", folder, c->name) < 0)
		rwi_fatal("out of memory");
	file = fopen(path, "we");
	if (!file || fwrite(png, 1, size, file) != size || fclose(file))
		rwi_fatal("%s: %s", path, strerror(errno));
	free(path);
	free(png);
}
