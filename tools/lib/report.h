/* SPDX-License-Identifier: MIT */
/* From a record to the chapters of a page, by the kind of record. */
#ifndef RWI_REPORT_H
#define RWI_REPORT_H

#include <jansson.h>
#include <stdbool.h>

#include "tools/lib/bench_results.h"
#include "tools/lib/report_page.h"

/* Of rwsem bench: rwi_usage() if it is broken. */
void rwi_report_bench(struct rwi_page *page, const json_t *record);

/* Its parts: what was claimed, and the tables of all tests. */
void rwi_report_claims(struct rwi_page *page, const struct rwi_results *r);
void rwi_report_tables(struct rwi_page *page, const struct rwi_results *r);

/* Of rwsem seed. */
void rwi_report_seed(struct rwi_page *page, const json_t *record);

#endif
