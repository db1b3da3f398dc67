/* SPDX-License-Identifier: MIT */
/* rwsem list: the locks that other commands take by name. */
#include "tools/lib/cli.h"

#include "bench/locks.h"
#include "tools/lib/table.h"

#include <string.h>

enum form { TABLE, JSON, MARKDOWN };

enum { OPT_JSON = 256, OPT_MARKDOWN };

static const struct argp_option arguments[] = {
	{ "json", OPT_JSON, NULL, 0, "Print JSON", 0 },
	{ "markdown", OPT_MARKDOWN, NULL, 0,
	  "Print a Markdown table, with all columns", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	enum form *form = state->input;

	switch (key) {
	case OPT_JSON:
		*form = JSON;
		return 0;
	case OPT_MARKDOWN:
		*form = MARKDOWN;
		return 0;
	case ARGP_KEY_ARG:
		rwi_usage("list: unexpected argument '%s'", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* How traits are called in lists, in the order of enum rwi_trait. */
static const struct {
	unsigned trait;
	const char *name;
} traits[] = {
	{ RWI_BOUNDED, "bounded" },
	{ RWI_RECURSIVE, "recursive-read" },
	{ RWI_FOREIGN_UP_READ, "foreign-up-read" },
	{ RWI_DESTROY_SAFE, "destroy-safe" },
	{ RWI_FORK, "fork" },
	{ RWI_NO_EXCLUSION, "no-exclusion" },
	{ RWI_MUTEX, "mutex" },
	{ RWI_NATIVE_ONLY, "native-only" },
	{ RWI_BROKEN, "broken" },
	{ RWI_STARVES_WRITERS, "starves-writers" },
	{ RWI_STARVES_READERS, "starves-readers" },
	{ RWI_INLINED, "inlined" },
	{ RWI_SPINS, "spins" },
	{ RWI_YIELDS, "yields" },
};

/* Operations that a lock may lack, by their kernel names. */
static json_t *operations(const struct rwi_design *d)
{
	const struct {
		bool has;
		const char *name;
	} all[] = {
		{ d->down_read_trylock && d->down_write_trylock, "trylock" },
		{ d->down_read_until && d->down_write_until, "until" },
		{ d->down_read_interruptible && d->down_write_interruptible,
		  "interruptible" },
		{ d->downgrade_write, "downgrade" },
	};
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].has)
			json_array_append_new(list, json_string(all[i].name));
	return list;
}

static json_t *describe(const struct rwi_design *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
		if (d->traits & traits[i].trait)
			json_array_append_new(list,
					      json_string(traits[i].name));
	return json_pack("{s:s, s:i, s:o, s:o, s:s, s:s}", "name", d->name,
			 "bytes", (int)d->lock_size, "traits", list,
			 "operations", operations(d), "origin", d->origin,
			 "summary", d->summary);
}

/* The words of a list in one cell; a dash if there are none. */
static void words_cell(struct rwi_table *table, const json_t *list)
{
	char text[256] = "";
	json_t *word;
	size_t i;

	json_array_foreach(list, i, word)
	{
		strncat(text, i ? ", " : "", sizeof text - strlen(text) - 1);
		strncat(text, json_string_value(word),
			sizeof text - strlen(text) - 1);
	}
	rwi_table_cell(table, "%s", *text ? text : "-");
}

static void string_cell(struct rwi_table *table, const json_t *lock,
			const char *key)
{
	rwi_table_cell(table, "%s",
		       json_string_value(json_object_get(lock, key)));
}

/* A terminal has room for some columns only. */
static struct rwi_table *table_of(const json_t *locks, bool all)
{
	static const char *const columns[] = {
		"lock", "bytes", "traits", "origin", "operations", "summary"
	};
	struct rwi_table *table = rwi_table_new("lrl");
	json_t *lock;
	size_t i;

	for (i = 0; i < (all ? 6 : 4); i++)
		rwi_table_cell(table, "%s", columns[i]);
	rwi_table_row(table);
	json_array_foreach(locks, i, lock)
	{
		string_cell(table, lock, "name");
		rwi_table_cell(
		    table, "%d",
		    (int)json_integer_value(json_object_get(lock, "bytes")));
		words_cell(table, json_object_get(lock, "traits"));
		string_cell(table, lock, "origin");
		if (all) {
			words_cell(table, json_object_get(lock, "operations"));
			string_cell(table, lock, "summary");
		}
		rwi_table_row(table);
	}
	return table;
}

int rwi_list(int argc, char **argv)
{
	static const struct argp argp = {
		.options = arguments,
		.parser = parse,
		.doc = "Show the locks that can be named.\vExit status: 0, or "
		       "2 for bad arguments.",
	};
	const struct rwi_design *design;
	enum form form = TABLE;
	json_t *locks = json_array();

	rwi_parse(&argp, argc, argv, 0, &form);
	for (size_t i = 0; (design = rwi_lock_at(i)); i++)
		json_array_append_new(locks, describe(design));
	if (form == JSON)
		rwi_json_write(locks, "-");
	else if (form == MARKDOWN)
		rwi_table_markdown(table_of(locks, true), stdout);
	else
		rwi_table_print(table_of(locks, false), stdout);
	json_decref(locks);
	return RWI_EXIT_OK;
}
