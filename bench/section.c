/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* CLOCK_THREAD_CPUTIME_ID */

#include "bench/section.h"

#include "bench/clock.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct rwi_section_form rwi_section_forms[] = {
	{ "empty", "nothing; every 1024th pair does what lines does" },
	{ "lines", "touch two shared cache lines, and check the lock" },
	{ "Nns", "the same, with N ns of multiplications in between" },
	{ "Npauses", "N times the instruction for waiting loops; every 1024th "
		     "pair does what lines does" },
	{ NULL, NULL },
};

/* ---- Work ---- */

/* The compiler cannot shorten it: each step needs the last. */
void rwi_work(uint64_t steps)
{
	uint64_t x = 3;

	while (steps--) {
		x *= x;
		__asm__ volatile("" : "+r"(x));
	}
}

static void pause_for(uint64_t times)
{
	while (times--) {
#if defined __x86_64__ || defined __i386__
		__builtin_ia32_pause();
#elif defined __aarch64__
		__asm__ volatile("isb" ::: "memory");
#else
		__asm__ volatile("" ::: "memory");
#endif
	}
}

/* Nanoseconds for one of them; the least of some trials, by CPU time. */
static double cost_ns(void (*work)(uint64_t), uint64_t times)
{
	double least = INFINITY;

	for (int trial = 0; trial < 5; trial++) {
		const double began = rwi_time_s(CLOCK_THREAD_CPUTIME_ID);

		work(times);
		least =
		    fmin(least, rwi_time_s(CLOCK_THREAD_CPUTIME_ID) - began);
	}
	return 1e9 * least / (double)times;
}

double rwi_pause_ns(void)
{
	return cost_ns(pause_for, 10000);
}

double rwi_work_ns(void)
{
	static double one_ns;

	if (one_ns == 0)
		one_ns = cost_ns(rwi_work, 100000);
	return one_ns;
}

static uint64_t steps_for(uint64_t ns)
{
	return (uint64_t)((double)ns / rwi_work_ns() + 0.5);
}

/* ---- Sections ---- */

typedef atomic_uint_least64_t counter;

static uint64_t look_at(const counter *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

static void add_one(counter *c)
{
	atomic_store_explicit(c, look_at(c) + 1, memory_order_relaxed);
}

static bool read_lines(const struct rwi_guarded *guarded, uint64_t amount)
{
	(void)amount;
	return look_at(&guarded->first) == look_at(&guarded->second);
}

static void write_lines(struct rwi_guarded *guarded, uint64_t amount)
{
	(void)amount;
	add_one(&guarded->first);
	add_one(&guarded->second);
}

static bool read_slowly(const struct rwi_guarded *guarded, uint64_t amount)
{
	const uint64_t first = look_at(&guarded->first);

	rwi_work(amount);
	return first == look_at(&guarded->second);
}

static void write_slowly(struct rwi_guarded *guarded, uint64_t amount)
{
	add_one(&guarded->first);
	rwi_work(amount);
	add_one(&guarded->second);
}

static bool read_pausing(const struct rwi_guarded *guarded, uint64_t amount)
{
	(void)guarded;
	pause_for(amount);
	return true;
}

static void write_pausing(struct rwi_guarded *guarded, uint64_t amount)
{
	(void)guarded;
	pause_for(amount);
}

bool rwi_section_parse(const char *text, struct rwi_section *section)
{
	enum { AMOUNT_MAX = 1000000000 };
	unsigned long amount;
	char *unit;

	*section = (struct rwi_section){ .name = text };
	if (!strcmp(text, "empty"))
		return true;
	if (!strcmp(text, "lines")) {
		section->read = read_lines;
		section->write = write_lines;
		section->checks = true;
		return true;
	}
	/* A digit first, so that no sign or blank gets past strtoul. */
	amount = isdigit((unsigned char)*text) ? strtoul(text, &unit, 10) : 0;
	if (!amount || amount > AMOUNT_MAX)
		return false;
	if (!strcmp(unit, "ns")) {
		section->read = read_slowly;
		section->write = write_slowly;
		section->checks = true;
		section->amount = steps_for(amount);
		return true;
	}
	section->read = read_pausing;
	section->write = write_pausing;
	section->amount = amount;
	return !strcmp(unit, "pauses");
}
