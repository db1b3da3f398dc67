/* SPDX-License-Identifier: MIT */
#include "tools/lib/report.h"
void rwi_report_seed(struct rwi_page *page, const json_t *record)
{
	(void)page;
	(void)record;
}
