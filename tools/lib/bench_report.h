/* SPDX-License-Identifier: MIT */
/* Tables from the record of `rwsem bench`. */
#ifndef RWI_BENCH_REPORT_H
#define RWI_BENCH_REPORT_H

#include <jansson.h>
#include <stdio.h>

#define RWI_BENCH_FORMAT         "rwsem-bench"
#define RWI_BENCH_FORMAT_VERSION 1

/*
 * Print a table for each test and one of all ratios.  rwi_usage() if this is
 * not such a record.
 */
void rwi_bench_report(const json_t *record, FILE *file);

#endif
