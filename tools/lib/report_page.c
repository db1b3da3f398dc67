/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* open_memstream */

#include "tools/lib/report_page.h"

#include "tools/lib/cli.h"
#include "tools/lib/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text ---- */

void rwi_page_text(FILE *file, const char *text)
{
	for (const char *p = text; *p; p++)
		switch (*p) {
		case '<':
			fputs("&lt;", file);
			break;
		case '>':
			fputs("&gt;", file);
			break;
		case '&':
			fputs("&amp;", file);
			break;
		case '"':
			fputs("&quot;", file);
			break;
		case '\'':
			fputs("&#39;", file);
			break;
		default:
			/* HTML has no form for control characters. */
			fputc((unsigned char)*p < ' ' || *p == 0x7f ? ' ' : *p,
			      file);
		}
}

char *rwi_figure(double x, char buffer[RWI_FIGURE_SIZE])
{
	char digits[RWI_NUMBER_SIZE];
	size_t n, used = 0;

	if (x < 0) {
		used = strlen(strcpy(buffer, "\xe2\x88\x92"));
		x = -x;
	}
	if (isinf(x)) {
		strcpy(buffer + used, "\xe2\x88\x9e");
		return buffer;
	}
	rwi_number(x, digits);
	n = strspn(digits, "0123456789");
	/* Blanks that do not break and are narrow, from five digits on. */
	for (size_t i = 0; digits[i] && used + 4 < RWI_FIGURE_SIZE; i++) {
		if (i && i < n && n > 4 && (n - i) % 3 == 0) {
			memcpy(buffer + used, "\xe2\x80\xaf", 3);
			used += 3;
		}
		buffer[used++] = digits[i];
	}
	buffer[used] = '\0';
	return buffer;
}

void rwi_page_paragraph(struct rwi_page *page, const char *kind,
			const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		rwi_fatal("out of memory");
	fprintf(page->file, *kind ? "<p class=\"%s\">" : "<p>", kind);
	rwi_page_text(page->file, text);
	fputs("</p>\n", page->file);
	free(text);
}

/* ---- Chapters ---- */

void rwi_page_chapter(struct rwi_page *page, const char *title)
{
	FILE *f = page->file;

	if (page->chapters_count)
		fputs("</section>\n", f);
	fprintf(f, "<section id=\"c%u\">\n<h2>", page->chapters_count + 1);
	rwi_page_text(f, title);
	fputs("</h2>\n", f);
	if (page->chapters_count < RWI_PAGE_CHAPTERS)
		snprintf(page->chapters[page->chapters_count++], RWI_CHART_TEXT,
			 "%s", title);
}

void rwi_page_heading(struct rwi_page *page, const char *title)
{
	fputs("<h3>", page->file);
	rwi_page_text(page->file, title);
	fputs("</h3>\n", page->file);
}

/* ---- Figures ---- */

void rwi_page_figures(struct rwi_page *page)
{
	fputs("<div class=\"figures\">\n", page->file);
}

void rwi_page_figures_end(struct rwi_page *page)
{
	fputs("</div>\n", page->file);
}

static void legend(const struct rwi_chart *chart, FILE *f)
{
	fputs("<ul class=\"legend\">", f);
	for (size_t i = 0; i < chart->series_count; i++) {
		if (!chart->series[i].count)
			continue;
		fprintf(f, "<li><i class=\"k%u\"></i>",
			chart->series[i].colour + 1);
		rwi_page_text(f, chart->series[i].name);
		fputs("</li>", f);
	}
	fputs("</ul>\n", f);
}

/* A few bars are as well off beside others. */
static bool is_wide(const struct rwi_chart *chart)
{
	return chart->groups_count > 4;
}

