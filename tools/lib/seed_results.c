/* SPDX-License-Identifier: MIT */
/*
 * What the runs of a part come to: medians over rounds, ratios formed in each
 * round, and whether a claim holds.
 */
#include "tools/lib/seed.h"

#include "tools/lib/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values over rounds, by round; NAN where there is none. */
struct rounds {
	double *values;
	size_t count;
};

static struct rounds rounds_new(const json_t *part)
{
	const intmax_t planned = rwi_whole(part, "rounds");
	struct rounds r = { .count = planned > 0 ? (size_t)planned : 0 };

	r.values = malloc((r.count + 1) * sizeof *r.values);
	if (!r.values)
		rwi_fatal("out of memory");
	for (size_t i = 0; i < r.count; i++)
		r.values[i] = NAN;
	return r;
}

static struct rounds collect(const json_t *part, const char *cell,
			     const char *lock, const char *value)
{
	const json_t *runs = json_object_get(part, "runs");
	struct rounds r = rounds_new(part);
	json_t *run;
	size_t i;

	json_array_foreach(runs, i, run)
	{
		const json_t *values = json_object_get(run, "values");
		const json_t *number = json_object_get(values, value);
		const size_t round = (size_t)rwi_whole(run, "round");

		if (json_is_number(number) && round < r.count &&
		    !strcmp(rwi_text(run, "cell"), cell) &&
		    !strcmp(rwi_text(run, "lock"), lock))
			r.values[round] = json_number_value(number);
	}
	return r;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Frees the values. */
static struct rwi_summary summarise(struct rounds r)
{
	struct rwi_summary s = { 0, NAN, NAN, NAN };
	double *v = r.values;

	for (size_t i = 0; i < r.count; i++)
		if (!isnan(v[i]))
			v[s.rounds++] = v[i];
	if (s.rounds) {
		qsort(v, s.rounds, sizeof *v, ascending);
		s.min = v[0];
		s.max = v[s.rounds - 1];
		s.median = (v[(s.rounds - 1) / 2] + v[s.rounds / 2]) / 2;
	}
	free(v);
	return s;
}

struct rwi_summary rwi_seed_value(const json_t *part, const char *cell,
				  const char *lock, const char *value)
{
	return summarise(collect(part, cell, lock, value));
}

struct rwi_summary rwi_seed_ratio(const json_t *part, const char *cell_a,
				  const char *lock_a, const char *cell_b,
				  const char *lock_b)
{
	const char *value = json_string_value(
	    json_array_get(json_object_get(part, "values"), 0));
	struct rounds a, b;

	if (!value)
		return summarise(rounds_new(part));
	a = collect(part, cell_a, lock_a, value);
	b = collect(part, cell_b, lock_b, value);
	/*
	 * What is paid extra can be nothing, or less; no ratio is the same as
	 * a round that was not run.
	 */
	for (size_t i = 0; i < a.count; i++)
		a.values[i] = b.values[i] > 0 ? a.values[i] / b.values[i] : NAN;
	free(b.values);
	return summarise(a);
}

/* ---- Conclusions ---- */

static json_t *summary_json(struct rwi_summary s)
{
	if (!s.rounds)
		return json_null();
	return json_pack("{s:f, s:f, s:f, s:i}", "median", s.median, "min",
			 s.min, "max", s.max, "rounds", (int)s.rounds);
}

static json_t *results_of(const json_t *part, const char *cell,
			  const char *lock)
{
	const json_t *names = json_object_get(part, "values");
	json_t *values = json_object(), *name;
	size_t i;

	json_array_foreach(names, i, name)
	{
		const char *value = json_string_value(name);

		json_object_set_new(
		    values, value,
		    summary_json(rwi_seed_value(part, cell, lock, value)));
	}
	return json_pack("{s:s, s:s, s:o}", "cell", cell, "lock", lock,
			 "values", values);
}

static json_t *results(const json_t *part)
{
	const json_t *cells = json_object_get(part, "cells");
	const json_t *locks = json_object_get(part, "locks");
	json_t *array = json_array(), *cell, *lock;
	size_t i, k;

	json_array_foreach(cells, i, cell)
	{
		json_array_foreach(locks, k, lock)
		{
			json_array_append_new(
			    array, results_of(part, rwi_text(cell, "name"),
					      json_string_value(lock)));
		}
	}
	return array;
}

static void conclude_claim(const json_t *part, json_t *claim)
{
	const double there = json_number_value(json_object_get(claim, "there"));
	const struct rwi_summary here = rwi_seed_ratio(
	    part, rwi_text(claim, "cell_a"), rwi_text(claim, "lock_a"),
	    rwi_text(claim, "cell_b"), rwi_text(claim, "lock_b"));
	const char *verdict = "not measured";

	if (here.rounds)
		verdict = (there < 1) == (here.median < 1) ? "agree" : "differ";
	json_object_set_new(claim, "here", summary_json(here));
	json_object_set_new(claim, "verdict", json_string(verdict));
}

void rwi_seed_conclude(json_t *part)
{
	const json_t *claims = json_object_get(part, "claims");
	json_t *claim;
	size_t i;

	json_object_set_new(part, "results", results(part));
	json_array_foreach(claims, i, claim)
	{
		conclude_claim(part, claim);
	}
}

char *rwi_seed_verdict(const json_t *claim, char text[RWI_SEED_VERDICT_SIZE])
{
	const json_t *here = json_object_get(claim, "here");
	const json_t *reason = json_object_get(claim, "reason");
	const char *verdict = rwi_text(claim, "verdict");
	const bool differs = !strcmp(verdict, "differ");
	const bool split =
	    json_number_value(json_object_get(here, "min")) < 1 &&
	    json_number_value(json_object_get(here, "max")) > 1;
	const char *why = "";

	if (differs && json_is_string(reason))
		why = json_string_value(reason);
	else if (differs && !split)
		why = "no reason is known";
	snprintf(text, RWI_SEED_VERDICT_SIZE, "%s%s%s%s%s", verdict,
		 split || *why ? ": " : "", split ? "not in all rounds" : "",
		 split && *why ? "; " : "", why);
	return text;
}

size_t rwi_seed_figures(const json_t *part, const char *cell, const char *lock,
			const char *value, double *numbers, size_t room)
{
	const json_t *figures = json_object_get(part, "figures");
	json_t *figure;
	size_t count = 0, i;

	json_array_foreach(figures, i, figure)
	{
		if (strcmp(rwi_text(figure, "cell"), cell) != 0 ||
		    strcmp(rwi_text(figure, "lock"), lock) != 0 ||
		    strcmp(rwi_text(figure, "value"), value) != 0)
			continue;
		if (count < room)
			numbers[count] = json_number_value(
			    json_object_get(figure, "number"));
		count++;
	}
	return count;
}
