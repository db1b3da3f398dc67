/* SPDX-License-Identifier: MIT */
/*
 * A record of rwsem seed as text: for each part the message's numbers, ours in
 * the same form, and what became of its claims.
 */
#include "tools/lib/seed.h"

#include "tools/lib/cli.h"
#include "tools/lib/table.h"

#include <math.h>
#include <string.h>

enum { LINE_MAX_LENGTH = 100, TEXT_SIZE = 128, TRIES_MAX = 8 };

/* ---- Tables of cells and locks ---- */

/* What stands in a field; false if nothing does. */
typedef bool field_text(const json_t *part, const char *cell, const char *lock,
			const char *value, char text[TEXT_SIZE]);

static const char *name_at(const json_t *names, size_t place)
{
	return json_string_value(json_array_get(names, place));
}

/* The message's number; several tries in a row. */
static bool figure_text(const json_t *part, const char *cell, const char *lock,
			const char *value, char text[TEXT_SIZE])
{
	double numbers[TRIES_MAX];
	const size_t count =
	    rwi_seed_figures(part, cell, lock, value, numbers, TRIES_MAX);
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count && i < TRIES_MAX; i++)
		length += (size_t)snprintf(text + length, TEXT_SIZE - length,
					   "%s%.10g", i ? " " : "", numbers[i]);
	return count > 0;
}

/* The median, and half the range if there was more than one round. */
static bool result_text(const json_t *part, const char *cell, const char *lock,
			const char *value, char text[TEXT_SIZE])
{
	const struct rwi_summary s = rwi_seed_value(part, cell, lock, value);
	char number[RWI_NUMBER_SIZE], range[RWI_NUMBER_SIZE];

	if (!s.rounds)
		return false;
	rwi_number(s.median, number);
	if (s.rounds > 1 && s.median > 0)
		snprintf(
		    text, TEXT_SIZE, "%s +-%s%%", number,
		    rwi_number(100 * (s.max - s.min) / 2 / s.median, range));
	else
		snprintf(text, TEXT_SIZE, "%s%s", s.median < 0 ? "-" : "",
			 number);
	return true;
}

/* Has this lock, or any if it is null, anything in these cells? */
static bool has_any(const json_t *part, const json_t *cells, const char *lock,
		    const char *value, field_text *field)
{
	char text[TEXT_SIZE];
	size_t i;
	json_t *cell;

	json_array_foreach(cells, i, cell)
	{
		if (field(part, json_string_value(cell), lock, value, text))
			return true;
	}
	return false;
}

/* How many of the locks from `first` on have room in a line. */
static size_t fitting(const json_t *locks, size_t first, size_t label,
		      size_t field)
{
	size_t used = label, count = 0;
	const char *name;

	while ((name = name_at(locks, first + count))) {
		const size_t length = strlen(name);

		used += 2 + (length > field ? length : field);
		if (used > LINE_MAX_LENGTH && count)
			break;
		count++;
	}
	return count;
}

/* Cells by locks: one value, from the message or from here. */
struct matrix {
	const json_t *part, *cells, *locks;
	const char *value;
	field_text *field;
	const char *where; /* the numbers are from */
};

/* A line for each cell that has something, and a column for each lock. */
static void print_columns(const struct matrix *m, const char *const *locks,
			  size_t count, FILE *file)
{
	struct rwi_table *table = rwi_table_new("lr");
	char text[TEXT_SIZE];
	json_t *cell;
	size_t i;

	rwi_table_cell(table, "cell");
	for (size_t k = 0; k < count; k++)
		rwi_table_cell(table, "%s", locks[k]);
	rwi_table_row(table);
	json_array_foreach(m->cells, i, cell)
	{
		const char *name = json_string_value(cell);

		rwi_table_cell(table, "%s", name);
		for (size_t k = 0; k < count; k++)
			rwi_table_cell(
			    table, "%s",
			    m->field(m->part, name, locks[k], m->value, text)
				? text
				: "-");
		rwi_table_row(table);
	}
	rwi_table_print(table, file);
}

