/* SPDX-License-Identifier: MIT */
/*
 * The family as a picture.  Years go down.  A box is a design; an edge ends at
 * what was taken, in words above the box of the one that took it.
 *
 * The layout is the usual one for such graphs: designs get layers by year, and
 * within a year below those they owe; an edge that passes layers gets a place
 * in each; layers are ordered so that neighbours lie near each other; then all
 * move sideways towards their neighbours.  All of it in whole numbers, so that
 * the same registry gives the same picture everywhere.
 */
#include "tools/lib/family.h"

#include "tools/lib/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 2048, LAYERS_MAX = RWI_FAMILY_MAX };

/* Lengths in pixels. */
enum {
	BOX_WIDTH = 216,
	BOX_HEIGHT = 28,
	LINE_HEIGHT = 14,
	LINE_CHARS = 33,
	PORT = 8,       /* the first port of a box, and from one to the next */
	PASS_WIDTH = 8, /* of an edge that passes */
	GAP = 22,       /* between things in a layer */
	LAYER_GAP = 44,
	MARGIN = 24,
	YEARS_WIDTH = 64,
	SWEEPS = 25
};

/* A box, or a place where an edge passes a layer. */
struct item {
	size_t member; /* or the count */
	unsigned layer;
	long x; /* of its centre */
	size_t order;
	long score; /* while sorting and moving */
};

/* A piece of an edge, from a layer to the next. */
struct piece {
	size_t from, to; /* items */
	unsigned port;   /* at a box: which of its debts */
};

struct picture {
	const struct rwi_family *f;
	FILE *file;
	unsigned layer_of[RWI_FAMILY_MAX];
	unsigned layers;
	struct item items[ITEMS_MAX];
	size_t items_count;
	struct piece pieces[ITEMS_MAX];
	size_t pieces_count;
	size_t sorted[ITEMS_MAX]; /* items by layer, then from left to right */
	size_t first[LAYERS_MAX + 1];
	long top[LAYERS_MAX + 1], bottom[LAYERS_MAX];
	long width;
};

/* ---- Layers ---- */

/* Below those of the same year it owes. */
static unsigned depth(const struct picture *p, const unsigned *depths,
		      size_t member)
{
	const struct rwi_design *d = p->f->members[member];
	unsigned least = 0;

	for (unsigned i = 0; i < rwi_family_debts(d); i++) {
		const size_t to = rwi_family_place(p->f, d->owes[i].to);

		if (to < p->f->count && p->f->members[to]->year == d->year &&
		    depths[to] + 1 > least)
			least = depths[to] + 1;
	}
	return least;
}

static void find_layers(struct picture *p)
{
	unsigned depths[RWI_FAMILY_MAX] = { 0 };
	const size_t n = p->f->count;

	/* As often as a chain is long; longer would be a circle. */
	for (size_t round = 0; round < n; round++)
		for (size_t i = 0; i < n; i++)
			if (depth(p, depths, i) <= n)
				depths[i] = depth(p, depths, i);
	for (size_t i = 0; i < n;) {
		const int year = p->f->members[i]->year;
		unsigned deepest = 0;

		for (; i < n && p->f->members[i]->year == year; i++) {
			p->layer_of[i] = p->layers + depths[i];
			if (depths[i] > deepest)
				deepest = depths[i];
		}
		p->layers += deepest + 1;
		if (p->layers > LAYERS_MAX)
			rwi_fatal("the designs owe each other in a circle");
	}
}

static size_t add_item(struct picture *p, size_t member, unsigned layer)
{
	struct item *item = &p->items[p->items_count];

	if (p->items_count == ITEMS_MAX)
		rwi_fatal("the family has too many edges");
	item->member = member;
	item->layer = layer;
	return p->items_count++;
}

static void add_piece(struct picture *p, size_t from, size_t to, unsigned port)
{
	if (p->pieces_count == ITEMS_MAX)
		rwi_fatal("the family has too many edges");
	p->pieces[p->pieces_count++] = (struct piece){ from, to, port };
}

/* The items of members are the first, in the same places. */
static void add_edge(struct picture *p, size_t from, size_t to, unsigned port)
{
	size_t last = from;

	for (unsigned l = p->layer_of[from] + 1; l < p->layer_of[to]; l++) {
		const size_t passing = add_item(p, p->f->count, l);

		add_piece(p, last, passing, 0);
		last = passing;
	}
	add_piece(p, last, to, port);
}

