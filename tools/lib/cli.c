/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* sigaction, isatty */

#include "tools/lib/cli.h"

#include "bench/locks.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Errors ---- */

static void complain(const char *format, va_list args)
{
	fflush(stdout);
	fputs("rwsem: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void rwi_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
}

void rwi_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	exit(RWI_EXIT_USAGE);
}

void rwi_fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(format, args);
	va_end(args);
	exit(RWI_EXIT_SYSTEM);
}

/* ---- Arguments ---- */

void rwi_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
	       void *input)
{
	error_t error = argp_parse(argp, argc, argv, flags, NULL, input);

	if (error)
		rwi_fatal("%s", strerror(error));
}

/* The value, if it is a number within limits; units are for people. */
static double real(const char *option, const char *text, double min, double max,
		   const char *units)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) ||
	    isspace((unsigned char)*text))
		rwi_usage("--%s: not a number%s%s: '%s'", option,
			  *units ? " of " : "", units, text);
	if (value < min || value > max)
		rwi_usage("--%s: %s is outside %g..%g%s%s", option, text, min,
			  max, *units ? " " : "", units);
	return value;
}

double rwi_seconds(const char *option, const char *text, double min, double max)
{
	return real(option, text, min, max, "seconds");
}

double rwi_factor(const char *option, const char *text, double min, double max)
{
	return real(option, text, min, max, "");
}

uint64_t rwi_count(const char *option, const char *text, uint64_t min,
		   uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end)
		rwi_usage("--%s: not a number: '%s'", option, text);
	if (errno || value < min || value > max)
		rwi_usage("--%s: %s is outside %ju..%ju", option, text,
			  (uintmax_t)min, (uintmax_t)max);
	return value;
}

void rwi_words(const char *option, char *list,
	       void (*add)(void *input, char *word), void *input)
{
	char *word, *rest = list;

	while ((word = strsep(&rest, ","))) {
		if (!*word)
			rwi_usage("--%s: an empty name in the list", option);
		add(input, word);
	}
}

const struct rwi_design *rwi_lock_named(const char *name)
{
	const struct rwi_design *design = rwi_lock_find(name);
	const char *package = rwi_lock_package(name);

	if (design)
		return design;
	if (package)
		rwi_usage("'%s' is not in this build; it needs %s", name,
			  package);
	rwi_usage("no lock is called '%s'; 'rwsem list' names them", name);
}

/* ---- Interrupts ---- */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

bool rwi_interrupted(void)
{
	return interrupted;
}

void rwi_catch_interrupts(void)
{
	/* Once: a second one ends a process that does not answer. */
	struct sigaction action = { .sa_handler = interrupt,
				    .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* ---- Numbers and colours ---- */

uint64_t rwi_random(uint64_t *state)
{
	uint64_t x = *state + !*state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

const char *rwi_style(FILE *file, enum rwi_style style)
{
	static const char *const codes[] = { "\033[0m", "\033[1m", "\033[31m",
					     "\033[32m" };
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if ((no_color && *no_color) || !term || !strcmp(term, "dumb") ||
	    !isatty(fileno(file)))
		return "";
	return codes[style];
}
