/* SPDX-License-Identifier: MIT */
/* Running gnuplot: a script in, what it draws out. */
#ifndef RWI_REPORT_GNUPLOT_H
#define RWI_REPORT_GNUPLOT_H

#include <stddef.h>

/*
 * What gnuplot writes to standard output for this script, with a null byte
 * behind its *size bytes; free() it.  rwi_fatal() if there is no gnuplot, or if
 * it fails, with the first line that it said.
 */
char *rwi_gnuplot(const char *script, size_t *size);

#endif