/* The longest name, indented. */
static size_t label_width(const json_t *cells)
{
	size_t widest = 0, i;
	json_t *cell;

	json_array_foreach(cells, i, cell)
	{
		const size_t width = 2 + strlen(json_string_value(cell));

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* In as many tables as the width needs; nothing, if there is no number. */
static void print_matrix(const struct matrix *m, FILE *file)
{
	enum { FIELD = 16 };
	const size_t label = label_width(m->cells);
	json_t *present = json_array(), *lock;
	const char *names[RWI_SEED_LOCKS_MAX];
	size_t i, first = 0, count;

	json_array_foreach(m->locks, i, lock)
	{
		if (has_any(m->part, m->cells, json_string_value(lock),
			    m->value, m->field))
			json_array_append(present, lock);
	}
	if (json_array_size(present))
		fprintf(file, "  %s %s:\n", m->value, m->where);
	while ((count = fitting(present, first, label, FIELD))) {
		for (i = 0; i < count; i++)
			names[i] = name_at(present, first + i);
		print_columns(m, names, count, file);
		first += count;
	}
	json_decref(present);
}

/* ---- The message's, and ours ---- */

/* What the objects of a list have under a key, each once, in order. */
static json_t *distinct(const json_t *list, const char *key)
{
	json_t *names = json_array(), *object, *name;
	size_t i, k;

	json_array_foreach(list, i, object)
	{
		const char *text = rwi_text(object, key);
		bool known = false;

		json_array_foreach(names, k, name)
		{
			known |= !strcmp(json_string_value(name), text);
		}
		if (!known)
			json_array_append_new(names, json_string(text));
	}
	return names;
}

static void print_figures(const json_t *part, FILE *file)
{
	const json_t *figures = json_object_get(part, "figures");
	json_t *values = distinct(figures, "value");
	json_t *cells = distinct(figures, "cell");
	json_t *locks = distinct(figures, "lock"), *value;
	size_t i;

	json_array_foreach(values, i, value)
	{
		print_matrix(&(struct matrix){ part, cells, locks,
					       json_string_value(value),
					       figure_text, "in the message" },
			     file);
	}
	json_decref(values);
	json_decref(cells);
	json_decref(locks);
}

static void print_results(const json_t *part, FILE *file)
{
	const char *const compared = rwi_is(part, "less_is_better")
					 ? "here (compared; less is better)"
					 : "here (compared; more is better)";
	const json_t *values = json_object_get(part, "values");
	const json_t *locks = json_object_get(part, "locks");
	json_t *cells = distinct(json_object_get(part, "cells"), "name");
	json_t *value;
	size_t i;

	json_array_foreach(values, i, value)
	{
		print_matrix(&(struct matrix){ part, cells, locks,
					       json_string_value(value),
					       result_text,
					       i ? "here" : compared },
			     file);
	}
	json_decref(cells);
}

/* What the record says instead of numbers. */
static void print_gaps(const json_t *part, FILE *file)
{
	const json_t *left_out = json_object_get(part, "left_out");
	const json_t *runs = json_object_get(part, "runs");
	json_t *entry;
	size_t i;

	json_array_foreach(left_out, i, entry)
	{
		fprintf(file, "  left out: %s: %s\n", rwi_text(entry, "lock"),
			rwi_text(entry, "why"));
	}
	json_array_foreach(runs, i, entry)
	{
		if (json_object_get(entry, "fault"))
			fprintf(
			    file, "  %sWRONG%s: %s, %s: %s\n",
			    rwi_style(file, RWI_RED),
			    rwi_style(file, RWI_PLAIN), rwi_text(entry, "cell"),
			    rwi_text(entry, "lock"), rwi_text(entry, "fault"));
	}
}

/* ---- Claims ---- */

/* "rw: a / b", with both cells if they are not the same. */
static void claim_row(const json_t *claim, struct rwi_table *table)
{
	const char *cell_a = rwi_text(claim, "cell_a");
	const char *cell_b = rwi_text(claim, "cell_b");
	const json_t *here = json_object_get(claim, "here");
	const struct rwi_summary s = {
		(size_t)rwi_whole(here, "rounds"),
		json_number_value(json_object_get(here, "median")),
		json_number_value(json_object_get(here, "min")),
		json_number_value(json_object_get(here, "max")),
	};
	const bool same = !strcmp(cell_a, cell_b);
	char number[RWI_NUMBER_SIZE], verdict[RWI_SEED_VERDICT_SIZE];

	rwi_table_cell(table, "%s%s%s", cell_a, same ? "" : " / ",
		       same ? "" : cell_b);
	rwi_table_cell(table, "%s / %s", rwi_text(claim, "lock_a"),
		       rwi_text(claim, "lock_b"));
	rwi_table_cell(
	    table, "%s",
	    rwi_number(json_number_value(json_object_get(claim, "there")),
		       number));
	rwi_summary_cell(table, s, 1);
	rwi_table_cell(table, "%s", rwi_seed_verdict(claim, verdict));
	rwi_table_row(table);
}

static unsigned count_verdicts(const json_t *claims, const char *verdict)
{
	unsigned count = 0;
	json_t *claim;
	size_t i;

	json_array_foreach(claims, i, claim)
	{
		count += !strcmp(rwi_text(claim, "verdict"), verdict);
	}
	return count;
}

static struct rwi_table *claims_table(void)
{
	static const char *const columns[] = { "cell", "ratio", "there", "here",
					       "verdict" };
	struct rwi_table *table = rwi_table_new("llrrl");

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		rwi_table_cell(table, "%s", columns[i]);
	rwi_table_row(table);
	return table;
}

/* Claims of the same words stand in one table. */
static void print_claims(const json_t *part, FILE *file)
{
	const json_t *claims = json_object_get(part, "claims");
	struct rwi_table *table = NULL;
	const char *says = "";
	json_t *claim;
	size_t i;

	if (!json_array_size(claims))
		return;
	fprintf(file, "  claims: %u agree, %u differ, %u not measured\n",
		count_verdicts(claims, "agree"),
		count_verdicts(claims, "differ"),
		count_verdicts(claims, "not measured"));
	json_array_foreach(claims, i, claim)
	{
		if (!table || strcmp(rwi_text(claim, "says"), says) != 0) {
			if (table)
				rwi_table_print(table, file);
			says = rwi_text(claim, "says");
			fprintf(file, "  \"%s\":\n", says);
			table = claims_table();
		}
		claim_row(claim, table);
	}
	if (table)
		rwi_table_print(table, file);
}

/* ---- Everything ---- */

static void print_conditions(const json_t *record, const json_t *part,
			     FILE *file)
{
	const struct rwi_results r = { .record = record };
	const json_t *parameters = json_object_get(record, "parameters");
	const double squeeze =
	    json_number_value(json_object_get(part, "squeeze"));

	rwi_machine_line(&r, file);
	fprintf(file, "  %s, squeeze %g%s\n",
		rwi_is(parameters, "full") ? "the message's own sizes"
					   : "shortened sizes",
		squeeze, squeeze > 1 ? "" : " (honest)");
}

static void print_part(const json_t *record, const json_t *part, FILE *file)
{
	const intmax_t rounds = rwi_whole(part, "rounds");

	fprintf(file, "\n%s%s: %s%s\n  message: %s\n",
		rwi_style(file, RWI_BOLD), rwi_text(part, "name"),
		rwi_text(part, "title"), rwi_style(file, RWI_PLAIN),
		rwi_text(part, "message"));
	print_conditions(record, part, file);
	if (rounds > 1)
		fprintf(file, "  medians of %jd rounds, and half their range\n",
			rounds);
	print_gaps(part, file);
	print_figures(part, file);
	print_results(part, file);
	rwi_seed_chart(part, file);
	print_claims(part, file);
}

static bool are_strings(const json_t *array)
{
	json_t *element;
	size_t i;

	json_array_foreach(array, i, element)
	{
		if (!json_is_string(element))
			return false;
	}
	return json_is_array(array);
}

static void check(const json_t *record)
{
	const json_t *parts = json_object_get(record, "parts");
	json_t *part;
	size_t i;

	if (strcmp(rwi_text(record, "format"), RWI_SEED_FORMAT) != 0)
		rwi_usage("this is no record of rwsem seed");
	if (rwi_whole(record, "format_version") != RWI_SEED_FORMAT_VERSION)
		rwi_usage("the record has version %jd, not %d",
			  rwi_whole(record, "format_version"),
			  RWI_SEED_FORMAT_VERSION);
	json_array_foreach(parts, i, part)
	{
		if (!are_strings(json_object_get(part, "values")) ||
		    !are_strings(json_object_get(part, "locks")))
			rwi_usage("the record lacks names of values or locks");
	}
}

void rwi_seed_report(json_t *record, FILE *file)
{
	const json_t *parts = json_object_get(record, "parts");
	json_t *part;
	size_t i;

	check(record);
	if (!rwi_is(record, "complete"))
		fputs("\nNot complete: it was interrupted.\n", file);
	json_array_foreach(parts, i, part)
	{
		/* From the runs, so that all tables say the same. */
		rwi_seed_conclude(part);
		print_part(record, part, file);
	}
}