/* Bars need the width of the page, or on a phone less of everything else. */
static void pictures(const struct rwi_chart *chart, FILE *f)
{
	const bool wide = is_wide(chart);

	if (wide)
		fputs("<div class=\"wide\">", f);
	if (wide)
		rwi_chart_svg(chart, RWI_CHART_WIDE, f);
	if (wide)
		fputs("</div><div class=\"narrow\">", f);
	rwi_chart_svg(chart, RWI_CHART_NARROW, f);
	if (wide)
		fputs("</div>", f);
}

void rwi_page_figure(struct rwi_page *page, const struct rwi_chart *chart,
		     const char *better)
{
	FILE *f = page->file;

	if (rwi_chart_is_empty(chart))
		return;
	fprintf(f, "<figure%s>\n<figcaption><b>",
		is_wide(chart) ? " class=\"full\"" : "");
	rwi_page_text(f, chart->title);
	fputs("</b><span>", f);
	rwi_page_text(f, chart->y_label);
	fputs(*better ? ": " : "", f);
	rwi_page_text(f, better);
	fputs("</span></figcaption>\n", f);
	legend(chart, f);
	pictures(chart, f);
	fputs("</figure>\n", f);
	if (page->png)
		rwi_chart_png(chart, page->png);
}

/* ---- Tables ---- */

void rwi_page_table(struct rwi_page *page, const char *caption)
{
	/* Wide tables scroll in a frame of their own, by keys as well. */
	fputs("<div class=\"table\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"",
	      page->file);
	rwi_page_text(page->file, caption);
	fputs("\"><table>\n<caption>", page->file);
	rwi_page_text(page->file, caption);
	fputs("</caption>\n<thead><tr>", page->file);
	page->in_head = true;
}

void rwi_page_head(struct rwi_page *page, char side, const char *text)
{
	fprintf(page->file, "<th scope=\"col\" class=\"%c\">", side);
	rwi_page_text(page->file, text);
	fputs("</th>", page->file);
}

void rwi_page_row(struct rwi_page *page, bool stands_out, const char *heading)
{
	fputs(page->in_head ? "</tr></thead>\n<tbody>\n" : "</tr>\n",
	      page->file);
	page->in_head = false;
	fprintf(page->file, "<tr%s><th scope=\"row\"%s>",
		stands_out ? " class=\"ours\"" : "",
		strlen(heading) > 30 ? " class=\"long\"" : "");
	rwi_page_text(page->file, heading);
	fputs("</th>", page->file);
}

void rwi_page_cell(struct rwi_page *page, char side, const char *text)
{
	fprintf(page->file, "<td class=\"%c\">", side);
	rwi_page_text(page->file, text);
	fputs("</td>", page->file);
}

void rwi_page_spread(struct rwi_page *page, bool known, double median,
		     double low, double high, double unit)
{
	char text[3][RWI_FIGURE_SIZE];

	if (!known) {
		fprintf(page->file, "<td class=\"r\">\xe2\x80\x93%s</td>",
			page->spreads ? "<small></small>" : "");
		return;
	}
	fprintf(page->file, "<td class=\"r\">%s",
		rwi_figure(median / unit, text[0]));
	if (high > low)
		fprintf(page->file, "<small>%s\xe2\x80\x93%s</small>",
			rwi_figure(low / unit, text[1]),
			rwi_figure(high / unit, text[2]));
	else if (page->spreads)
		fputs("<small></small>", page->file);
	fputs("</td>", page->file);
}

void rwi_page_number(struct rwi_page *page, bool known, double number)
{
	char text[RWI_FIGURE_SIZE];

	rwi_page_cell(page, 'r',
		      known ? rwi_figure(number, text) : "\xe2\x80\x93");
}

void rwi_page_verdict(struct rwi_page *page, bool good, const char *word)
{
	fprintf(page->file, "<td class=\"v\"><b class=\"%s\">%s\xc2\xa0",
		good ? "yes" : "no", good ? "\xe2\x9c\x93" : "\xe2\x9c\x97");
	rwi_page_text(page->file, word);
	fputs("</b></td>", page->file);
}