static void add_all(struct picture *p)
{
	for (size_t i = 0; i < p->f->count; i++)
		add_item(p, i, p->layer_of[i]);
	for (size_t i = 0; i < p->f->count; i++) {
		const struct rwi_design *d = p->f->members[i];

		for (unsigned k = 0; k < rwi_family_debts(d); k++) {
			const size_t to = rwi_family_place(p->f, d->owes[k].to);

			if (to < p->f->count &&
			    p->layer_of[to] < p->layer_of[i])
				add_edge(p, to, i, k);
		}
	}
}

/* ---- From left to right ---- */

static const struct picture *sorting; /* by qsort, which passes nothing on */

static int by_layer_and_score(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct item *i = &sorting->items[x], *k = &sorting->items[y];

	if (i->layer != k->layer)
		return i->layer < k->layer ? -1 : 1;
	if (i->score != k->score)
		return i->score < k->score ? -1 : 1;
	return (i->order > k->order) - (i->order < k->order);
}

static void sort(struct picture *p)
{
	unsigned layer = 0;

	sorting = p;
	qsort(p->sorted, p->items_count, sizeof *p->sorted, by_layer_and_score);
	for (size_t i = 0; i < p->items_count; i++) {
		while (layer <= p->items[p->sorted[i]].layer)
			p->first[layer++] = i;
		p->items[p->sorted[i]].order = i - p->first[layer - 1];
	}
	while (layer <= p->layers)
		p->first[layer++] = p->items_count;
}

/* The mean of value() over its neighbours above or below, or its own. */
static long mean(const struct picture *p, size_t item, bool above,
		 long (*value)(const struct item *))
{
	long sum = 0, n = 0;

	for (size_t i = 0; i < p->pieces_count; i++) {
		const struct piece *e = &p->pieces[i];

		if ((above ? e->to : e->from) != item)
			continue;
		sum += value(&p->items[above ? e->from : e->to]);
		n++;
	}
	return n ? sum / n : value(&p->items[item]);
}

static long order_of(const struct item *item)
{
	return (long)item->order * 1000;
}

static long x_of(const struct item *item)
{
	return item->x;
}

static void order_layers(struct picture *p)
{
	for (size_t i = 0; i < p->items_count; i++) {
		p->sorted[i] = i;
		p->items[i].order = i;
	}
	sort(p);
	for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
		const bool down = sweep % 2 == 0;

		for (unsigned n = 0; n < p->layers; n++) {
			const unsigned l = down ? n : p->layers - 1 - n;

			for (size_t i = 0; i < p->items_count; i++)
				p->items[i].score =
				    p->items[i].layer == l
					? mean(p, i, down, order_of)
					: order_of(&p->items[i]);
			sort(p);
		}
	}
}

/* ---- Where exactly ---- */

static bool is_box(const struct picture *p, const struct item *item)
{
	return item->member < p->f->count;
}

/* From the centre of a thing to that of the next. */
static long apart(const struct picture *p, const struct item *a,
		  const struct item *b)
{
	const long left = is_box(p, a) ? BOX_WIDTH : PASS_WIDTH;
	const long right = is_box(p, b) ? BOX_WIDTH : PASS_WIDTH;

	return (left + right) / 2 + GAP;
}

/*
 * Each as near as can be to where it wants to be, in order and apart: halfway
 * between where it gets when those to the left go first, and the reverse.
 */
static void settle(struct picture *p, unsigned layer)
{
	const size_t from = p->first[layer], to = p->first[layer + 1];
	long limit = LONG_MIN;

	for (size_t i = from; i < to; i++) {
		struct item *item = &p->items[p->sorted[i]];

		if (i > from)
			limit += apart(p, &p->items[p->sorted[i - 1]], item);
		item->x = item->score > limit ? item->score : limit;
		limit = item->x;
	}
	limit = LONG_MAX;
	for (size_t i = to; i-- > from;) {
		struct item *item = &p->items[p->sorted[i]];

		if (i + 1 < to)
			limit -= apart(p, item, &p->items[p->sorted[i + 1]]);
		if (item->score < limit)
			limit = item->score;
		item->x = (item->x + limit) / 2;
	}
}

static int by_x(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct item *i = &sorting->items[x], *k = &sorting->items[y];

	if (i->x != k->x)
		return i->x < k->x ? -1 : 1;
	return (x > y) - (x < y);
}

