/* SPDX-License-Identifier: MIT */
/* From a picture of gnuplot's to an element of a page. */
#ifndef RWI_REPORT_SVG_H
#define RWI_REPORT_SVG_H

#include <stdio.h>

/*
 * Write what gnuplot drew as one svg element, scaled to the width there is.
 * Colours #000001 to #00000b become the style's variables --k1 to --k8, --axis,
 * --text and --grid; fonts are the page's; names of elements are made unique
 * within the process.
 */
void rwi_svg_write(const char *svg, unsigned width, unsigned height,
		   const char *title, FILE *page);

#endif
