/* SPDX-License-Identifier: MIT */
/* rwsem list: the locks that other commands take by name. */
#include "tools/lib/cli.h"

#include "bench/locks.h"
#include "tools/lib/family.h"
#include "tools/lib/table.h"

#include <errno.h>
#include <string.h>

enum form { TABLE, JSON, MARKDOWN, FAMILY };

struct options {
	enum form form;
	const char *svg; /* the file of a picture, or null */
};

enum { OPT_JSON = 256, OPT_MARKDOWN, OPT_FAMILY, OPT_SVG };

static const struct argp_option arguments[] = {
	{ "json", OPT_JSON, NULL, 0, "Print JSON", 0 },
	{ "markdown", OPT_MARKDOWN, NULL, 0,
	  "Print a Markdown table, with all columns", 0 },
	{ "family", OPT_FAMILY, NULL, 0,
	  "Print as a tree who took what from whom", 0 },
	{ "svg", OPT_SVG, "FILE", 0,
	  "Draw that into FILE, as an SVG picture, instead; '-' is standard "
	  "output",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_JSON:
		o->form = JSON;
		return 0;
	case OPT_MARKDOWN:
		o->form = MARKDOWN;
		return 0;
	case OPT_FAMILY:
		o->form = FAMILY;
		return 0;
	case OPT_SVG:
		o->form = FAMILY;
		o->svg = arg;
		return 0;
	case ARGP_KEY_ARG:
		rwi_usage("list: unexpected argument '%s'", arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* How traits are called in lists, in this order. */
static const struct {
	unsigned trait;
	const char *name;
} traits[] = {
	{ RWI_FIFO, "fifo" },
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

static json_t *readers_max(const struct rwi_design *d)
{
	return d->readers_max ? json_integer((json_int_t)d->readers_max())
			      : json_null();
}

static json_t *debts(const struct rwi_design *d)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < rwi_family_debts(d); i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "to",
						      d->owes[i].to, "what",
						      d->owes[i].what));
	return list;
}

static json_t *describe(const struct rwi_design *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
		if (d->traits & traits[i].trait)
			json_array_append_new(list,
					      json_string(traits[i].name));
	return json_pack(
	    "{s:s, s:o, s:i, s:o, s:o, s:o, s:s, s:s, s:s?, s:o}", "name",
	    d->name, "year", d->year ? json_integer(d->year) : json_null(),
	    "bytes", (int)d->lock_size, "traits", list, "operations",
	    operations(d), "readers_max", readers_max(d), "origin", d->origin,
	    "summary", d->summary, "file", d->file, "owes", debts(d));
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
	const char *text = json_string_value(json_object_get(lock, key));

	rwi_table_cell(table, "%s", text ? text : "-");
}

static void number_cell(struct rwi_table *table, const json_t *lock,
			const char *key)
{
	const json_t *number = json_object_get(lock, key);

	if (json_is_integer(number))
		rwi_table_cell(table, "%lld",
			       (long long)json_integer_value(number));
	else
		rwi_table_cell(table, "-");
}

/* The names only of those it took something from. */
static void creditors_cell(struct rwi_table *table, const json_t *list)
{
	json_t *names = json_array(), *debt;
	size_t i;

	json_array_foreach(list, i, debt)
	    json_array_append(names, json_object_get(debt, "to"));
	words_cell(table, names);
	json_decref(names);
}

/* A terminal has room for some columns only. */
static struct rwi_table *table_of(const json_t *locks, bool all)
{
	static const char *const columns[] = {
		"lock",   "year",       "bytes",           "traits",
		"origin", "operations", "readers at most", "owes",
		"file",   "summary"
	};
	struct rwi_table *table = rwi_table_new("lrrl");
	json_t *lock;
	size_t i;

	for (i = 0; i < (all ? sizeof columns / sizeof *columns : 5); i++)
		rwi_table_cell(table, "%s", columns[i]);
	rwi_table_row(table);
	json_array_foreach(locks, i, lock)
	{
		string_cell(table, lock, "name");
		number_cell(table, lock, "year");
		number_cell(table, lock, "bytes");
		words_cell(table, json_object_get(lock, "traits"));
		string_cell(table, lock, "origin");
		if (all) {
			words_cell(table, json_object_get(lock, "operations"));
			number_cell(table, lock, "readers_max");
			creditors_cell(table, json_object_get(lock, "owes"));
			string_cell(table, lock, "file");
			string_cell(table, lock, "summary");
		}
		rwi_table_row(table);
	}
	return table;
}

static void draw_family(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "we") : stdout;
	struct rwi_family family;
	int failed;

	if (!file)
		rwi_fatal("%s: %s", path, strerror(errno));
	rwi_family_read(&family);
	rwi_family_svg(&family, file);
	failed = ferror(file);
	failed |= file == stdout ? fflush(file) : fclose(file);
	if (failed)
		rwi_fatal("%s: %s", path, strerror(errno));
}

static void print_family(void)
{
	struct rwi_family family;

	rwi_family_read(&family);
	rwi_family_text(&family, stdout);
}

static void print_locks(enum form form)
{
	const struct rwi_design *design;
	json_t *locks = json_array();

	for (size_t i = 0; (design = rwi_lock_at(i)); i++)
		json_array_append_new(locks, describe(design));
	if (form == JSON)
		rwi_json_write(locks, "-");
	else if (form == MARKDOWN)
		rwi_table_markdown(table_of(locks, true), stdout);
	else
		rwi_table_print(table_of(locks, false), stdout);
	json_decref(locks);
}

int rwi_list(int argc, char **argv)
{
	static const struct argp argp = {
		.options = arguments,
		.parser = parse,
		.doc = "Show the locks that can be named.\vExit status: 0, "
		       "2 for bad arguments, or 3 if the system refused "
		       "something.",
	};
	struct options o = { TABLE, NULL };

	rwi_parse(&argp, argc, argv, 0, &o);
	if (o.svg)
		draw_family(o.svg);
	else if (o.form == FAMILY)
		print_family();
	else
		print_locks(o.form);
	return RWI_EXIT_OK;
}
