/* SPDX-License-Identifier: MIT */
/*
 * A record has the windows; everything here is computed from them.
 *
 * Rates are medians over rounds.  Ratios are formed within each round, where
 * both locks met the same conditions, and then their median is taken: it is
 * steadier than the ratio of two medians.
 *
 * A lone thread never waits, so its rates are by the CPU time it had: then it
 * does not matter who else used its CPU.  With company, waiting is part of the
 * result, and rates are by the clock.
 */
#include "tools/lib/bench_report.h"

#include "tools/lib/cli.h"
#include "tools/lib/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum side { READ, WRITE, SIDES };

struct results {
	const json_t *record, *tests, *locks;
	size_t tests_count, locks_count, rounds;
	size_t baseline, floor; /* a lock's place, or locks_count */
	double *rates;          /* per second, by rate_at; NAN is unmeasured */
	bool *wrong;            /* by test and lock */
	double *scratch;        /* one value a round */
};

static double *rate_at(const struct results *r, size_t test, size_t lock,
		       enum side side, size_t round)
{
	const size_t row = (test * r->locks_count + lock) * SIDES + side;

	return &r->rates[row * r->rounds + round];
}

/* ---- Reading the record ---- */

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "?";
}

static intmax_t whole(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static const char *name_of(const json_t *list, size_t place)
{
	return text(json_array_get(list, place), "name");
}

static size_t place_of(const json_t *list, const char *name)
{
	size_t i = 0;

	while (i < json_array_size(list) &&
	       (!name || strcmp(name_of(list, i), name) != 0))
		i++;
	return i;
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		rwi_fatal("out of memory");
	return memory;
}

/* Does this test have threads on that side? */
static bool has_side(const struct results *r, size_t test, enum side side)
{
	return whole(json_array_get(r->tests, test),
		     side == READ ? "readers" : "writers") > 0;
}

static bool is_alone(const struct results *r, size_t test)
{
	const json_t *t = json_array_get(r->tests, test);

	return whole(t, "readers") + whole(t, "writers") == 1;
}

static void read_window(struct results *r, json_t *window)
{
	const char *test, *lock;
	json_int_t round, reads, writes, wrong;
	size_t t, l;
	double seconds, cpu_seconds;

	if (json_unpack(window, "{s:s, s:s, s:I, s:F, s:F, s:I, s:I, s:I}",
			"test", &test, "lock", &lock, "round", &round,
			"seconds", &seconds, "cpu_seconds", &cpu_seconds,
			"reads", &reads, "writes", &writes, "wrong", &wrong) ||
	    seconds <= 0 || cpu_seconds < 0)
		rwi_usage("the record has a window that is none");
	t = place_of(r->tests, test);
	l = place_of(r->locks, lock);
	if (t == r->tests_count || l == r->locks_count || round < 0 ||
	    (size_t)round >= r->rounds)
		rwi_usage("the record has a window of an unknown test, lock or "
			  "round");
	r->wrong[t * r->locks_count + l] |= wrong != 0;
	/* Other programs kept a lone thread from its CPU: no result. */
	if (is_alone(r, t) && cpu_seconds == 0)
		return;
	if (is_alone(r, t))
		seconds = cpu_seconds;
	*rate_at(r, t, l, READ, (size_t)round) = (double)reads / seconds;
	*rate_at(r, t, l, WRITE, (size_t)round) = (double)writes / seconds;
}

static void read_record(struct results *r, const json_t *record)
{
	const char *format, *baseline, *floor;
	json_t *tests, *locks, *windows, *window;
	json_int_t version, rounds;
	size_t i, cells;

	if (json_unpack((json_t *)record,
			"{s:s, s:I, s:o, s:o, s:o, s:{s:I, s:s, s:s}}",
			"format", &format, "format_version", &version, "tests",
			&tests, "locks", &locks, "windows", &windows,
			"parameters", "rounds", &rounds, "baseline", &baseline,
			"floor", &floor) ||
	    strcmp(format, RWI_BENCH_FORMAT) != 0 || rounds < 1)
		rwi_usage("this is no record of rwsem bench");
	if (version != RWI_BENCH_FORMAT_VERSION)
		rwi_usage("the record has format version %jd, not %d",
			  (intmax_t)version, RWI_BENCH_FORMAT_VERSION);
	r->record = record;
	r->tests = tests;
	r->locks = locks;
	r->tests_count = json_array_size(tests);
	r->locks_count = json_array_size(locks);
	r->rounds = (size_t)rounds;
	r->baseline = place_of(locks, baseline);
	r->floor = place_of(locks, floor);
	cells = r->tests_count * r->locks_count * SIDES * r->rounds;
	r->rates = allocate(cells, sizeof *r->rates);
	r->wrong = allocate(r->tests_count * r->locks_count, sizeof *r->wrong);
	r->scratch = allocate(r->rounds, sizeof *r->scratch);
	for (i = 0; i < cells; i++)
		r->rates[i] = NAN;
	json_array_foreach(windows, i, window) read_window(r, window);
}

/* ---- Statistics ---- */

struct summary {
	size_t rounds; /* that had a value */
	double median, min, max;
};

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct summary summarise(double *values, size_t count)
{
	struct summary s = { .rounds = count };

	if (!count)
		return s;
	qsort(values, count, sizeof *values, ascending);
	s.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
	s.min = values[0];
	s.max = values[count - 1];
	return s;
}

/*
 * The rate of a lock; or, if `to` is a lock, its ratio to that one's rate in
 * the same round.
 */
static struct summary rate(const struct results *r, size_t test, size_t lock,
			   enum side side, size_t to)
{
	size_t n = 0;

	for (size_t round = 0; round < r->rounds; round++) {
		double value = *rate_at(r, test, lock, side, round);

		if (to < r->locks_count)
			value /= *rate_at(r, test, to, side, round);
		/* Infinite: the other lock got nothing done. */
		if (!isnan(value))
			r->scratch[n++] = value;
	}
	return summarise(r->scratch, n);
}

/* ---- Printing ---- */

enum { NUMBER_SIZE = 32 };

/* Three digits that mean something, and no exponent while that fits. */
static char *number(double x, char buffer[NUMBER_SIZE])
{
	int decimals = 0;

	if (isinf(x))
		return strcpy(buffer, "inf");
	if (x != 0 && x < 0.00995) {
		snprintf(buffer, NUMBER_SIZE, "%.1e", x);
		return buffer;
	}
	for (double limit = 99.95; decimals < 3 && x < limit; limit /= 10)
		decimals++;
	snprintf(buffer, NUMBER_SIZE, "%.*f", x != 0 ? decimals : 0, x);
	return buffer;
}

static void summary_cell(struct rwi_table *table, struct summary s, double unit)
{
	char median[NUMBER_SIZE], min[NUMBER_SIZE], max[NUMBER_SIZE];

	if (s.rounds)
		rwi_table_cell(
		    table, "%s (%s..%s)", number(s.median / unit, median),
		    number(s.min / unit, min), number(s.max / unit, max));
	else
		rwi_table_cell(table, "-");
}

/* The floor says something about one thread alone. */
static bool shows_floor(const struct results *r, size_t test)
{
	return r->floor < r->locks_count && is_alone(r, test);
}

static void heading(const struct results *r, struct rwi_table *table,
		    size_t test)
{
	static const char *const unit[] = { "M reads/s", "M writes/s" };

	rwi_table_cell(table, "lock");
	for (enum side side = READ; side < SIDES; side++) {
		if (!has_side(r, test, side))
			continue;
		rwi_table_cell(table, "%s", unit[side]);
		if (r->baseline < r->locks_count)
			rwi_table_cell(table, "x %s",
				       name_of(r->locks, r->baseline));
		if (shows_floor(r, test))
			rwi_table_cell(table, "of %s",
				       name_of(r->locks, r->floor));
	}
	rwi_table_row(table);
}

static void lock_row(const struct results *r, struct rwi_table *table,
		     size_t test, size_t lock)
{
	char of_floor[NUMBER_SIZE];
	struct summary s;

	rwi_table_cell(table, "%s", name_of(r->locks, lock));
	for (enum side side = READ; side < SIDES; side++) {
		if (!has_side(r, test, side))
			continue;
		summary_cell(table, rate(r, test, lock, side, r->locks_count),
			     1e6);
		if (r->baseline < r->locks_count)
			summary_cell(table,
				     rate(r, test, lock, side, r->baseline), 1);
		if (!shows_floor(r, test))
			continue;
		s = rate(r, test, lock, side, r->floor);
		rwi_table_cell(table, "%s",
			       s.rounds ? number(s.median, of_floor) : "-");
	}
	if (r->wrong[test * r->locks_count + lock])
		rwi_table_cell(table, "WRONG RESULT");
	rwi_table_row(table);
}

static void machine_line(const struct results *r, FILE *file)
{
	const json_t *machine = json_object_get(r->record, "machine");
	const json_t *program = json_object_get(r->record, "program");
	const bool virtual = json_is_true(json_object_get(machine, "virtual"));
	const char *commit = text(program, "commit");

	fprintf(file, "  %s, %jd CPUs%s, %s, %s, %s; rwsem %s%s%s\n",
		text(machine, "cpu"), whole(machine, "cpus"),
		virtual ? " (virtual)" : "", text(machine, "kernel"),
		text(machine, "libc"), text(machine, "compiler"),
		text(program, "version"), *commit ? ", " : "", commit);
}

static void threads(const json_t *test, const char *key, const char *one,
		    const char *before, FILE *file)
{
	const intmax_t n = whole(test, key);

	if (n)
		fprintf(file, "%s%jd %s%s", before, n, one, n > 1 ? "s" : "");
}

static void title(const struct results *r, size_t test, FILE *file)
{
	const json_t *t = json_array_get(r->tests, test);
	const json_t *p = json_object_get(r->record, "parameters");

	fprintf(file, "\n%s%s: ", rwi_style(file, RWI_BOLD), text(t, "name"));
	threads(t, "readers", "reader", "", file);
	threads(t, "writers", "writer", has_side(r, test, READ) ? ", " : "",
		file);
	fprintf(file, "; %s%s%s\n",
		json_is_true(json_object_get(t, "pinned")) ? "pinned"
							   : "not pinned",
		json_is_true(json_object_get(t, "oversubscribed"))
		    ? ", oversubscribed"
		    : "",
		rwi_style(file, RWI_PLAIN));
	fprintf(file,
		"  median (min..max); rounds: %zu, each %g s; section: %s%s\n",
		r->rounds, json_number_value(json_object_get(p, "seconds")),
		text(p, "section"),
		is_alone(r, test) ? "; rates by CPU time" : "");
	machine_line(r, file);
}

static void test_table(const struct results *r, size_t test, FILE *file)
{
	struct rwi_table *table = rwi_table_new("lr");

	title(r, test, file);
	heading(r, table, test);
	for (size_t lock = 0; lock < r->locks_count; lock++)
		lock_row(r, table, test, lock);
	rwi_table_print(table, file);
}

static void ratio_cells(const struct results *r, struct rwi_table *table,
			size_t lock)
{
	char buffer[NUMBER_SIZE];

	for (size_t test = 0; test < r->tests_count; test++)
		for (enum side side = READ; side < SIDES; side++) {
			struct summary s;

			if (!has_side(r, test, side))
				continue;
			s = rate(r, test, lock, side, r->baseline);
			rwi_table_cell(table, "%s",
				       s.rounds ? number(s.median, buffer)
						: "-");
		}
	rwi_table_row(table);
}

static void ratio_table(const struct results *r, FILE *file)
{
	struct rwi_table *table = rwi_table_new("lr");

	fprintf(file, "\n%sAll tests: ratio to %s (median over rounds)%s\n",
		rwi_style(file, RWI_BOLD), name_of(r->locks, r->baseline),
		rwi_style(file, RWI_PLAIN));
	machine_line(r, file);
	rwi_table_cell(table, "lock");
	for (size_t test = 0; test < r->tests_count; test++) {
		const char *name = name_of(r->tests, test);
		const bool both =
		    has_side(r, test, READ) && has_side(r, test, WRITE);

		if (has_side(r, test, READ))
			rwi_table_cell(table, "%s%s", name,
				       both ? " reads" : "");
		if (has_side(r, test, WRITE))
			rwi_table_cell(table, "%s%s", name,
				       both ? " writes" : "");
	}
	rwi_table_row(table);
	for (size_t lock = 0; lock < r->locks_count; lock++) {
		rwi_table_cell(table, "%s", name_of(r->locks, lock));
		ratio_cells(r, table, lock);
	}
	rwi_table_print(table, file);
}

void rwi_bench_report(const json_t *record, FILE *file)
{
	struct results r = { 0 };

	read_record(&r, record);
	if (!json_is_true(json_object_get(record, "complete")))
		fputs("\nNot complete: later rounds are missing.\n", file);
	for (size_t test = 0; test < r.tests_count; test++)
		test_table(&r, test, file);
	if (r.baseline < r.locks_count && r.tests_count > 1)
		ratio_table(&r, file);
	free(r.rates);
	free(r.wrong);
	free(r.scratch);
}
