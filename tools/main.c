/* SPDX-License-Identifier: MIT */
/* The rwsem command: finds the subcommand in a table and runs it. */
#define _GNU_SOURCE /* open_memstream */

#include "tools/lib/cli.h"

#include "rwsem/rwsem.h"

#include <stdlib.h>
#include <string.h>

static const struct rwi_command commands[] = {
	{ "bench", "measure locks side by side", rwi_bench },
	{ "list", "show the locks that can be named", rwi_list },
	{ "seed", "measure what the designs' authors measured", rwi_seed },
	{ "report", "make a page of what was measured", rwi_report },
	{ "torture", "try to make a lock fail", rwi_torture },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct rwi_command *find(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	rwi_usage("no command is called '%s'; 'rwsem --help' names them", name);
}

struct input {
	const struct rwi_command *command;
	int first; /* the subcommand's place in argv */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input *input = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		/* What follows is the subcommand's. */
		input->command = find(arg);
		input->first = state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		rwi_usage("a command is needed; 'rwsem --help' names them");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The list of commands in --help, from the table. */
static char *help(int key, const char *text, void *input)
{
	size_t size;
	char *out;
	FILE *file;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	file = open_memstream(&out, &size);
	if (!file)
		rwi_fatal("out of memory");
	fputs("Commands:\n", file);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(file, "  %-9s %s\n", commands[i].name,
			commands[i].summary);
	fputs("\n'rwsem COMMAND --help' says more; so does rwsem(1).", file);
	fclose(file);
	return out;
}

const char *argp_program_version = "rwsem " RWSEM_VERSION;

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "COMMAND [ARGUMENT...]",
		.doc = "Reader-writer locks: compare them, torture them."
		       "\v(list of commands)",
		.help_filter = help,
	};
	struct input input = { NULL, 0 };
	char name[] = "rwsem", full_name[64];

	argp_err_exit_status = RWI_EXIT_USAGE;
	/* Errors begin with the program's name, whatever it was called as. */
	if (argc)
		argv[0] = name;
	rwi_parse(&argp, argc, argv, ARGP_IN_ORDER, &input);
	snprintf(full_name, sizeof full_name, "%s %s", name,
		 input.command->name);
	argv[input.first] = full_name;
	return input.command->run(argc - input.first, argv + input.first);
}
