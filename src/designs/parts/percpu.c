/* SPDX-License-Identifier: MIT */
#include "designs/parts/percpu.h"

#include <errno.h>
#include <string.h>

struct rwi_row rwi_rows[RWI_CPUS] __attribute__((aligned(128)));
_Static_assert(sizeof(struct rwi_row) % 128 == 0, "rows share no line");

enum { BITS = 32, WORDS = RWI_PERCPU_LOCKS / BITS };
static uint32_t used[WORDS];

/* A free index of one word of the map, or RWI_PERCPU_LOCKS. */
static uint32_t claim(uint32_t word)
{
	uint32_t found = rwi_load_relaxed(look, &used[word]);

	while (found != UINT32_MAX) {
		const uint32_t bit = (uint32_t)__builtin_ctz(~found);

		/* ORDER index(2/2): the last user's changes to the cells. */
		if (rwi_cas_acquire(claim, &used[word], &found,
				    found | UINT32_C(1) << bit))
			return word * BITS + bit;
	}
	return RWI_PERCPU_LOCKS;
}

int rwi_percpu_get(uint32_t *index)
{
	for (uint32_t word = 0; word < WORDS; word++) {
		*index = claim(word);
		if (*index == RWI_PERCPU_LOCKS)
			continue;
		for (uint32_t cpu = 0; cpu < RWI_CPUS; cpu++)
			memset(rwi_cell(*index, cpu), 0, RWI_CELL_BYTES);
		return 0;
	}
	return EAGAIN;
}

void rwi_percpu_put(uint32_t index)
{
	const uint32_t bit = UINT32_C(1) << index % BITS;

	/* ORDER index(1/2): our changes, before the next user's zeroes. */
	rwi_fetch_sub_release(put, &used[index / BITS], bit);
}