/* Take out the strips from top to bottom in which nothing is. */
static void squeeze(struct picture *p)
{
	size_t by[ITEMS_MAX];
	long end = YEARS_WIDTH + MARGIN, saved = 0;

	for (size_t i = 0; i < p->items_count; i++)
		by[i] = i;
	sorting = p;
	qsort(by, p->items_count, sizeof *by, by_x);
	for (size_t i = 0; i < p->items_count; i++) {
		struct item *item = &p->items[by[i]];
		const long half =
		    (is_box(p, item) ? BOX_WIDTH : PASS_WIDTH) / 2;

		/* A box may begin left of a thing whose centre is before its.
		 */
		if (!i || item->x - BOX_WIDTH / 2 - saved > end)
			saved = item->x - BOX_WIDTH / 2 - end;
		item->x -= saved;
		if (item->x + half + GAP > end)
			end = item->x + half + GAP;
	}
	p->width = end - GAP + MARGIN;
}

static void place_items(struct picture *p)
{
	for (size_t i = 0; i < p->items_count; i++)
		p->items[i].x = (long)p->items[i].order * BOX_WIDTH;
	for (unsigned sweep = 0; sweep < SWEEPS; sweep++) {
		const bool down = sweep % 2 == 0;

		for (unsigned n = 0; n < p->layers; n++) {
			const unsigned l = down ? n : p->layers - 1 - n;

			for (size_t i = p->first[l]; i < p->first[l + 1]; i++)
				p->items[p->sorted[i]].score =
				    mean(p, p->sorted[i], down, x_of);
			settle(p, l);
		}
	}
	squeeze(p);
}

static long lines(const char *text)
{
	long n = 0;

	while (*text) {
		rwi_family_line(text, LINE_CHARS, &text);
		n++;
	}
	return n;
}

/* How high the words above a box are, from its first debt `from` on. */
static long words_height(const struct rwi_design *d, unsigned from)
{
	long height = 0;

	for (unsigned i = from; i < rwi_family_debts(d); i++)
		height += lines(d->owes[i].what) * LINE_HEIGHT;
	return height;
}

static void place_layers(struct picture *p)
{
	long y = MARGIN;

	for (unsigned l = 0; l < p->layers; l++) {
		long height = 0;

		for (size_t i = 0; i < p->f->count; i++) {
			const long words = words_height(p->f->members[i], 0);

			if (p->layer_of[i] == l && words > height)
				height = words;
		}
		p->top[l] = y;
		p->bottom[l] = y + height + BOX_HEIGHT;
		y = p->bottom[l] + LAYER_GAP;
	}
	p->top[p->layers] = y - LAYER_GAP + MARGIN;
}

/* ---- Drawing ---- */

static void text(const struct picture *p, const char *words, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (words[i] == '&')
			fputs("&amp;", p->file);
		else if (words[i] == '<')
			fputs("&lt;", p->file);
		else if (words[i] == '>')
			fputs("&gt;", p->file);
		else
			fputc(words[i], p->file);
}

static long left_of(const struct item *item)
{
	return item->x - BOX_WIDTH / 2;
}

/* The words of a debt begin here; those of later debts stand lower. */
static long words_top(const struct picture *p, const struct item *item,
		      unsigned port)
{
	const struct rwi_design *d = p->f->members[item->member];

	return p->bottom[item->layer] - BOX_HEIGHT - words_height(d, port);
}

static long port_x(const struct item *item, unsigned port)
{
	return left_of(item) + PORT + PORT * (long)port;
}

static void draw_piece(const struct picture *p, const struct piece *e)
{
	const struct item *a = &p->items[e->from], *b = &p->items[e->to];
	const bool ends = is_box(p, b);
	const long from = p->bottom[a->layer], to = p->top[b->layer];
	const long x = ends ? port_x(b, e->port) : b->x;
	const long end = ends ? words_top(p, b, e->port) + LINE_HEIGHT / 2
			      : p->bottom[b->layer];

	fprintf(p->file, "<path d=\"M%ld %ldC%ld %ld %ld %ld %ld %ldV%ld\"/>\n",
		a->x, from, a->x, (from + to) / 2, x, (from + to) / 2, x, to,
		end);
	if (ends)
		fprintf(p->file, "<circle cx=\"%ld\" cy=\"%ld\" r=\"3\"/>\n", x,
			end);
}

