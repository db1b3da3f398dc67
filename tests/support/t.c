/* SPDX-License-Identifier: MIT */
/* The test harness: threads, children, the watchdog, and main(). */
#include "support/t.h"

#include "port/port.h"
#include "support/designs.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)

enum {
	PASSED = 0,
	FAILED = 1,
	USAGE = 2,
	SKIPPED = 77,
	THREADS_MAX = 160,
	BUSY_MAX = 64,
	/*
	 * How long a case may take, times t_slower(); and a broken lock to be
	 * caught, which otherwise would take a fraction of that anywhere.
	 */
	PATIENCE_S = 25,
	PATIENCE_LONG_S = 900,
	CAUGHT_S = 5
};

uint64_t t_seed = 1;
bool t_long;
bool t_busy;
char **t_args;
uint32_t t_signals;

/* ---- What the threads of a case do, where its parent can see it ---- */

struct thread {
	const char *name;
	unsigned index;
	void (*body)(void *);
	void *arg;
	pthread_t handle;
	pid_t tid;
	const char *doing;
	uint32_t finished;
	uint64_t random;
};

/* Number 0 is the thread that runs the case. */
struct crew {
	unsigned count;
	struct thread threads[THREADS_MAX];
};

static struct crew *crew;
static _Thread_local struct thread *self;

static void new_crew(void)
{
	crew = mmap(NULL, sizeof *crew, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (crew == MAP_FAILED) {
		perror("mmap");
		exit(FAILED);
	}
}

static void take_part(struct thread *thread, const char *name, unsigned index)
{
	self = thread;
	thread->name = name;
	thread->index = index;
	t_store(&thread->tid, (pid_t)syscall(SYS_gettid));
	thread->random =
	    t_seed * 0x9e3779b97f4a7c15 +
	    (uint64_t)(thread - crew->threads) * 0xd1342543de82ef95;
}

/* The state letter of a thread in /proc; 0 if there is none. */
static char state_of(pid_t pid, pid_t tid)
{
	char path[64], text[256], *after;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid,
		 (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof text - 1);
		close(fd);
	}
	if (n <= 0)
		return 0;
	text[n] = 0;
	after = strrchr(text, ')');
	return after && after[1] ? after[2] : (char)0;
}

static void print_crew(const struct crew *c, pid_t pid)
{
	for (unsigned i = 0; i <= t_load(&c->count); i++) {
		const struct thread *t = &c->threads[i];
		const char *doing = t_load(&t->doing);

		if (t_load(&t->finished) || !t->name)
			continue;
		dprintf(STDERR_FILENO, "  stuck: %s %u, %s (%s)\n", t->name,
			t->index,
			state_of(pid, t_load(&t->tid)) == 'R' ? "running"
							      : "asleep",
			doing ? doing : "between operations");
	}
}

/* ---- Reports ---- */

void t_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vdprintf(STDOUT_FILENO, format, args);
	va_end(args);
}

void t_fail_at(const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	dprintf(STDERR_FILENO, "%s:%d: failed: %s (in %s %u)\n", file, line,
		text, self ? self->name : "main", self ? self->index : 0);
	_exit(FAILED);
}

void t_skip(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	t_say("SKIP: %s\n", text);
	_exit(SKIPPED);
}

/* ---- Threads ---- */

static void *run_thread(void *arg)
{
	struct thread *thread = arg;

	take_part(thread, thread->name, thread->index);
	thread->body(thread->arg);
	t_store_release(&thread->finished, 1);
	return NULL;
}

unsigned t_threads_named(const char *name, unsigned count, void (*body)(void *),
			 void *arg)
{
	const unsigned first = crew->count + 1;
	pthread_attr_t attr;

	t_true(first + count <= THREADS_MAX);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 512 * 1024);
	for (unsigned i = 0; i < count; i++) {
		struct thread *thread = &crew->threads[first + i];

		*thread = (struct thread){
			.name = name, .index = i, .body = body, .arg = arg
		};
		t_store(&crew->count, first + i);
		t_eq(pthread_create(&thread->handle, &attr, run_thread, thread),
		     0);
	}
	pthread_attr_destroy(&attr);
	return first;
}

