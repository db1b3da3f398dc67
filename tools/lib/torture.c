/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* affinity, clocks of condition variables */

#include "tools/lib/torture.h"

#include "bench/locks.h"
#include "bench/machine.h"
#include "tools/lib/cli.h"
#include "tools/lib/progress.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const rwi_asking_names[RWI_ASKINGS] = {
	[RWI_BLOCKING] = "blocking",
	[RWI_TRYLOCK] = "trylock",
	[RWI_UNTIL] = "until",
	[RWI_INTERRUPTIBLE] = "interruptible",
};

const char *const rwi_fault_names[RWI_FAULTS] = {
	[RWI_READ_SAW_WRITE] = "a reader saw a write under way",
	[RWI_WRITE_SAW_OTHER] = "a writer saw another writer's write",
	[RWI_WRITE_LOST] = "a write was lost",
	[RWI_STUCK] = "threads are stuck",
	[RWI_NOT_FREE] = "nobody held the lock, but it could not be taken",
	[RWI_EARLY_TIMEOUT] = "timed out before the deadline",
	[RWI_FALSE_SIGNAL] = "interrupted without a signal",
	[RWI_BAD_RETURN] = "an undocumented return value",
	[RWI_ERRNO_CHANGED] = "errno was changed",
};

enum { OWN_LINES = 128, STORM_PERIOD_NS = 500000, ERRNO_MARK = 12345 };

/* What a thread is at, for the report on stuck ones. */
enum doing { PAUSING, ASKING, HOLDING };

enum phase { RUN, STOP, LEAVE };

/*
 * What the lock guards.  Equal, except while a writer is inside.  Plain, so
 * that a missing ordering shows, here or to a sanitizer.
 */
struct guarded {
	_Alignas(OWN_LINES) uint64_t first;
	_Alignas(OWN_LINES) uint64_t second;
	_Alignas(OWN_LINES) uint64_t third;
};

/* One side's operations; null where the design has none. */
struct operations {
	void (*down)(void *lock);
	bool (*trylock)(void *lock);
	int (*until)(void *lock, clockid_t clock, const struct timespec *at);
	int (*interruptible)(void *lock);
	void (*up)(void *lock);
};

struct team;

struct member {
	_Alignas(OWN_LINES) struct team *team;
	struct operations ops;
	bool writes;
	pthread_t thread;
	uint64_t random;
	struct rwi_torture_side counts;
	uint64_t written, downgrades;
	uint64_t faults[RWI_FAULTS];
	/* Read by the controller at any time. */
	atomic_int doing, asking, tid;
	atomic_ullong since_ms; /* of rwi_clock_s() */
	atomic_int signals_sent;
	bool stopped;
	bool left_behind; /* stuck, and not waited for */
};

struct team {
	const struct rwi_torture *torture;
	void *lock;
	struct member *members;
	unsigned size;
	int cpus[RWI_CPUS_MAX];
	unsigned cpus_count;

	/* The gate, where members stop. */
	pthread_mutex_t mutex;
	pthread_cond_t arrived, opened;
	unsigned stopped;
	unsigned turn; /* counts openings */
	atomic_int phase;

	/* How the threads behave until the next stop. */
	atomic_bool eager; /* no holding, no pausing */
	atomic_int asking; /* how, RWI_ASKINGS being any way */
	atomic_bool storm;
	atomic_bool storm_over;

	struct guarded guarded;
};

/* ---- Waiting ---- */

static void busy(uint64_t ns)
{
	const double until = rwi_clock_s() + 1e-9 * (double)ns;

	while (rwi_clock_s() < until)
		;
}

