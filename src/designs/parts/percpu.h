/* SPDX-License-Identifier: MIT */
/*
 * Storage per CPU and lock: a row of cells for every CPU, and in each row a
 * cell for every lock, found by an index that the lock holds.  (The kernel's
 * alloc_percpu, or an array indexed by sem->idx as brsem had it.)
 *
 * Cells are static, so that a lock stays small.  Two rows never share a cache
 * line; two locks may, on the same CPU.  In the kernel a thread can be kept on
 * its CPU while it changes a cell.  Here it may move at any time, and two CPUs
 * may use one row (there are 64), so cells are changed by atomic operations
 * only, and the row is no more than a good guess.
 */
#ifndef RWI_PERCPU_H
#define RWI_PERCPU_H

#include "port/port.h"

enum { RWI_CPUS = 64, RWI_PERCPU_LOCKS = 256, RWI_CELL_BYTES = 32 };

/*
 * A row is longer than a power of two: else the cells of one lock would all
 * fall into one set of the cache.
 */
struct rwi_row {
	union {
		unsigned char bytes[RWI_CELL_BYTES];
		uint64_t align;
	} cells[RWI_PERCPU_LOCKS];
	unsigned char apart[128];
};
extern struct rwi_row rwi_rows[RWI_CPUS];

/* An index whose cells are all zero: 0, or EAGAIN when all are in use. */
int rwi_percpu_get(uint32_t *index);

/* Nobody uses its cells any more. */
void rwi_percpu_put(uint32_t index);

static inline uint32_t rwi_this_cpu(void)
{
	return rwi_cpu_hint() % RWI_CPUS;
}

static inline void *rwi_cell(uint32_t index, uint32_t cpu)
{
	return rwi_rows[cpu].cells[index].bytes;
}

#endif