void t_join(void)
{
	t_doing("join");
	for (unsigned i = 1; i <= crew->count; i++)
		t_eq(pthread_join(crew->threads[i].handle, NULL), 0);
	t_store(&crew->count, 0);
	t_doing(NULL);
}

unsigned t_index(void)
{
	return self->index;
}

bool t_finished(unsigned number)
{
	return t_load_acquire(&crew->threads[number].finished) != 0;
}

void t_signal(unsigned number, int signal)
{
	t_eq(pthread_kill(crew->threads[number].handle, signal), 0);
}

void t_await_asleep(unsigned number)
{
	enum { ACTIVE_NS = 2000000 };
	const struct thread *thread = &crew->threads[number];
	uint64_t since = 0, spent;
	clockid_t clock;

	t_doing("await a sleeper");
	while (!t_finished(number)) {
		t_pause();
		if (!t_load(&thread->doing) ||
		    pthread_getcpuclockid(thread->handle, &clock)) {
			since = 0;
			continue;
		}
		if (state_of(getpid(), t_load(&thread->tid)) == 'S' &&
		    t_load(&thread->doing))
			break;
		/* It must have run: one that waits for a CPU proves nothing. */
		spent = t_now_ns(clock);
		since = since ? since : spent;
		if (spent - since > ACTIVE_NS)
			break;
	}
	t_doing(NULL);
}

void t_doing(const char *what)
{
	if (self)
		t_store(&self->doing, what);
}

void t_pause(void)
{
	t_sleep_us(20);
}

void t_meet(struct t_meeting *meeting)
{
	const uint32_t round = t_load(&meeting->round);

	if (__atomic_add_fetch(&meeting->here, 1, __ATOMIC_ACQ_REL) ==
	    meeting->count) {
		t_store(&meeting->here, 0);
		t_store_release(&meeting->round, round + 1);
		return;
	}
	t_doing("meet the others");
	for (unsigned i = 0; t_load_acquire(&meeting->round) == round; i++) {
		/* On a busy machine who yields comes last, who sleeps first. */
		if (i > 20000)
			t_pause();
		else if (i % 1000 == 999)
			sched_yield();
	}
	t_doing(NULL);
}

/* ---- Children ---- */

static void in_child(int parent_pipe, struct crew *c, const char *name)
{
	const struct rlimit none = { 0, 0 };

	/* A parent that is killed takes its children along. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
	if (parent_pipe >= 0) {
		dup2(parent_pipe, STDERR_FILENO);
		close(parent_pipe);
	}
	crew = c;
	take_part(&crew->threads[0], name, 0);
}

/* Take what has been written; keep the first of it. */
static void drain(int pipe, struct t_outcome *outcome)
{
	char more[512];
	size_t used = strlen(outcome->text), n;
	ssize_t got;

	while ((got = read(pipe, more, sizeof more)) > 0) {
		n = (size_t)got;
		if (n > sizeof outcome->text - 1 - used)
			n = sizeof outcome->text - 1 - used;
		memcpy(outcome->text + used, more, n);
		used += n;
		outcome->text[used] = 0;
	}
}

/* Wait for a child; true if it ended by itself. */
static bool await_child(pid_t pid, unsigned seconds, int pipe,
			struct t_outcome *outcome)
{
	const uint64_t limit = t_now_ns(CLOCK_MONOTONIC) + seconds * NS_PER_S;
	struct timespec nap = { 0, 100000 };

	for (;;) {
		if (pipe >= 0)
			drain(pipe, outcome);
		if (waitpid(pid, &outcome->status, WNOHANG) == pid)
			return true;
		if (t_now_ns(CLOCK_MONOTONIC) > limit)
			return false;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 3000000)
			nap.tv_nsec *= 2;
	}
}

