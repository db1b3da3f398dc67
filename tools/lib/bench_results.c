/* SPDX-License-Identifier: MIT */
#include "tools/lib/bench_results.h"

#include "tools/lib/bench.h"
#include "tools/lib/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct rwi_metric_form rwi_metric_forms[RWI_METRICS] = {
	[RWI_READS] = { "M reads/s", 1e6, false },
	[RWI_WRITES] = { "M writes/s", 1e6, false },
	[RWI_PAIRS] = { "M pairs/s", 1e6, false },
	[RWI_SMALLER_SIDE] = { "% of smaller side", 0.01, false },
	[RWI_PER_CPU] = { "M pairs/CPU s", 1e6, false },
	[RWI_MS] = { "ms/M pairs", 1, true },
	[RWI_OF_PAUSES] = { "x pauses", 1, true },
	[RWI_LONE] = { "k/s of the one", 1e3, false },
	[RWI_CROWD] = { "k/s of others", 1e3, false },
	[RWI_CROWD_KEEPS] = { "of their rate alone", 1, false },
	[RWI_LONGEST] = { "longest wait, us", 1e-6, true },
	[RWI_READ_P50] = { "p50 us", 1e-6, true },
	[RWI_READ_P99] = { "p99 us", 1e-6, true },
	[RWI_READ_P999] = { "p99.9 us", 1e-6, true },
	[RWI_READ_MAX] = { "max us", 1e-6, true },
	[RWI_READ_LEAST] = { "least share", 1, false },
	[RWI_READ_MOST] = { "most", 1, true },
	[RWI_WRITE_P50] = { "p50 us", 1e-6, true },
	[RWI_WRITE_P99] = { "p99 us", 1e-6, true },
	[RWI_WRITE_P999] = { "p99.9 us", 1e-6, true },
	[RWI_WRITE_MAX] = { "max us", 1e-6, true },
	[RWI_WRITE_LEAST] = { "least share", 1, false },
	[RWI_WRITE_MOST] = { "most", 1, true },
};

/* From a reader's metric to a writer's. */
enum { TO_WRITE = RWI_WRITE_P50 - RWI_READ_P50 };

/* ---- JSON ---- */

const char *rwi_text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "?";
}

