/* SPDX-License-Identifier: MIT */
/*
 * AIM7's jobs and workfiles, as tables: which shared objects of a kernel one
 * execution of a job takes, how often, and how long it computes.
 */
#ifndef RWI_AIM7_MIXES_H
#define RWI_AIM7_MIXES_H

/* What jobs are made of.  Which locks each takes is in aim7_objects.c. */
enum rwi_aim7_op {
	RWI_AIM7_FORK,      /* and the child's exit */
	RWI_AIM7_EXEC,      /* after a fork, and the program's exit */
	RWI_AIM7_SPAWN,     /* the same without the fork's copying */
	RWI_AIM7_MM_WRITE,  /* a change of the own address space */
	RWI_AIM7_MM_SHRINK, /* one that zaps pages, beside readers if it can */
	RWI_AIM7_MM_READ,   /* a page fault */
	RWI_AIM7_DIR,       /* a name comes or goes */
	RWI_AIM7_SUBDIR,    /* the same in a subdirectory */
	RWI_AIM7_LIST,      /* a read of the common directory */
	RWI_AIM7_SHM,       /* a segment of shared memory */
	RWI_AIM7_SEM,       /* a set of semaphores */
	RWI_AIM7_OPS
};

enum { RWI_AIM7_JOBS_MAX = 80, RWI_AIM7_WEIGHTS_MAX = 4 };

struct rwi_aim7_job {
	const char *name; /* as workfiles have it */
	double ms;        /* one execution by one user of an idle machine */
	unsigned ops[RWI_AIM7_OPS];
	double sleep_s;
};

struct rwi_aim7_mix {
	const char *name; /* the workfile's */
	unsigned total;   /* of its weights, as AIM7 adds them up */
	struct {
		unsigned weight;
		const char *jobs; /* of this weight, with spaces between */
	} weights[RWI_AIM7_WEIGHTS_MAX];
};

/* A null name ends each. */
extern const struct rwi_aim7_job rwi_aim7_jobs[];
extern const struct rwi_aim7_mix rwi_aim7_mixes[];

/* The mix of that name, or null. */
const struct rwi_aim7_mix *rwi_aim7_mix_find(const char *name);

/*
 * How often each user executes each job.  Returns the sum: AIM7's "jobs" of a
 * user.
 */
unsigned rwi_aim7_executions(const struct rwi_aim7_mix *mix,
			     unsigned executions[RWI_AIM7_JOBS_MAX]);

#endif
