/* SPDX-License-Identifier: MIT */
/*
 * The measurements of the messages that the lineage's designs came with, each
 * one a part: a program of its own kind, run with one lock at a time.
 *
 * A part has cells (a number of threads, a mix, a size), is run cell by cell
 * and lock by lock, and says what it measured as a few numbers.  How often, in
 * which order, and what is made of the numbers is not its business.  It checks
 * its own work at the end of every run: a lock that let two writers in at once
 * does not get a number, but a fault.
 */
#ifndef RWI_SEED_H
#define RWI_SEED_H

#include "designs/design.h"

#include <stdbool.h>
#include <stdint.h>

enum { RWI_SEED_VALUES_MAX = 12, RWI_SEED_PARAMETERS = 4 };

/* What the command line says. */
struct rwi_seed_options {
	bool full;       /* the message's own sizes, not the shortened ones */
	double squeeze;  /* divide computing time by this; 1 is honest */
	uint64_t random; /* seed of all random choices */
};

struct rwi_seed_cell {
	char name[48]; /* as in tables and records */
	unsigned threads;
	long parameter[RWI_SEED_PARAMETERS]; /* the part's own */
	double seconds;                      /* about how long one run takes */
};

struct rwi_seed_outcome {
	double
	    value[RWI_SEED_VALUES_MAX]; /* one for each of the part's names */
	char fault[128];                /* what was wrong, if run() fails */
};

/*
 * Something that the message claims: the ratio of the first value of two runs,
 * a's to b's.  It agrees if the measured ratio is on the same side of 1.
 */
struct rwi_seed_claim {
	const char *says; /* in one line */
	const char *cell_a, *lock_a;
	const char *cell_b, *lock_b;
	double ratio; /* as the message has it */
	const char
	    *reason; /* known beforehand why it may differ here, or null */
};

struct rwi_seed_part {
	const char *name;    /* on the command line */
	const char *title;   /* one line */
	const char *message; /* author, list, date, machine */
	/* Names of designs in order of presentation; null ends each list. */
	const char *const *locks;
	/* "tps", "real_s": the first is what is compared. */
	const char *const *values;
	bool less_is_better; /* of the first */
	unsigned rounds;     /* runs of each cell with each lock */
	/*
	 * How many times as many CPUs as two the message had, where what they
	 * compute apart is to be squeezed so unless it is said otherwise; 0: 1.
	 */
	double squeeze;
	/* The cell at this place; false past the last. */
	bool (*cell)(unsigned place, const struct rwi_seed_options *options,
		     struct rwi_seed_cell *cell);
	/* Run one; false if a check failed, with the fault in words. */
	bool (*run)(const struct rwi_seed_cell *cell,
		    const struct rwi_design *design,
		    const struct rwi_seed_options *options,
		    struct rwi_seed_outcome *outcome);
	const struct rwi_seed_claim *claims; /* ends with says == NULL */
	/*
	 * The message's own numbers, as the CSV file of the part has them:
	 * cell,lock,value,number (bench/seeds/NAME.csv, built in).
	 */
	const char *figures;
};

/* All parts in order; null ends the list. */
extern const struct rwi_seed_part *const rwi_seed_parts[];

#endif