intmax_t rwi_whole(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

bool rwi_is(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static double real(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static size_t place_of(const json_t *list, const char *name)
{
	size_t i = 0;

	while (i < json_array_size(list) &&
	       strcmp(rwi_text(json_array_get(list, i), "name"), name) != 0)
		i++;
	return i;
}

size_t rwi_results_test(const struct rwi_results *r, const char *name)
{
	return place_of(r->tests, name);
}

size_t rwi_results_lock(const struct rwi_results *r, const char *name)
{
	return place_of(r->locks, name);
}

const json_t *rwi_test(const struct rwi_results *r, size_t test)
{
	return json_array_get(r->tests, test);
}

const json_t *rwi_lock(const struct rwi_results *r, size_t lock)
{
	return json_array_get(r->locks, lock);
}

/* ---- Tests ---- */

bool rwi_test_has(const struct rwi_results *r, size_t test, enum rwi_side side)
{
	const json_t *t = rwi_test(r, test);
	const json_t *turn = json_object_get(t, "turn");

	return rwi_whole(t, side == RWI_READ ? "readers" : "writers") > 0 ||
	       (rwi_whole(t, "mixed") &&
		json_integer_value(json_array_get(turn, side)));
}

bool rwi_test_is_alone(const struct rwi_results *r, size_t test)
{
	const json_t *t = rwi_test(r, test);

	return rwi_whole(t, "readers") + rwi_whole(t, "writers") +
		   rwi_whole(t, "mixed") ==
	       1;
}

static bool is_lone(const struct rwi_results *r, size_t test)
{
	return json_is_string(json_object_get(rwi_test(r, test), "lone"));
}

enum rwi_metric rwi_test_metric(const struct rwi_results *r, size_t test)
{
	return is_lone(r, test) ? RWI_LONE : RWI_PAIRS;
}

/* ---- Values of one window ---- */

static void rates(const json_t *window, double seconds, double *v)
{
	const double reads = real(window, "reads");
	const double writes = real(window, "writes");
	const double cpu_seconds = real(window, "cpu_seconds");

	v[RWI_READS] = reads / seconds;
	v[RWI_WRITES] = writes / seconds;
	v[RWI_PAIRS] = (reads + writes) / seconds;
	v[RWI_MS] = 1e9 / v[RWI_PAIRS];
	if (cpu_seconds > 0)
		v[RWI_PER_CPU] = (reads + writes) / cpu_seconds;
	if (reads + writes > 0)
		v[RWI_SMALLER_SIDE] = fmin(reads, writes) / (reads + writes);
}

static void waits(const json_t *window, const char *key, double *v)
{
	const json_t *w = json_object_get(window, key);

	if (!w)
		return;
	v[RWI_READ_P50] = real(w, "p50");
	v[RWI_READ_P99] = real(w, "p99");
	v[RWI_READ_P999] = real(w, "p999");
	v[RWI_READ_MAX] = real(w, "max");
}

/* The least and the most that one of these threads had, of a fair share. */
static void shares(const json_t *window, intmax_t first, intmax_t count,
		   double *v)
{
	const json_t *by_thread = json_object_get(window, "by_thread");
	double least = INFINITY, most = 0, sum = 0;

	for (intmax_t i = first; i < first + count; i++) {
		const double pairs =
		    json_number_value(json_array_get(by_thread, (size_t)i));

		least = fmin(least, pairs);
		most = fmax(most, pairs);
		sum += pairs;
	}
	if (sum > 0) {
		v[RWI_READ_LEAST] = least * (double)count / sum;
		v[RWI_READ_MOST] = most * (double)count / sum;
	}
}

/* What one thread and the crowd get, and what these get alone. */
static void lone(const json_t *test, const json_t *window, double *v)
{
	const json_t *alone = json_object_get(window, "alone");
	const bool reads = !strcmp(rwi_text(test, "lone"), "read");

	v[RWI_LONE] = v[reads ? RWI_READS : RWI_WRITES];
	v[RWI_CROWD] = v[reads ? RWI_WRITES : RWI_READS];
	v[RWI_LONGEST] = v[reads ? RWI_READ_MAX : RWI_WRITE_MAX];
	v[RWI_CROWD_KEEPS] =
	    v[RWI_CROWD] / (real(alone, "pairs") / real(alone, "seconds"));
}

static void window_values(const struct rwi_results *r, size_t test,
			  size_t round, const json_t *window, double *v)
{
	const json_t *t = rwi_test(r, test);
	const intmax_t readers = rwi_whole(t, "readers");
	const double pause_ns = r->pause_ns[test * r->rounds + round];
	double seconds = real(window, "seconds");

	/* Other programs kept a lone thread from its CPU: no result. */
	if (rwi_test_is_alone(r, test))
		seconds = real(window, "cpu_seconds");
	if (seconds <= 0)
		return;
	rates(window, seconds, v);
	waits(window, "read_waits", v);
	waits(window, "write_waits", v + TO_WRITE);
	shares(window, 0, readers, v);
	shares(window, readers, rwi_whole(t, "writers"), v + TO_WRITE);
	v[RWI_LONGEST] = fmax(v[RWI_READ_MAX], v[RWI_WRITE_MAX]);
	if (is_lone(r, test))
		lone(t, window, v);
	/* Writers cannot pause side by side; readers can. */
	if (rwi_whole(t, "mixed") && !rwi_test_has(r, test, RWI_READ))
		v[RWI_OF_PAUSES] =
		    v[RWI_MS] / (pause_ns * (double)rwi_whole(t, "amount"));
}

/* ---- Reading the record ---- */

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		rwi_fatal("out of memory");
	return memory;
}

static double *numbers(size_t count)
{
	double *list = allocate(count, sizeof *list);

	for (size_t i = 0; i < count; i++)
		list[i] = NAN;
	return list;
}

static struct rwi_cell *cell_at(const struct rwi_results *r, size_t test,
				size_t lock, size_t round)
{
	return &r->cells[(test * r->locks_count + lock) * r->rounds + round];
}

static void read_canary(struct rwi_results *r, json_t *canary)
{
	const char *test;
	json_int_t round;
	json_t *ratio;
	double pause_ns;
	size_t t;

	if (json_unpack(canary, "{s:s, s:I, s:o, s:F}", "test", &test, "round",
			&round, "ratio", &ratio, "pause_ns", &pause_ns))
		rwi_usage("the record has a canary that is none");
	t = rwi_results_test(r, test);
	if (t == r->tests_count || round < 0 || (size_t)round >= r->rounds)
		rwi_usage("the record has a canary of an unknown test or "
			  "round");
	t = t * r->rounds + (size_t)round;
	r->canaries[t] = json_is_number(ratio) ? json_number_value(ratio) : NAN;
	r->pause_ns[t] = pause_ns;
}

static void read_window(struct rwi_results *r, json_t *window)
{
	const char *test, *lock;
	json_int_t round, reads, writes, wrong;
	double seconds, cpu_seconds;
	json_t *by_thread;
	size_t t, l;

	if (json_unpack(window, "{s:s, s:s, s:I, s:F, s:F, s:I, s:I, s:I, s:o}",
			"test", &test, "lock", &lock, "round", &round,
			"seconds", &seconds, "cpu_seconds", &cpu_seconds,
			"reads", &reads, "writes", &writes, "wrong", &wrong,
			"by_thread", &by_thread) ||
	    seconds <= 0 || cpu_seconds < 0)
		rwi_usage("the record has a window that is none");
	t = rwi_results_test(r, test);
	l = rwi_results_lock(r, lock);
	if (t == r->tests_count || l == r->locks_count || round < 0 ||
	    (size_t)round >= r->rounds)
		rwi_usage("the record has a window of an unknown test, lock or "
			  "round");
	r->wrong[t * r->locks_count + l] |= wrong != 0;
	window_values(r, t, (size_t)round, window,
		      cell_at(r, t, l, (size_t)round)->values);
}

static void make_room(struct rwi_results *r)
{
	const size_t rounds = r->tests_count * r->rounds;
	const size_t cells = rounds * r->locks_count;

	r->cells = allocate(cells, sizeof *r->cells);
	for (size_t i = 0; i < cells; i++)
		for (size_t m = 0; m < RWI_METRICS; m++)
			r->cells[i].values[m] = NAN;
	r->wrong = allocate(r->tests_count * r->locks_count, sizeof *r->wrong);
	r->canaries = numbers(rounds);
	r->pause_ns = numbers(rounds);
	r->scratch = numbers(rounds + r->rounds);
}

static size_t place_of_special(const struct rwi_results *r, const char *key)
{
	return place_of(
	    r->locks, rwi_text(json_object_get(r->record, "parameters"), key));
}

void rwi_results_read(struct rwi_results *results, const json_t *record)
{
	struct rwi_results *r = results;
	const char *format;
	json_t *tests, *locks, *windows, *canaries, *item;
	json_int_t version, rounds;
	size_t i;

	if (json_unpack((json_t *)record,
			"{s:s, s:I, s:o, s:o, s:o, s:o, s:{s:I}}", "format",
			&format, "format_version", &version, "tests", &tests,
			"locks", &locks, "windows", &windows, "canaries",
			&canaries, "parameters", "rounds", &rounds) ||
	    strcmp(format, RWI_BENCH_FORMAT) != 0 || rounds < 1)
		rwi_usage("this is no record of rwsem bench");
	if (version != RWI_BENCH_FORMAT_VERSION)
		rwi_usage("the record has format version %jd, not %d",
			  (intmax_t)version, RWI_BENCH_FORMAT_VERSION);
	memset(r, 0, sizeof *r);
	r->record = record;
	r->tests = tests;
	r->locks = locks;
	r->tests_count = json_array_size(tests);
	r->locks_count = json_array_size(locks);
	r->rounds = (size_t)rounds;
	r->baseline = place_of_special(r, "baseline");
	r->rival = place_of_special(r, "rival");
	r->floor = place_of_special(r, "floor");
	r->lockless = place_of_special(r, "lockless");
	make_room(r);
	json_array_foreach(canaries, i, item) read_canary(r, item);
	json_array_foreach(windows, i, item) read_window(r, item);
}

void rwi_results_free(struct rwi_results *results)
{
	free(results->cells);
	free(results->wrong);
	free(results->canaries);
	free(results->pause_ns);
	free(results->scratch);
}

/* ---- Statistics ---- */

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct rwi_summary summarise(double *values, size_t count)
{
	struct rwi_summary s = { .rounds = count };

	if (!count)
		return s;
	qsort(values, count, sizeof *values, ascending);
	s.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
	s.min = values[0];
	s.max = values[count - 1];
	return s;
}

struct rwi_summary rwi_value(const struct rwi_results *r,
			     enum rwi_metric metric, size_t test, size_t lock)
{
	size_t n = 0;

	for (size_t round = 0; round < r->rounds; round++) {
		const double v = cell_at(r, test, lock, round)->values[metric];

		if (!isnan(v))
			r->scratch[n++] = v;
	}
	return summarise(r->scratch, n);
}

struct rwi_summary rwi_ratio(const struct rwi_results *r,
			     enum rwi_metric metric, const size_t cell[2],
			     const size_t to[2])
{
	size_t n = 0;

	for (size_t round = 0; round < r->rounds; round++) {
		const double v =
		    cell_at(r, cell[0], cell[1], round)->values[metric] /
		    cell_at(r, to[0], to[1], round)->values[metric];

		/* Infinite: the other lock got nothing done. */
		if (!isnan(v))
			r->scratch[n++] = v;
	}
	return summarise(r->scratch, n);
}

struct rwi_summary rwi_canaries(const struct rwi_results *r, size_t test,
				size_t *disturbed)
{
	const double limit =
	    real(json_object_get(r->record, "parameters"), "canary_limit");
	const size_t all = r->tests_count;
	const size_t from = test == all ? 0 : test * r->rounds;
	const size_t to = (test == all ? all : test + 1) * r->rounds;
	size_t n = 0;

	*disturbed = 0;
	for (size_t i = from; i < to; i++) {
		if (isnan(r->canaries[i]))
			continue;
		*disturbed += r->canaries[i] < limit;
		r->scratch[n++] = r->canaries[i];
	}
	return summarise(r->scratch, n);
}

/* ---- Text ---- */

void rwi_summary_cell(struct rwi_table *table, struct rwi_summary s,
		      double unit)
{
	char median[RWI_NUMBER_SIZE], min[RWI_NUMBER_SIZE],
	    max[RWI_NUMBER_SIZE];

	if (s.rounds)
		rwi_table_cell(table, "%s (%s..%s)",
			       rwi_number(s.median / unit, median),
			       rwi_number(s.min / unit, min),
			       rwi_number(s.max / unit, max));
	else
		rwi_table_cell(table, "-");
}

void rwi_machine_line(const struct rwi_results *r, FILE *file)
{
	const json_t *machine = json_object_get(r->record, "machine");
	const json_t *program = json_object_get(r->record, "program");
	const char *commit = rwi_text(program, "commit");

	fprintf(file, "  %s, %jd CPUs%s, %s, %s, %s; rwsem %s%s%s\n",
		rwi_text(machine, "cpu"), rwi_whole(machine, "cpus"),
		rwi_is(machine, "virtual") ? " (virtual)" : "",
		rwi_text(machine, "kernel"), rwi_text(machine, "libc"),
		rwi_text(machine, "compiler"), rwi_text(program, "version"),
		*commit ? ", " : "", commit);
}

void rwi_canary_line(const struct rwi_results *r, size_t test, FILE *file)
{
	size_t disturbed;
	const struct rwi_summary s = rwi_canaries(r, test, &disturbed);
	char median[RWI_NUMBER_SIZE], min[RWI_NUMBER_SIZE],
	    max[RWI_NUMBER_SIZE];

	if (!s.rounds) {
		fputs("  canary: none, it needs two cores\n", file);
		return;
	}
	fprintf(file, "  canary: %s (%s..%s), ideally 2",
		rwi_number(s.median, median), rwi_number(s.min, min),
		rwi_number(s.max, max));
	if (disturbed)
		fprintf(file, "; %s%zu of %zu DISTURBED%s",
			rwi_style(file, RWI_RED), disturbed, s.rounds,
			rwi_style(file, RWI_PLAIN));
	fputc('\n', file);
}
