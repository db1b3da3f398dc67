/* SPDX-License-Identifier: MIT */
/* Records: what was measured, with what, on what, as JSON. */
#define _GNU_SOURCE /* gmtime_r */

#include "tools/lib/cli.h"

#include "bench/machine.h"
#include "rwsem/rwsem.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Written by the build: the commit, where that is known. */
#include "tools/commit.h"

json_t *rwi_json_read(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	json_error_t error;
	json_t *json;

	if (!file)
		rwi_usage("%s: %s", path, strerror(errno));
	json = json_loadf(file, 0, &error);
	if (!json)
		rwi_usage("%s: line %d: %s", path, error.line, error.text);
	if (file != stdin)
		fclose(file);
	return json;
}

void rwi_json_write(const json_t *json, const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "we") : stdout;
	int failed;

	if (!file)
		rwi_fatal("%s: %s", path, strerror(errno));
	failed =
	    json_dumpf(json, file, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	failed |= fputc('\n', file) == EOF;
	failed |= file == stdout ? fflush(file) : fclose(file);
	if (failed)
		rwi_fatal("%s: %s", path, strerror(errno));
}

json_t *rwi_json_program(void)
{
	return json_pack("{s:s, s:s, s:s}", "name", "rwsem", "version",
			 RWSEM_VERSION, "commit", RWSEM_COMMIT);
}

json_t *rwi_json_machine(void)
{
	struct rwi_machine m;

	rwi_machine_read(&m);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:b, s:f}",
			 "cpu", m.cpu, "architecture", m.architecture, "kernel",
			 m.kernel, "libc", m.libc, "compiler", m.compiler,
			 "governor", m.governor, "cpus", (int)m.cpus, "cores",
			 (int)m.cores, "virtual", (int)m.virtual_machine,
			 "load", m.load);
}

json_t *rwi_json_now(void)
{
	const time_t now = time(NULL);
	struct tm utc;
	char text[32];

	gmtime_r(&now, &utc);
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
	return json_string(text);
}
