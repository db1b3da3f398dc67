/* SPDX-License-Identifier: MIT */
/*
 * gnuplot as a child.  Its three streams are files without names, so neither
 * side can wait for the other, however much is written.
 */
#define _GNU_SOURCE /* posix_spawnp */

#include "tools/lib/report_gnuplot.h"

#include "tools/lib/cli.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum { STREAMS = 3 };

static void start(FILE *const streams[STREAMS], pid_t *pid)
{
	/* No settings of the user's: the same record gives the same page. */
	char name[] = "gnuplot", defaults[] = "-d", input[] = "-";
	char *argv[] = { name, defaults, input, NULL };
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	for (int i = 0; !error && i < STREAMS; i++)
		error = posix_spawn_file_actions_adddup2(&actions,
							 fileno(streams[i]), i);
	if (!error)
		error = posix_spawnp(pid, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error == ENOENT)
		rwi_fatal("gnuplot is needed for the charts of a report "
			  "(Debian: gnuplot-nox)");
	if (error)
		rwi_fatal("cannot start gnuplot: %s", strerror(error));
}

static char *contents(FILE *file, size_t *size)
{
	long length;
	char *text;

	if (fseek(file, 0, SEEK_END) || (length = ftell(file)) < 0)
		rwi_fatal("gnuplot: %s", strerror(errno));
	rewind(file);
	text = malloc((size_t)length + 1);
	if (!text)
		rwi_fatal("out of memory");
	*size = fread(text, 1, (size_t)length, file);
	text[*size] = '\0';
	return text;
}

/* The first line with words in it: gnuplot shows a caret above that. */
static void complain(FILE *file)
{
	size_t size;
	char *text = contents(file, &size), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		if (strstr(line, "line "))
			break;
	rwi_fatal("gnuplot failed: %s", line ? line : text);
}

char *rwi_gnuplot(const char *script, size_t *size)
{
	FILE *streams[STREAMS];
	int status;
	pid_t pid;
	char *out;

	for (int i = 0; i < STREAMS; i++) {
		streams[i] = tmpfile();
		if (!streams[i])
			rwi_fatal("a temporary file: %s", strerror(errno));
	}
	if (fputs(script, streams[0]) == EOF || fflush(streams[0]))
		rwi_fatal("a temporary file: %s", strerror(errno));
	rewind(streams[0]);
	start(streams, &pid);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			rwi_fatal("gnuplot: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		complain(streams[2]);
	out = contents(streams[1], size);
	for (int i = 0; i < STREAMS; i++)
		fclose(streams[i]);
	return out;
}
