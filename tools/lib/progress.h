/* SPDX-License-Identifier: MIT */
/* Progress of a long command on standard error, with the time left. */
#ifndef RWI_PROGRESS_H
#define RWI_PROGRESS_H

#include <stdbool.h>

struct rwi_progress {
	bool shown;
	bool terminal;
	double began_s;
	double shown_s;
};

/* Shown on a terminal, or if `forced`. */
void rwi_progress_start(struct rwi_progress *progress, bool forced);

/* `done` of `total` parts are done; `what` comes next. */
void rwi_progress_update(struct rwi_progress *progress, double done,
			 double total, const char *what);

/* Take the line away, so that results begin on a clean one. */
void rwi_progress_end(struct rwi_progress *progress);

/* "47 s" or "3 min 20 s" in the buffer, which is returned. */
enum { RWI_DURATION_SIZE = 32 };
char *rwi_duration(double seconds, char buffer[RWI_DURATION_SIZE]);

double rwi_clock_s(void);

#endif