static void draw_words(const struct picture *p, const struct item *item,
		       unsigned port)
{
	const struct rwi_design *d = p->f->members[item->member];
	const char *words = d->owes[port].what;
	long y = words_top(p, item, port);

	while (*words) {
		const char *rest;
		const size_t length = rwi_family_line(words, LINE_CHARS, &rest);

		y += LINE_HEIGHT;
		fprintf(p->file, "<text x=\"%ld\" y=\"%ld\">",
			port_x(item, rwi_family_debts(d)), y - 3);
		text(p, words, length);
		fputs("</text>\n", p->file);
		words = rest;
	}
}

static void draw_box(const struct picture *p, const struct item *item)
{
	const struct rwi_design *d = p->f->members[item->member];
	const long y = p->bottom[item->layer] - BOX_HEIGHT;

	for (unsigned i = 0; i < rwi_family_debts(d); i++)
		draw_words(p, item, i);
	fprintf(p->file, "<g class=\"box%s\"><title>", d->year ? "" : " ours");
	text(p, d->summary, strlen(d->summary));
	fprintf(p->file,
		"</title><rect x=\"%ld\" y=\"%ld\" width=\"%d\" height=\"%d\" "
		"rx=\"5\"/><text x=\"%ld\" y=\"%ld\">",
		left_of(item), y, BOX_WIDTH, BOX_HEIGHT, item->x, y + 18);
	text(p, d->name, strlen(d->name));
	fputs("</text></g>\n", p->file);
}

/* A line before each year, and the year. */
static void draw_years(const struct picture *p)
{
	fputs("<g class=\"year\">\n", p->file);
	for (size_t i = 0; i < p->f->count; i++) {
		const int year = p->f->members[i]->year;
		const long y = p->top[p->layer_of[i]] - LAYER_GAP / 2;

		if (i && p->f->members[i - 1]->year == year)
			continue;
		if (i)
			fprintf(p->file, "<path d=\"M0 %ldH%ld\"/>\n", y,
				p->width);
		fprintf(p->file, "<text x=\"%d\" y=\"%ld\">", MARGIN,
			(i ? y : 0) + 20);
		fprintf(p->file, year ? "%d</text>\n" : "ours</text>\n", year);
	}
	fputs("</g>\n", p->file);
}

static const char style[] =
    "<style>\n"
    "text{font:11px sans-serif}\n"
    ".ground{fill:#fff}\n"
    "path{fill:none;stroke:#8190a5;stroke-width:1.3}\n"
    "circle{fill:#8190a5}\n"
    "text{fill:#24292f;stroke:#fff;stroke-width:3;paint-order:stroke}\n"
    ".box rect{fill:#e8effa;stroke:#4a6fa5}\n"
    ".box.ours rect{fill:#e4f5e6;stroke:#3f8a4c}\n"
    ".box text{font:bold 12px sans-serif;text-anchor:middle;stroke:none}\n"
    ".year text{font:bold 14px sans-serif;fill:#66707c}\n"
    ".year path{stroke:#d5dae0;stroke-dasharray:3 4}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".ground{fill:#14181d}\n"
    "path{stroke:#7d8a9b}\n"
    "circle{fill:#9aa8ba}\n"
    "text{fill:#d8dee6;stroke:#14181d}\n"
    ".box rect{fill:#22304a;stroke:#7fa3d8}\n"
    ".box.ours rect{fill:#1e3a26;stroke:#6cbf7b}\n"
    ".year text{fill:#98a3b0}\n"
    ".year path{stroke:#333b45}\n"
    "}\n"
    "</style>\n";

static void draw(const struct picture *p)
{
	const long height = p->top[p->layers];

	fprintf(
	    p->file,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%ld\" "
	    "height=\"%ld\" viewBox=\"0 0 %ld %ld\" role=\"img\">\n"
	    "<title>The family of designs: who took what from whom</title>\n"
	    "%s<rect class=\"ground\" width=\"%ld\" height=\"%ld\"/>\n",
	    p->width, height, p->width, height, style, p->width, height);
	draw_years(p);
	for (size_t i = 0; i < p->pieces_count; i++)
		draw_piece(p, &p->pieces[i]);
	for (size_t i = 0; i < p->f->count; i++)
		draw_box(p, &p->items[i]);
	fputs("</svg>\n", p->file);
}

void rwi_family_svg(const struct rwi_family *family, FILE *file)
{
	struct picture *p = calloc(1, sizeof *p);

	if (!p)
		rwi_fatal("out of memory");
	p->f = family;
	p->file = file;
	find_layers(p);
	add_all(p);
	order_layers(p);
	place_items(p);
	place_layers(p);
	draw(p);
	free(p);
}
