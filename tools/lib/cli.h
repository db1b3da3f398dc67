/* SPDX-License-Identifier: MIT */
/* What all commands share: exit codes, errors, arguments, colours. */
#ifndef RWI_CLI_H
#define RWI_CLI_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "designs/design.h"

/* Documented in rwsem(1). */
enum rwi_exit {
	RWI_EXIT_OK = 0,
	RWI_EXIT_WRONG = 1,        /* a lock did wrong, or a result is wrong */
	RWI_EXIT_USAGE = 2,        /* bad arguments or input */
	RWI_EXIT_SYSTEM = 3,       /* the system refused something */
	RWI_EXIT_INTERRUPTED = 130 /* by SIGINT or SIGTERM; results partial */
};

/* A subcommand; argv[0] is "rwsem NAME".  Returns an exit code. */
struct rwi_command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

int rwi_bench(int argc, char **argv);
int rwi_list(int argc, char **argv);
int rwi_seed(int argc, char **argv);
int rwi_report(int argc, char **argv);
int rwi_torture(int argc, char **argv);

/* One line on standard error, with "rwsem: " in front. */
void rwi_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, then exit with RWI_EXIT_USAGE or RWI_EXIT_SYSTEM. */
_Noreturn void rwi_usage(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
_Noreturn void rwi_fatal(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Parse arguments.  Ends the process on --help, --version and errors. */
void rwi_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
	       void *input);

/* The value of an option as a number within limits, or rwi_usage(). */
double rwi_seconds(const char *option, const char *text, double min,
		   double max);
double rwi_factor(const char *option, const char *text, double min, double max);
uint64_t rwi_count(const char *option, const char *text, uint64_t min,
		   uint64_t max);

/*
 * Call add(input, word) for each word of a list with commas; rwi_usage() if
 * the list or a word is empty.
 */
void rwi_words(const char *option, char *list,
	       void (*add)(void *input, char *word), void *input);

/* The lock of that name, or rwi_usage(). */
const struct rwi_design *rwi_lock_named(const char *name);

/* Set by SIGINT and SIGTERM once rwi_catch_interrupts() was called. */
bool rwi_interrupted(void);
void rwi_catch_interrupts(void);

/* From a seed of the user's or of the clock: xorshift numbers, never zero. */
uint64_t rwi_random(uint64_t *state);

/*
 * Turn text bold, red or green on a terminal that wants colours; plain ends
 * it.  Each returns what to print.
 */
enum rwi_style { RWI_PLAIN, RWI_BOLD, RWI_RED, RWI_GREEN };
const char *rwi_style(FILE *file, enum rwi_style style);

/* Read JSON from a file, or from standard input if the path is "-". */
json_t *rwi_json_read(const char *path);

/* Write JSON to a file, or to standard output if the path is "-". */
void rwi_json_write(const json_t *json, const char *path);

/* The program and the machine, for a record. */
json_t *rwi_json_program(void);
json_t *rwi_json_machine(void);
/* The time of day as 2026-01-31T12:00:00Z. */
json_t *rwi_json_now(void);

#endif
