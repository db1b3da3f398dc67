/* SPDX-License-Identifier: MIT */
/* rwsem report: a record of a measurement as a page for people. */
#include "tools/lib/cli.h"

#include "tools/lib/bench.h"
#include "tools/lib/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct options {
	const char *record, *output, *png;
};

enum { OPT_PNG = 256 };

static const struct argp_option arguments[] = {
	{ "output", 'o', "FILE", 0,
	  "Write the page to FILE instead of standard output", 0 },
	{ "png", OPT_PNG, "FOLDER", 0,
	  "Write each chart into FOLDER as well, as a PNG file", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		o->output = arg;
		return 0;
	case OPT_PNG:
		o->png = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->record)
			rwi_usage("report: unexpected argument '%s'", arg);
		o->record = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		rwi_usage("report: a record is needed");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- Kinds of records ---- */

static const struct kind {
	const char *format, *title;
	void (*report)(struct rwi_page *page, const json_t *record);
} kinds[] = {
	{ RWI_BENCH_FORMAT, "rwsem bench: locks side by side",
	  rwi_report_bench },
	{ "rwsem-seed", "rwsem seed: measurements of the mailing list, again",
	  rwi_report_seed },
};

static const struct kind *kind_of(const json_t *record, const char *path)
{
	const char *format =
	    json_string_value(json_object_get(record, "format"));

	for (size_t i = 0; format && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].format, format))
			return &kinds[i];
	rwi_usage("%s: this is no record of rwsem bench or rwsem seed", path);
}

static FILE *open_output(const char *path)
{
	FILE *file = path && strcmp(path, "-") ? fopen(path, "we") : stdout;

	if (!file)
		rwi_fatal("%s: %s", path, strerror(errno));
	return file;
}

int rwi_report(int argc, char **argv)
{
	static const struct argp argp = {
		.options = arguments,
		.parser = parse,
		.args_doc = "RECORD",
		.doc = "Make a page of a record that 'rwsem bench --json' or "
		       "'rwsem seed --json' wrote: one HTML file that needs "
		       "nothing else.  RECORD '-' is standard input.\vCharts "
		       "are drawn by gnuplot.\n\nExit status: 0, 2 for bad "
		       "arguments or a bad record, or 3 if the system refused "
		       "something or there is no gnuplot.",
	};
	struct options o = { NULL, NULL, NULL };
	const struct kind *kind;
	struct rwi_page page;
	json_t *record;
	FILE *file;
	int failed;

	rwi_parse(&argp, argc, argv, 0, &o);
	record = rwi_json_read(o.record);
	kind = kind_of(record, o.record);
	if (o.png && mkdir(o.png, 0777) && errno != EEXIST)
		rwi_fatal("%s: %s", o.png, strerror(errno));
	/* All of it is there before a file of that name is touched. */
	rwi_page_begin(&page, o.png);
	kind->report(&page, record);
	file = open_output(o.output);
	rwi_page_end(&page, kind->title, record, file);
	failed = ferror(file);
	failed |= file == stdout ? fflush(file) : fclose(file);
	if (failed)
		rwi_fatal("%s: %s", o.output ? o.output : "standard output",
			  strerror(errno));
	json_decref(record);
	return RWI_EXIT_OK;
}
