/* SPDX-License-Identifier: MIT */
/*
 * A record of rwsem seed as text: for each part the message's numbers, ours in
 * the same form, and what became of its claims.
 */
#include "tools/lib/seed.h"

#include "tools/lib/cli.h"
#include "tools/lib/table.h"

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
		    text, TEXT_SIZE, "%s ±%s%%", number,
		    rwi_number(100 * (s.max - s.min) / 2 / s.median, range));
	else
		snprintf(text, TEXT_SIZE, "%s", number);
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