static void run_child(const char *name, void (*body)(void *), void *arg,
		      unsigned seconds, bool capture, struct t_outcome *outcome)
{
	struct crew *const before = crew;
	struct crew *theirs;
	int ends[2] = { -1, -1 };
	pid_t pid;

	*outcome = (struct t_outcome){ 0 };
	new_crew();
	theirs = crew;
	crew = before;
	if (capture) {
		t_eq(pipe2(ends, O_CLOEXEC), 0);
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
	}
	t_doing("await a child");
	pid = fork();
	if (pid == 0) {
		in_child(ends[1], theirs, name);
		body(arg);
		exit(PASSED);
	}
	t_true(pid > 0);
	if (capture)
		close(ends[1]);
	if (!await_child(pid, seconds, ends[0], outcome)) {
		outcome->stuck = true;
		if (!capture)
			print_crew(theirs, pid);
		kill(pid, SIGKILL);
		waitpid(pid, &outcome->status, 0);
	}
	if (capture) {
		drain(ends[0], outcome);
		close(ends[0]);
	}
	munmap(theirs, sizeof *theirs);
	t_doing(NULL);
}

void t_child(void (*body)(void *), void *arg, unsigned seconds,
	     struct t_outcome *outcome)
{
	run_child("child", body, arg, seconds * t_slower(), true, outcome);
}

void t_child_passes(void (*body)(void *), void *arg)
{
	struct t_outcome outcome;

	run_child("child", body, arg, PATIENCE_S * t_slower() / 2, false,
		  &outcome);
	t_false(outcome.stuck);
	t_eq(outcome.status, 0);
}

/* ---- Time and chance ---- */

