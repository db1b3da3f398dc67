/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* isatty, CLOCK_MONOTONIC */

#include "tools/lib/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double rwi_clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

char *rwi_duration(double seconds, char buffer[RWI_DURATION_SIZE])
{
	const long whole = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000L;

	if (whole < 120)
		snprintf(buffer, RWI_DURATION_SIZE, "%ld s", whole);
	else
		snprintf(buffer, RWI_DURATION_SIZE, "%ld min %ld s", whole / 60,
			 whole % 60);
	return buffer;
}

void rwi_progress_start(struct rwi_progress *progress, bool forced)
{
	progress->terminal = isatty(STDERR_FILENO);
	progress->shown = forced || progress->terminal;
	progress->began_s = rwi_clock_s();
	progress->shown_s = 0;
}

void rwi_progress_update(struct rwi_progress *progress, double done,
			 double total, const char *what)
{
	/* On a terminal smoothly; into a file a line now and then. */
	const double pause_s = progress->terminal ? 0.1 : 1;
	const double now_s = rwi_clock_s();
	const double spent_s = now_s - progress->began_s;
	char left[RWI_DURATION_SIZE];

	if (!progress->shown || now_s - progress->shown_s < pause_s)
		return;
	progress->shown_s = now_s;
	fprintf(stderr, "%s%3.0f %%  %s left  %s%s",
		progress->terminal ? "\r" : "", 100 * done / total,
		done > 0 ? rwi_duration(spent_s / done * (total - done), left)
			 : "?",
		what, progress->terminal ? "\033[K" : "\n");
	fflush(stderr);
}

void rwi_progress_end(struct rwi_progress *progress)
{
	if (progress->shown && progress->terminal)
		fputs("\r\033[K", stderr);
}
