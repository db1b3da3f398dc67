/* SPDX-License-Identifier: MIT */
/* The machine that measures, as far as results depend on it. */
#ifndef RWI_MACHINE_H
#define RWI_MACHINE_H

#include <stdbool.h>

enum { RWI_CPUS_MAX = 1024 };

struct rwi_machine {
	char cpu[128];         /* the processor's model */
	char architecture[66]; /* of the kernel: x86_64 */
	char kernel[132];      /* name and release */
	char libc[64];
	char compiler[128];
	char governor[64]; /* of the first CPU's frequency; "" unknown */
	unsigned cpus;     /* this process may use */
	unsigned cores;    /* among those; hardware threads share one */
	bool virtual_machine;
	double load; /* runnable threads, mean of the last minute */
};

void rwi_machine_read(struct rwi_machine *machine);

/*
 * The CPUs this process may use, hardware threads of the same core last.
 * Returns how many.
 */
unsigned rwi_machine_cpus(int cpus[RWI_CPUS_MAX], unsigned *cores);

#endif