void rwi_page_table_end(struct rwi_page *page)
{
	fputs(page->in_head ? "</tr></thead>\n" : "</tr>\n</tbody>\n",
	      page->file);
	fputs("</table></div>\n", page->file);
}

/* ---- All of it ---- */

void rwi_page_begin(struct rwi_page *page, const char *png)
{
	memset(page, 0, sizeof *page);
	page->png = png;
	page->file = open_memstream(&page->body, &page->body_size);
	if (!page->file)
		rwi_fatal("out of memory");
}

static const char *whole(json_int_t n, char number[RWI_FIGURE_SIZE])
{
	snprintf(number, RWI_FIGURE_SIZE, "%lld", (long long)n);
	return number;
}

static void fact(const char *name, const json_t *object, const char *key,
		 FILE *f)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);
	char number[RWI_FIGURE_SIZE];

	if (json_is_integer(value))
		text = whole(json_integer_value(value), number);
	else if (json_is_real(value))
		text = rwi_figure(json_number_value(value), number);
	if (!text || !*text)
		return;
	fprintf(f, "<div><dt>%s</dt><dd>", name);
	rwi_page_text(f, text);
	fputs("</dd></div>\n", f);
}

/* 2026-12-01T12:00:00Z is for machines. */
static void when(const json_t *record, FILE *f)
{
	const char *text =
	    json_string_value(json_object_get(record, "started"));

	if (!text)
		return;
	fputs("<div><dt>Measured</dt><dd>", f);
	if (strlen(text) == 20 && text[10] == 'T' && text[19] == 'Z') {
		char day[32];

		snprintf(day, sizeof day, "%.10s %.5s UTC", text, text + 11);
		rwi_page_text(f, day);
	} else {
		rwi_page_text(f, text);
	}
	fputs("</dd></div>\n", f);
}

static void masthead(const char *title, const json_t *record, FILE *f)
{
	const json_t *machine = json_object_get(record, "machine");
	const json_t *program = json_object_get(record, "program");

	fputs("<header>\n<h1>", f);
	rwi_page_text(f, title);
	fputs("</h1>\n<dl>\n", f);
	fact("Processor", machine, "cpu", f);
	fact("CPUs", machine, "cpus", f);
	fact("Cores", machine, "cores", f);
	if (json_is_true(json_object_get(machine, "virtual")))
		fputs("<div><dt>Kind</dt><dd>virtual machine</dd></div>\n", f);
	fact("Kernel", machine, "kernel", f);
	fact("C library", machine, "libc", f);
	fact("Compiler", machine, "compiler", f);
	fact("Governor", machine, "governor", f);
	fact("Load before", machine, "load", f);
	when(record, f);
	fact("rwsem", program, "version", f);
	fact("Commit", program, "commit", f);
	fputs("</dl>\n</header>\n", f);
}

static void contents(const struct rwi_page *page, FILE *f)
{
	fputs("<nav aria-label=\"Contents\"><ul>\n", f);
	for (unsigned i = 0; i < page->chapters_count; i++) {
		fprintf(f, "<li><a href=\"#c%u\">", i + 1);
		rwi_page_text(f, page->chapters[i]);
		fputs("</a></li>\n", f);
	}
	fputs("</ul></nav>\n<main>\n", f);
}

void rwi_page_end(struct rwi_page *page, const char *title,
		  const json_t *record, FILE *file)
{
	if (page->chapters_count)
		fputs("</section>\n", page->file);
	if (fclose(page->file))
		rwi_fatal("out of memory");
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
	      file);
	rwi_page_text(file, title);
	fputs("</title>\n", file);
	rwi_page_style(file);
	fputs("</head>\n<body>\n", file);
	masthead(title, record, file);
	contents(page, file);
	fwrite(page->body, 1, page->body_size, file);
	fputs("</main>\n</body>\n</html>\n", file);
	free(page->body);
}