static void doze(uint64_t ns)
{
	const struct timespec t = { (time_t)(ns / 1000000000),
				    (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

static struct timespec timespec_in(clockid_t clock, double seconds)
{
	struct timespec t;
	double whole = floor(seconds);

	clock_gettime(clock, &t);
	t.tv_sec += (time_t)whole;
	t.tv_nsec += (long)(1e9 * (seconds - whole));
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

/* True once in `n` times. */
static bool once_in(uint64_t *random, uint64_t n)
{
	return rwi_random(random) % n == 0;
}

/* Mostly nothing, sometimes a moment, rarely long. */
static void linger(struct member *m)
{
	if (atomic_load_explicit(&m->team->eager, memory_order_relaxed))
		return;
	if (once_in(&m->random, 2000))
		doze(5000000);
	else if (once_in(&m->random, 100))
		doze(rwi_random(&m->random) % 500000);
	else if (once_in(&m->random, 25))
		sched_yield();
	else if (once_in(&m->random, 10))
		busy(rwi_random(&m->random) % 20000);
	else if (once_in(&m->random, 4))
		busy(rwi_random(&m->random) % 1000);
}

/* ---- Inside the lock ---- */

/* Keep the compiler from merging what is read before and after. */
static void linger_inside(struct member *m)
{
	atomic_signal_fence(memory_order_seq_cst);
	linger(m);
	atomic_signal_fence(memory_order_seq_cst);
}

static void read_section(struct member *m)
{
	const struct guarded *g = &m->team->guarded;
	const uint64_t seen = g->first;
	bool right = g->second == seen && g->third == seen;

	linger_inside(m);
	right &= g->first == seen && g->second == seen && g->third == seen;
	m->faults[RWI_READ_SAW_WRITE] += !right;
}

static void write_section(struct member *m)
{
	struct guarded *g = &m->team->guarded;
	const uint64_t seen = g->first;
	bool right = g->second == seen && g->third == seen;

	g->first = seen + 1;
	linger_inside(m);
	right &= g->second == seen;
	g->second = seen + 1;
	linger_inside(m);
	right &= g->first == seen + 1 && g->third == seen;
	g->third = seen + 1;
	m->written++;
	m->faults[RWI_WRITE_SAW_OTHER] += !right;
}

/* ---- Asking for the lock ---- */

static _Thread_local volatile sig_atomic_t signals_seen;

static void on_signal(int signal)
{
	(void)signal;
	signals_seen++;
}

/* Past, tight and comfortable deadlines on both clocks. */
static int ask_until(struct member *m)
{
	static const double spans_s[] = { -1e-3, 2e-5, 5e-4, 4e-3 };
	const uint64_t r = rwi_random(&m->random);
	const clockid_t clock = r & 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	const double share = (double)(r >> 32) / 0x1p32;
	const struct timespec at =
	    timespec_in(clock, share * spans_s[(r >> 1) % 4]);
	struct timespec now;
	int error = m->ops.until(m->team->lock, clock, &at);

	if (error == ETIMEDOUT) {
		clock_gettime(clock, &now);
		m->faults[RWI_EARLY_TIMEOUT] +=
		    now.tv_sec < at.tv_sec ||
		    (now.tv_sec == at.tv_sec && now.tv_nsec < at.tv_nsec);
	} else if (error) {
		m->faults[RWI_BAD_RETURN]++;
	}
	return error;
}

static int ask_interruptible(struct member *m)
{
	const sig_atomic_t before = signals_seen;
	const int error = m->ops.interruptible(m->team->lock);
	const int sent = atomic_load(&m->signals_sent);

	/* A sanitizer runs the handler later, in calls such as the last. */
	if (error == EINTR)
		m->faults[RWI_FALSE_SIGNAL] +=
		    signals_seen == before && sent == signals_seen;
	else if (error)
		m->faults[RWI_BAD_RETURN]++;
	return error;
}

static bool ask(struct member *m, enum rwi_asking asking)
{
	switch (asking) {
	case RWI_TRYLOCK:
		return m->ops.trylock(m->team->lock);
	case RWI_UNTIL:
		return ask_until(m) == 0;
	case RWI_INTERRUPTIBLE:
		return ask_interruptible(m) == 0;
	default:
		m->ops.down(m->team->lock);
		return true;
	}
}

/* In the way of the day, or any; blocking if this design lacks it. */
static enum rwi_asking pick(struct member *m)
{
	int asking =
	    atomic_load_explicit(&m->team->asking, memory_order_relaxed);

	if (asking == RWI_ASKINGS)
		asking = (int)(rwi_random(&m->random) % RWI_ASKINGS);
	if ((asking == RWI_TRYLOCK && !m->ops.trylock) ||
	    (asking == RWI_UNTIL && !m->ops.until) ||
	    (asking == RWI_INTERRUPTIBLE && !m->ops.interruptible))
		return RWI_BLOCKING;
	return (enum rwi_asking)asking;
}

static void now_doing(struct member *m, enum doing doing, double since_s)
{
	atomic_store_explicit(&m->since_ms, (unsigned long long)(1e3 * since_s),
			      memory_order_relaxed);
	atomic_store_explicit(&m->doing, doing, memory_order_relaxed);
}

/* Hold the lock, and give it back. */
static void use(struct member *m)
{
	const struct rwi_design *d = m->team->torture->design;

	if (!m->writes) {
		read_section(m);
		/* Once more, past any writer that waits by now. */
		if (d->traits & RWI_RECURSIVE && once_in(&m->random, 8)) {
			m->ops.down(m->team->lock);
			read_section(m);
			m->ops.up(m->team->lock);
		}
		m->ops.up(m->team->lock);
		return;
	}
	write_section(m);
	if (d->downgrade_write && once_in(&m->random, 4)) {
		d->downgrade_write(m->team->lock);
		m->downgrades++;
		read_section(m);
		d->up_read(m->team->lock);
		return;
	}
	m->ops.up(m->team->lock);
}

static void one_turn(struct member *m)
{
	const enum rwi_asking asking = pick(m);
	const double began = rwi_clock_s();
	double now;
	bool got;

	atomic_store_explicit(&m->asking, asking, memory_order_relaxed);
	now_doing(m, ASKING, began);
	errno = ERRNO_MARK;
	got = ask(m, asking);
	m->faults[RWI_ERRNO_CHANGED] += errno != ERRNO_MARK;
	m->counts.asked[asking]++;
	if (got) {
		now = rwi_clock_s();
		now_doing(m, HOLDING, now);
		m->counts.got[asking]++;
		m->counts.longest_wait_s =
		    fmax(m->counts.longest_wait_s, now - began);
		use(m);
	}
	now_doing(m, PAUSING, began);
	linger(m);
}

/* ---- The gate ---- */

/* Wait until the gate opens; false if this was the last time. */
static bool stop_at_gate(struct member *m)
{
	struct team *t = m->team;
	unsigned turn;
	bool going;

	pthread_mutex_lock(&t->mutex);
	if (atomic_load(&t->phase) == STOP) {
		turn = t->turn;
		m->stopped = true;
		if (++t->stopped == t->size)
			pthread_cond_signal(&t->arrived);
		while (t->turn == turn)
			pthread_cond_wait(&t->opened, &t->mutex);
	}
	going = atomic_load(&t->phase) != LEAVE;
	pthread_mutex_unlock(&t->mutex);
	return going;
}

static void *be_member(void *arg)
{
	struct member *m = arg;

	atomic_store(&m->tid, gettid());
	do {
		while (atomic_load_explicit(&m->team->phase,
					    memory_order_relaxed) == RUN)
			one_turn(m);
	} while (stop_at_gate(m));
	return NULL;
}

static void open_gate(struct team *t, enum phase phase)
{
	pthread_mutex_lock(&t->mutex);
	atomic_store(&t->phase, phase);
	for (unsigned i = 0; i < t->size; i++)
		t->members[i].stopped = false;
	t->stopped = 0;
	t->turn++;
	pthread_cond_broadcast(&t->opened);
	pthread_mutex_unlock(&t->mutex);
}

/* Ask all to stop; false if some do not within the limit. */
static bool stop_all(struct team *t, double *took_s)
{
	const double began = rwi_clock_s();
	const struct timespec limit =
	    timespec_in(CLOCK_MONOTONIC, t->torture->stuck_s);
	bool all;

	/* Signals wake those whose own wake-up was lost. */
	atomic_store(&t->storm, false);
	pthread_mutex_lock(&t->mutex);
	atomic_store(&t->phase, STOP);
	while (t->stopped < t->size &&
	       !pthread_cond_clockwait(&t->arrived, &t->mutex, CLOCK_MONOTONIC,
				       &limit))
		;
	all = t->stopped == t->size;
	pthread_mutex_unlock(&t->mutex);
	*took_s = rwi_clock_s() - began;
	return all;
}

/* ---- While all stand still ---- */

static bool takes_past_deadline(struct team *t, bool writes, clockid_t clock)
{
	const struct rwi_design *d = t->torture->design;
	const struct timespec past = timespec_in(clock, -1);

	if (writes) {
		if (d->down_write_until(t->lock, clock, &past))
			return false;
		d->up_write(t->lock);
	} else {
		if (d->down_read_until(t->lock, clock, &past))
			return false;
		d->up_read(t->lock);
	}
	return true;
}

/* Can the lock, which nobody holds, be taken in every way that never waits? */
static bool is_free(struct team *t)
{
	const struct rwi_design *d = t->torture->design;
	bool free = true;

	if (d->down_write_trylock) {
		if (!d->down_write_trylock(t->lock))
			return false;
		d->up_write(t->lock);
	}
	if (d->down_read_trylock) {
		if (!d->down_read_trylock(t->lock))
			return false;
		/* Two readers at once, unless it is a mutex. */
		if (!(d->traits & RWI_MUTEX)) {
			free = d->down_read_trylock(t->lock);
			if (free)
				d->up_read(t->lock);
		}
		d->up_read(t->lock);
	}
	if (d->down_write_until)
		free = free && takes_past_deadline(t, true, CLOCK_MONOTONIC) &&
		       takes_past_deadline(t, true, CLOCK_REALTIME);
	if (d->down_read_until)
		free = free && takes_past_deadline(t, false, CLOCK_MONOTONIC) &&
		       takes_past_deadline(t, false, CLOCK_REALTIME);
	return free;
}

static bool lost_write(const struct team *t)
{
	const struct guarded *g = &t->guarded;
	uint64_t written = 0;

	for (unsigned i = 0; i < t->size; i++)
		written += t->members[i].written;
	return g->first != written || g->second != written ||
	       g->third != written;
}

/* ---- The report on stuck threads ---- */

/* The scheduler's letter for a thread: S sleeps, R runs or could. */
static char state_of(int tid)
{
	char path[64], line[256] = "", *after;
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
	file = fopen(path, "re");
	if (file) {
		if (!fgets(line, sizeof line, file))
			*line = 0;
		fclose(file);
	}
	after = strrchr(line, ')');
	return after && after[1] ? after[2] : '?';
}

static void describe_member(const struct member *m, FILE *file)
{
	static const char *const what[] = {
		[PAUSING] = "is outside the lock",
		[ASKING] = "waits",
		[HOLDING] = "holds it",
	};
	const int doing = atomic_load(&m->doing);
	const double since =
	    rwi_clock_s() - 1e-3 * (double)atomic_load(&m->since_ms);

	fprintf(file, "  %s, thread %d, state %c: %s",
		m->writes ? "writer" : "reader", atomic_load(&m->tid),
		state_of(atomic_load(&m->tid)), what[doing]);
	if (doing == ASKING)
		fprintf(file, " (%s)",
			rwi_asking_names[atomic_load(&m->asking)]);
	fprintf(file, " since %.1f s\n", since);
}

/* Count those that did not stop; lines about them and about the lock. */
static char *describe_stuck(struct team *t, uint64_t *count)
{
	const struct rwi_design *d = t->torture->design;
	unsigned holders = 0;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		rwi_fatal("out of memory");
	pthread_mutex_lock(&t->mutex);
	for (unsigned i = 0; i < t->size; i++) {
		if (t->members[i].stopped)
			continue;
		++*count;
		describe_member(&t->members[i], file);
		holders += atomic_load(&t->members[i].doing) == HOLDING;
	}
	pthread_mutex_unlock(&t->mutex);
	if (!holders && d->down_write_trylock) {
		const bool taken = d->down_write_trylock(t->lock);

		fputs(taken
			  ? "  nobody holds it, and a try takes it: a wake-up "
			    "was lost\n"
			  : "  nobody holds it, yet a try fails: a mark was "
			    "left behind\n",
		      file);
		if (taken)
			d->up_write(t->lock);
	}
	fclose(file);
	return text;
}

/* ---- Disturbance ---- */

static int storm_signal(void)
{
	return SIGRTMIN;
}

static void *make_storm(void *arg)
{
	struct team *t = arg;
	uint64_t random = t->torture->seed;

	while (!atomic_load(&t->storm_over)) {
		struct member *m = &t->members[rwi_random(&random) % t->size];

		doze(STORM_PERIOD_NS);
		if (!atomic_load(&t->storm))
			continue;
		atomic_fetch_add(&m->signals_sent, 1);
		if (pthread_kill(m->thread, storm_signal()))
			atomic_fetch_sub(&m->signals_sent, 1);
	}
	return NULL;
}

/* Bind some threads to some CPU, and let others go anywhere. */
static void move_members(struct team *t, uint64_t *random)
{
	for (unsigned i = 0; i < t->size; i++) {
		const bool bind = once_in(random, 2);
		const unsigned chosen =
		    (unsigned)(rwi_random(random) % t->cpus_count);
		cpu_set_t set;

		CPU_ZERO(&set);
		for (unsigned c = 0; c < t->cpus_count; c++)
			if (!bind || c == chosen)
				CPU_SET((size_t)t->cpus[c], &set);
		/* A CPU may have gone; then the thread stays where it is. */
		pthread_setaffinity_np(t->members[i].thread, sizeof set, &set);
	}
}

static void change_weather(struct team *t, uint64_t *random)
{
	atomic_store(&t->eager, once_in(random, 3));
	atomic_store(&t->asking, once_in(random, 2)
				     ? RWI_ASKINGS
				     : rwi_random(random) % RWI_ASKINGS);
	atomic_store(&t->storm, t->torture->signals && once_in(random, 2));
	if (t->torture->moves && t->cpus_count > 1)
		move_members(t, random);
}

/* ---- The run ---- */

static struct operations operations_of(const struct rwi_design *d, bool writes)
{
	if (writes)
		return (struct operations){ d->down_write,
					    d->down_write_trylock,
					    d->down_write_until,
					    d->down_write_interruptible,
					    d->up_write };
	return (struct operations){ d->down_read, d->down_read_trylock,
				    d->down_read_until,
				    d->down_read_interruptible, d->up_read };
}

static int start_member(struct team *t, unsigned place)
{
	struct member *m = &t->members[place];
	pthread_attr_t attr;
	sigset_t mask;
	int error;

	m->team = t;
	m->writes = place >= t->torture->readers;
	m->ops = operations_of(t->torture->design, m->writes);
	m->random = (t->torture->seed + place) * UINT64_C(0x9e3779b97f4a7c15);
	/* Of all signals only the storm's, and those that faults raise. */
	sigfillset(&mask);
	sigdelset(&mask, storm_signal());
	sigdelset(&mask, SIGSEGV);
	sigdelset(&mask, SIGBUS);
	sigdelset(&mask, SIGABRT);
	error = pthread_attr_init(&attr);
	if (error)
		return error;
	error = pthread_attr_setsigmask_np(&attr, &mask);
	if (!error)
		error = pthread_create(&m->thread, &attr, be_member, m);
	pthread_attr_destroy(&attr);
	return error;
}

/*
 * Sleep until the next stop is due, 0.05 to 1 s from now and rather soon, or
 * until `end_s`.  False if the run is to end early.
 */
static bool let_run(struct team *t, double began_s, double end_s,
		    uint64_t *random)
{
	const struct rwi_torture *o = t->torture;
	const double share = (double)(rwi_random(random) % 1024) / 1024;
	const double span = 0.05 * pow(20, share);
	const double until = fmin(rwi_clock_s() + span, end_s);
	double now;

	while ((now = rwi_clock_s()) < until) {
		if (o->go_on && !o->go_on(o->context, now - began_s))
			return false;
		doze((uint64_t)(1e9 * fmin(until - now, 0.1)));
	}
	return true;
}

static bool members_found_faults(const struct team *t)
{
	for (unsigned i = 0; i < t->size; i++)
		for (int f = 0; f < RWI_FAULTS; f++)
			if (t->members[i].faults[f])
				return true;
	return false;
}

/* Run, stop, check, until the time is over or something is wrong. */
static void control(struct team *t, struct rwi_torture_result *r)
{
	const double began = rwi_clock_s(), end = began + t->torture->seconds;
	uint64_t random = t->torture->seed;
	bool going = true;

	while (going) {
		double took;

		change_weather(t, &random);
		open_gate(t, RUN);
		going = let_run(t, began, end, &random) && rwi_clock_s() < end;
		if (!stop_all(t, &took)) {
			r->stuck = describe_stuck(t, &r->faults[RWI_STUCK]);
			break;
		}
		r->stops++;
		r->longest_stop_s = fmax(r->longest_stop_s, took);
		r->faults[RWI_WRITE_LOST] += lost_write(t);
		r->faults[RWI_NOT_FREE] += !is_free(t);
		if (r->faults[RWI_WRITE_LOST] || r->faults[RWI_NOT_FREE] ||
		    members_found_faults(t))
			break;
		/* Stand still for a while now and then. */
		if (going && once_in(&random, 4))
			doze(rwi_random(&random) % 20000000);
	}
	r->seconds = rwi_clock_s() - began;
}

static void add_up(const struct team *t, struct rwi_torture_result *r)
{
	for (unsigned i = 0; i < t->size; i++) {
		const struct member *m = &t->members[i];
		struct rwi_torture_side *side = &r->sides[m->writes];
		uint64_t got = 0;

		for (int k = 0; k < RWI_ASKINGS; k++) {
			side->asked[k] += m->counts.asked[k];
			side->got[k] += m->counts.got[k];
			got += m->counts.got[k];
		}
		side->total += got;
		side->max = got > side->max ? got : side->max;
		if (i == 0 || i == t->torture->readers || got < side->min)
			side->min = got;
		side->longest_wait_s =
		    fmax(side->longest_wait_s, m->counts.longest_wait_s);
		r->downgrades += m->downgrades;
		r->signals += (uint64_t)atomic_load(&m->signals_sent);
		for (int f = 0; f < RWI_FAULTS; f++)
			r->faults[f] += m->faults[f];
	}
}

/* Let those go that stand at the gate; true if that was all. */
static bool dismiss(struct team *t)
{
	bool all = true;

	pthread_mutex_lock(&t->mutex);
	for (unsigned i = 0; i < t->size; i++) {
		t->members[i].left_behind = !t->members[i].stopped;
		all = all && t->members[i].stopped;
	}
	pthread_mutex_unlock(&t->mutex);
	open_gate(t, LEAVE);
	for (unsigned i = 0; i < t->size; i++)
		if (t->members[i].left_behind)
			pthread_detach(t->members[i].thread);
		else
			pthread_join(t->members[i].thread, NULL);
	return all;
}

static struct team *new_team(const struct rwi_torture *torture)
{
	const unsigned size = torture->readers + torture->writers;
	struct team *t = aligned_alloc(OWN_LINES, sizeof *t);
	struct member *members =
	    aligned_alloc(OWN_LINES, size * sizeof *members);
	void *lock = rwi_lock_new(torture->design);
	unsigned cores;

	if (!t || !members || !lock) {
		free(t);
		free(members);
		if (lock)
			rwi_lock_free(torture->design, lock);
		return NULL;
	}
	memset(t, 0, sizeof *t);
	memset(members, 0, size * sizeof *members);
	t->torture = torture;
	t->lock = lock;
	t->members = members;
	t->size = size;
	t->cpus_count = rwi_machine_cpus(t->cpus, &cores);
	atomic_store(&t->phase, STOP);
	pthread_mutex_init(&t->mutex, NULL);
	pthread_cond_init(&t->arrived, NULL);
	pthread_cond_init(&t->opened, NULL);
	return t;
}

static void free_team(struct team *t)
{
	pthread_cond_destroy(&t->opened);
	pthread_cond_destroy(&t->arrived);
	pthread_mutex_destroy(&t->mutex);
	rwi_lock_free(t->torture->design, t->lock);
	free(t->members);
	free(t);
}

/* If that fails, the team is as large as it got. */
static int start_members(struct team *t)
{
	unsigned started = 0;
	int error = 0;

	while (started < t->size && !error) {
		error = start_member(t, started);
		started += !error;
	}
	pthread_mutex_lock(&t->mutex);
	t->size = started;
	pthread_mutex_unlock(&t->mutex);
	return error;
}

int rwi_torture_run(const struct rwi_torture *torture,
		    struct rwi_torture_result *result)
{
	/* Without SA_RESTART: sleeping system calls notice. */
	const struct sigaction action = { .sa_handler = on_signal };
	struct team *t = new_team(torture);
	pthread_t storm;
	double took;
	int error;

	memset(result, 0, sizeof *result);
	if (!t)
		return ENOMEM;
	sigaction(storm_signal(), &action, NULL);
	error = start_members(t);
	if (!error)
		error = pthread_create(&storm, NULL, make_storm, t);
	if (error) {
		stop_all(t, &took);
	} else {
		control(t, result);
		atomic_store(&t->storm_over, true);
		pthread_join(storm, NULL);
		add_up(t, result);
	}
	/* Threads that are stuck keep what they use. */
	if (dismiss(t))
		free_team(t);
	return error;
}
