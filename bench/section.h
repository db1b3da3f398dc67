/* SPDX-License-Identifier: MIT */
/* Sections: what a thread does while it holds the lock. */
#ifndef RWI_SECTION_H
#define RWI_SECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What the lock guards: two counters on cache lines of their own.  They are
 * atomic, and used as if they were not, for where there is no lock.
 */
struct rwi_guarded {
	_Alignas(128) atomic_uint_least64_t first;
	_Alignas(128) atomic_uint_least64_t second;
};

/*
 * One that checks the lock has both functions use the two counters.  Without
 * functions the section is empty.
 */
struct rwi_section {
	const char *name; /* as typed */
	bool (*read)(const struct rwi_guarded *, uint64_t amount);
	void (*write)(struct rwi_guarded *, uint64_t amount);
	uint64_t amount;
	bool checks; /* a read returns false if it saw half a write */
};

/* What can be typed, for lists; null names end it. */
struct rwi_section_form {
	const char *form;
	const char *summary;
};
extern const struct rwi_section_form rwi_section_forms[];

/* False if this is no section.  `text` is kept. */
bool rwi_section_parse(const char *text, struct rwi_section *section);

/* Work that touches no memory: each step is a multiplication. */
void rwi_work(uint64_t steps);

/*
 * How long a step takes: about a nanosecond.  Measured by the first call, so
 * that one comes before there are threads.
 */
double rwi_work_ns(void);

/* How long the processor's instruction for waiting loops takes, now. */
double rwi_pause_ns(void);

#endif
