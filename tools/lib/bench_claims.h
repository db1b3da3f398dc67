/* SPDX-License-Identifier: MIT */
/*
 * Claims: that a lock does so well in a test, alone or beside another.  There
 * are two tables of them: what this project says of its own lock, and what the
 * authors of the designs said of theirs.
 */
#ifndef RWI_BENCH_CLAIMS_H
#define RWI_BENCH_CLAIMS_H

#include "tools/lib/bench_results.h"

/* With what a value is compared, in the same round. */
enum rwi_against {
	RWI_NOTHING,
	RWI_LOCK,     /* another lock in this test */
	RWI_OWN_TEST, /* the same lock in another test */
	RWI_BEST      /* the fastest of the other locks that sleep */
};

enum rwi_sense {
	RWI_AT_LEAST,
	RWI_AT_MOST,
	RWI_LEVEL /* at least, or within the spread */
};

/* Where a claim was published. */
struct rwi_source {
	const char *who;     /* author, place, date */
	const char *machine; /* and what ran there */
	unsigned cpus;       /* of it; 0: not known, or not the point */
	const char *why;     /* it may differ here for this; or null */
};

struct rwi_claim {
	const char *lock;
	const char *test;
	enum rwi_metric metric;
	enum rwi_against against;
	const char *to;
	enum rwi_sense sense;
	double limit;     /* in the metric's unit, unless it is a ratio */
	const char *what; /* for people */

	/* If others published it: */
	const struct rwi_source *source;
	double there;    /* the ratio they measured, or 0 */
	const char *why; /* as in the source, for this claim */
};

/* In the unit of the claim; without rounds if the record does not have it. */
struct rwi_summary rwi_claim_measured(const struct rwi_results *r,
				      const struct rwi_claim *claim);

bool rwi_claim_holds(const struct rwi_claim *claim, struct rwi_summary s);

/* Those about the lineage, and about our own; a null lock ends each list. */
extern const struct rwi_claim rwi_lineage_claims[];
extern const struct rwi_claim rwi_own_claims[];

/* Does the record belong to the lineage, or to a set that has ours? */
bool rwi_record_has_lineage(const struct rwi_results *r);
bool rwi_record_has_own(const struct rwi_results *r);

/* Why a measured claim of the lineage may differ; empty if there is no why. */
enum { RWI_REASONS_SIZE = 256 };
void rwi_claim_reasons(const struct rwi_results *r, const struct rwi_claim *c,
		       struct rwi_summary s, char text[RWI_REASONS_SIZE]);

/* The fastest sleeping lock of others in a test, or locks_count. */
size_t rwi_best_peer(const struct rwi_results *r, size_t test);

void rwi_lineage_report(const struct rwi_results *r, FILE *file);

#endif