uint64_t t_now_ns(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

struct timespec t_in_us(clockid_t clock, int64_t us)
{
	const int64_t at = (int64_t)t_now_ns(clock) + us * 1000;
	const int64_t second = (int64_t)NS_PER_S;

	return (struct timespec){ at / second, at % second };
}

void t_sleep_us(unsigned us)
{
	struct timespec left = { us / 1000000, (long)(us % 1000000) * 1000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

void t_work_us(unsigned us)
{
	const uint64_t start = t_now_ns(CLOCK_THREAD_CPUTIME_ID);

	while (t_now_ns(CLOCK_THREAD_CPUTIME_ID) - start < us * UINT64_C(1000))
		;
}

static unsigned slower = 1;

unsigned t_slower(void)
{
	return slower;
}

unsigned t_rounds(unsigned count)
{
	if (t_long)
		return count * 100;
	return count > t_slower() ? count / t_slower() : 1;
}

uint32_t t_random(uint32_t bound)
{
	uint64_t z = self->random += 0x9e3779b97f4a7c15;

	/* SplitMix64 (Steele, Lea, Flood 2014). */
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (uint32_t)(((z ^ (z >> 31)) >> 32) * bound >> 32);
}

static void count_signal(int signal)
{
	(void)signal;
	t_add(&t_signals, 1);
}

void t_count_signals(int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_handler = count_signal;
	action.sa_flags = flags;
	t_eq(sigaction(SIGUSR1, &action, NULL), 0);
}

/* ---- Cases ---- */

extern const struct t_case *__start_t_cases[], *__stop_t_cases[];

static int by_line(const void *a, const void *b)
{
	return (*(const struct t_case *const *)a)->line -
	       (*(const struct t_case *const *)b)->line;
}

struct job {
	const struct t_case *what;
	const struct rwi_design *design;
};

static void run_case(void *arg)
{
	const struct job *job = arg;

	if (job->design)
		t_run_property(job->what->property, job->design);
	else
		job->what->test();
}

/* How this program runs its cases. */
static struct {
	const char *design, *name, *bug;
	unsigned patience_s;
	bool list;
} options = { .patience_s = PATIENCE_S };

/* Which of several outcomes a program had. */
struct tally {
	unsigned passed, failed, skipped;
};

static void describe(const struct t_outcome *outcome, char *text, size_t size)
{
	if (outcome->stuck)
		snprintf(text, size, "stuck");
	else if (WIFSIGNALED(outcome->status))
		snprintf(text, size, "signal %d", WTERMSIG(outcome->status));
	else
		snprintf(text, size, "status %d", WEXITSTATUS(outcome->status));
}

static void run_job(const struct job *job, struct tally *tally)
{
	const bool catch = job->what->caught != NULL;
	const char *lock = job->design ? job->design->name : "";
	const uint64_t start = t_now_ns(CLOCK_MONOTONIC);
	struct t_outcome outcome;
	const char *verdict = "FAIL";
	char how[32];

	/* A flaw that needs some luck is looked for until time is up. */
	do {
		run_child(job->what->name, run_case, (void *)(uintptr_t)job,
			  catch ? CAUGHT_S : options.patience_s * t_slower(),
			  catch, &outcome);
		t_seed += catch;
	} while (catch && !outcome.stuck && outcome.status == 0 &&
		 t_now_ns(CLOCK_MONOTONIC) - start <
		     CAUGHT_S * UINT64_C(1000000000));
	describe(&outcome, how, sizeof how);
	if (catch) {
		if (outcome.stuck || outcome.status != 0)
			verdict = "caught";
		outcome.text[strcspn(outcome.text, "\n")] = 0;
	} else if (outcome.stuck) {
		verdict = "STUCK";
	} else if (WIFEXITED(outcome.status)) {
		if (WEXITSTATUS(outcome.status) == PASSED)
			verdict = "ok";
		else if (WEXITSTATUS(outcome.status) == SKIPPED)
			verdict = "skip";
	}
	tally->skipped += !strcmp(verdict, "skip");
	tally->passed += !strcmp(verdict, "ok") || !strcmp(verdict, "caught");
	tally->failed += !strcmp(verdict, "FAIL") || !strcmp(verdict, "STUCK");
	t_say("%-6s %s %s: %s, %.2f s %s\n", verdict, job->what->name, lock,
	      how, (double)(t_now_ns(CLOCK_MONOTONIC) - start) / 1e9,
	      catch ? outcome.text : "");
}

/* A bug is the core's, or is called after the file it is in: "file.bug". */
static bool has_bug(const struct rwi_design *design, const char *bug)
{
	const size_t length = strcspn(bug, ".");

	if (!bug[length])
		return t_is_rwsem(design);
	return design->file && !strncmp(design->file, bug, length) &&
	       !strcmp(design->file + length, ".c");
}

/* Run a case on each design it applies to, and say to which it does not. */
static void run_designs(const struct t_case *what, struct tally *tally)
{
	const char *chosen = what->caught ? what->caught : options.design;
	bool found = false;

	for (const struct rwi_design *const *d = rwi_designs; *d; d++) {
		const struct job job = { what, *d };
		const char *missing = t_missing(*d, what->needs);

		if (chosen ? strcmp(chosen, (*d)->name) != 0
			   : ((*d)->traits & RWI_BROKEN) != 0)
			continue;
		if (options.bug && !has_bug(*d, options.bug))
			continue;
		found = true;
		if (missing) {
			t_say("n/a    %s %s: %s\n", what->name, (*d)->name,
			      missing);
			tally->failed += what->caught != NULL;
		} else if (!tally->failed) {
			run_job(&job, tally);
		}
	}
	if (chosen && !found) {
		t_say("FAIL   no design is called %s\n", chosen);
		tally->failed++;
	}
}

/* ---- Options ---- */

static pid_t busy[BUSY_MAX];
static unsigned busy_count;

static void stop_busy_loops(void)
{
	for (unsigned i = 0; i < busy_count; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	busy_count = 0;
}

/* Neighbours that want the CPUs for themselves. */
static void start_busy_loops(unsigned count)
{
	while (busy_count < count && busy_count < BUSY_MAX) {
		pid_t pid = fork();

		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				__asm__ volatile("");
		}
		if (pid < 0)
			break;
		busy[busy_count++] = pid;
	}
}

/*
 * Arm a named broken variant.  The list is empty in programs that use nothing
 * which has one.
 */
extern struct rwi_point __start_rwi_bugs[] __attribute__((weak));
extern struct rwi_point __stop_rwi_bugs[] __attribute__((weak));

static bool arm(const char *bug)
{
	struct rwi_point *p = __start_rwi_bugs;
	bool found = false;

	for (; p < __stop_rwi_bugs; p++) {
		if (!strcmp(p->name, bug))
			p->armed = found = true;
	}
	return found;
}

static const char help[] =
    "Usage: TEST [OPTION...]\n"
    "  --design NAME  only this lock\n"
    "  --case NAME    only this case\n"
    "  --seed N       start of the random numbers (1)\n"
    "  --long         a hundred times the rounds\n"
    "  --busy N       beside N busy loops\n"
    "  --patience S   seconds until a case is stuck\n"
    "  --bug NAME     with this broken variant of the code\n"
    "  --list         print the cases\n"
    "Exit status: 0 passed, 1 failed, 2 usage, 77 all skipped.\n";

static const struct option long_options[] = {
	{ "design", required_argument, NULL, 'd' },
	{ "case", required_argument, NULL, 'c' },
	{ "seed", required_argument, NULL, 's' },
	{ "long", no_argument, NULL, 'l' },
	{ "busy", required_argument, NULL, 'b' },
	{ "patience", required_argument, NULL, 'p' },
	{ "bug", required_argument, NULL, 'B' },
	{ "list", no_argument, NULL, 'L' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static unsigned number(const char *text)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 0);

	if (end == text || *end || n > INT32_MAX) {
		dprintf(STDERR_FILENO, "rwsem: not a number: %s\n", text);
		exit(USAGE);
	}
	return (unsigned)n;
}

static void parse(int argc, char **argv)
{
	const char *patience = getenv("RWI_PATIENCE");
	int option;

	if (patience && number(patience))
		slower = number(patience);

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) !=
	       -1) {
		switch (option) {
		case 'd':
			options.design = optarg;
			break;
		case 'c':
			options.name = optarg;
			break;
		case 's':
			t_seed = number(optarg);
			break;
		case 'l':
			t_long = true;
			options.patience_s = PATIENCE_LONG_S;
			break;
		case 'b':
			start_busy_loops(number(optarg));
			t_busy = true;
			options.patience_s = PATIENCE_LONG_S;
			break;
		case 'p':
			options.patience_s = number(optarg);
			break;
		case 'B':
			options.bug = optarg;
			break;
		case 'L':
			options.list = true;
			break;
		default:
			t_say("%s", help);
			exit(option == 'h' ? PASSED : USAGE);
		}
	}
	if (options.bug && !arm(options.bug)) {
		dprintf(STDERR_FILENO, "rwsem: no bug is called %s\n",
			options.bug);
		exit(USAGE);
	}
	t_args = argv + optind;
}

static void run(const struct t_case *what, struct tally *tally)
{
	const struct job job = { what, NULL };

	if (options.list)
		t_say("%s %s\n", what->name, what->caught ? what->caught : "");
	else if (options.name && strcmp(options.name, what->name) != 0)
		return;
	else if (what->caught &&
		 (options.bug || (options.design &&
				  strcmp(options.design, what->caught) != 0)))
		return;
	else if (what->property)
		run_designs(what, tally);
	else
		run_job(&job, tally);
}

int main(int argc, char **argv)
{
	struct tally tally = { 0, 0, 0 };

	atexit(stop_busy_loops);
	parse(argc, argv);
	t_say("seed %llu\n", (unsigned long long)t_seed);
	qsort(__start_t_cases, (size_t)(__stop_t_cases - __start_t_cases),
	      sizeof(struct t_case *), by_line);
	for (const struct t_case **c = __start_t_cases;
	     c < __stop_t_cases && !tally.failed; c++)
		run(*c, &tally);
	if (tally.failed)
		return FAILED;
	return options.list || tally.passed ? PASSED : SKIPPED;
}
