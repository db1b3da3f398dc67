/* SPDX-License-Identifier: MIT */
/*
 * A design: one reader-writer lock behind a table of operations.
 *
 * Tests, benchmarks and commands know locks only through this table.  A design
 * is one file that exports one object (or a few that differ by a parameter);
 * registry.c lists them.  The operations take the lock as void * and convert
 * it in their first line.  A null operation means "this design cannot": it is
 * never emulated, and tables print a dash.
 */
#ifndef RWI_DESIGN_H
#define RWI_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* What a design promises; tests run what the traits call for. */
enum rwi_trait {
	/* Waiters of both sides get in within a stated bound. */
	RWI_BOUNDED = 1 << 0,
	/* A reader may read again past a waiting writer. */
	RWI_RECURSIVE = 1 << 1,
	/* A read hold may be released by another thread. */
	RWI_FOREIGN_UP_READ = 1 << 2,
	/* The next owner may unmap the lock while the last one's up returns. */
	RWI_DESTROY_SAFE = 1 << 3,
	/* A child of fork can use an inherited lock whose waiters are gone. */
	RWI_FORK = 1 << 4,
	/* Readers and writers exclude nobody: a floor for measurements. */
	RWI_NO_EXCLUSION = 1 << 5,
	/* Reading is as exclusive as writing: a mutex. */
	RWI_MUTEX = 1 << 6,
	/* Uses locks of libc, which a simulated machine does not have. */
	RWI_NATIVE_ONLY = 1 << 7,
	/* Broken on purpose; every suite must catch it. */
	RWI_BROKEN = 1 << 8,
	/* Writers can wait for ever while readers overlap; and the reverse. */
	RWI_STARVES_WRITERS = 1 << 9,
	RWI_STARVES_READERS = 1 << 10,
	/* The fast paths are compiled into the caller. */
	RWI_INLINED = 1 << 11,
	/* Waiters never sleep: they use up CPU time until they get in. */
	RWI_SPINS = 1 << 12,
	/* But they give their CPU to others again and again. */
	RWI_YIELDS = 1 << 13,
	/* Nobody passes a waiter, except that readers enter together. */
	RWI_FIFO = 1 << 14,
};

/* What a design took from an earlier one. */
struct rwi_debt {
	const char *to; /* that design's name */
	const char *what;
};
enum { RWI_DEBTS_MAX = 3 };

struct rwi_design {
	const char *name;    /* lower case, dashes; unique */
	const char *summary; /* one line */
	const char *origin;  /* author, year, where published */
	const char *file; /* in src/designs; its first comment has the rest */
	/* The greatest first: a tree shows it under that one. */
	struct rwi_debt owes[RWI_DEBTS_MAX];
	int year;          /* of the origin; 0: our own, or unknown */
	unsigned traits;   /* enum rwi_trait, or'ed */
	size_t lock_size;  /* bytes, at most RWI_LOCK_SIZE_MAX */
	size_t lock_align; /* bytes */

	/*
	 * Read holds at once, where a field of the word bounds them; null: as
	 * many as there can be threads.
	 */
	uint64_t (*readers_max)(void);

	/* Null: zeroed memory is an unlocked lock.  Returns 0 or an errno. */
	int (*init)(void *lock);
	void (*destroy)(void *lock);

	void (*down_read)(void *lock);
	void (*up_read)(void *lock);
	void (*down_write)(void *lock);
	void (*up_write)(void *lock);

	bool (*down_read_trylock)(void *lock);
	bool (*down_write_trylock)(void *lock);
	/* 0, ETIMEDOUT; absolute time of CLOCK_MONOTONIC or CLOCK_REALTIME. */
	int (*down_read_until)(void *lock, clockid_t clock,
			       const struct timespec *deadline);
	int (*down_write_until)(void *lock, clockid_t clock,
				const struct timespec *deadline);
	/* 0, EINTR. */
	int (*down_read_interruptible)(void *lock);
	int (*down_write_interruptible)(void *lock);
	void (*downgrade_write)(void *lock);

	/*
	 * `pairs` uncontended-style acquire and release pairs in one loop with
	 * direct (or inlined) calls, so that a benchmark can measure what a
	 * program compiled against the lock gets, without this table.
	 */
	void (*read_pairs)(void *lock, uint64_t pairs);
	void (*write_pairs)(void *lock, uint64_t pairs);
};

enum { RWI_LOCK_SIZE_MAX = 512 };

/*
 * Define `name_read_pairs` and `name_write_pairs` for a design file; the four
 * arguments are expressions or statements over the variable `lock`.
 */
#define RWI_DEFINE_PAIRS(prefix, down_read, up_read, down_write, up_write)     \
	static void prefix##_read_pairs(void *lock, uint64_t pairs)            \
	{                                                                      \
		while (pairs--) {                                              \
			down_read;                                             \
			up_read;                                               \
		}                                                              \
	}                                                                      \
	static void prefix##_write_pairs(void *lock, uint64_t pairs)           \
	{                                                                      \
		while (pairs--) {                                              \
			down_write;                                            \
			up_write;                                              \
		}                                                              \
	}

/* All designs in presentation order; the last entry is null. */
extern const struct rwi_design *const rwi_designs[];

/* The design called `name`, or null. */
const struct rwi_design *rwi_design_find(const char *name);

#endif
