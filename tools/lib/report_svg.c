/* SPDX-License-Identifier: MIT */
/*
 * gnuplot's SVG stands for itself: it has a prologue, names that are the same
 * in each picture, a font and fixed colours.  Here it is read once from left to
 * right, and each of these is dropped or replaced; all else stays.
 */
#include "tools/lib/report_svg.h"

#include "tools/lib/cli.h"
#include "tools/lib/report_page.h"

#include <stdlib.h>
#include <string.h>

static const char *const variables[] = { "k1",   "k2",   "k3",  "k4",
					 "k5",   "k6",   "k7",  "k8",
					 "axis", "text", "grid" };
enum { VARIABLES = sizeof variables / sizeof *variables };

static unsigned pictures;

static size_t begins(const char *text, const char *with)
{
	const size_t length = strlen(with);

	return strncmp(text, with, length) ? 0 : length;
}

/* The length of "rgb(r, g, b)" at this place, or 0. */
static size_t colour(const char *p, FILE *page)
{
	const char *end = strchr(p, ')');
	unsigned r, g, b;

	if (!end || sscanf(p, "rgb(%u,%u,%u)", &r, &g, &b) != 3)
		return 0;
	if (r || g || !b || b > VARIABLES)
		return 0;
	fprintf(page, "var(--%s)", variables[b - 1]);
	return (size_t)(end + 1 - p);
}

/* From here to behind `end`, or to the end of all. */
static size_t up_to(const char *p, const char *end)
{
	const char *found = strstr(p, end);

	return found ? (size_t)(found - p) + strlen(end) : strlen(p);
}

/* gnuplot begins many groups, and ends them at once. */
static size_t empty_group(const char *p)
{
	size_t n;

	if (!begins(p, "<g "))
		return 0;
	n = up_to(p, ">");
	n += strspn(p + n, "\n\t ");
	return begins(p + n, "</g>") ? n + 4 : 0;
}

/* Handle what begins here, if it is special; its length, or 0. */
static size_t special(const char *p, FILE *page)
{
	static const struct {
		const char *from, *to;
	} names[] = {
		{ "xlink:href='#gp", "href='#" },
		{ "id='gp", "id='" },
		{ "id=\"gnuplot", "class=\"" },
	};
	size_t n;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		n = begins(p, names[i].from);
		if (!n)
			continue;
		fputs(names[i].to, page);
		if (i < 2)
			fprintf(page, "g%u", pictures);
		return n;
	}
	if (begins(p, "rgb("))
		return colour(p, page);
	if (begins(p, "<filter "))
		return up_to(p, "</filter>");
	if (begins(p, "<title>"))
		return up_to(p, "</title>");
	n = empty_group(p);
	if (n)
		return n;
	n = begins(p, " font-family=\"");
	if (n)
		return n + up_to(p + n, "\"");
	if (begins(p, "\"black\"") || begins(p, "'black'")) {
		fputs("\"currentColor\"", page);
		return 7;
	}
	/* Blanks between elements. */
	if (*p == '\n' || *p == '\t') {
		fputs(*p == '\n' ? "\n" : "", page);
		return strspn(p, "\n\t ");
	}
	return 0;
}

void rwi_svg_write(const char *svg, unsigned width, unsigned height,
		   const char *title, FILE *page)
{
	static const char start[] = "<g id=\"gnuplot_canvas\"";
	const char *p = strstr(svg, start);
	size_t n;

	if (!p)
		rwi_fatal("gnuplot drew no picture");
	pictures++;
	fprintf(page, "<svg viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"",
		width, height);
	rwi_page_text(page, title);
	fputs("\">\n", page);
	while (*p) {
		n = special(p, page);
		if (!n) {
			fputc(*p, page);
			n = 1;
		}
		p += n;
	}
}
