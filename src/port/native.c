/* SPDX-License-Identifier: MIT */
/* The port to Linux: futex(2), membarrier(2), clocks, threads, cgroups. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "port/port.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NS_PER_S    UINT64_C(1000000000)

#define load(p)     __atomic_load_n(p, __ATOMIC_RELAXED)
#define store(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)

/* ---- System calls that leave errno alone: 0 or more, or -errno ---- */

static long futex(uint32_t *word, int op, uint32_t value,
		  const struct timespec *timeout, int class_bits)
{
	const int saved = errno;
	long r = syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value,
			 timeout, NULL, class_bits);

	if (r < 0)
		r = -errno;
	errno = saved;
	return r;
}

/* ---- Time ---- */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t rwi_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

bool rwi_clock_known(clockid_t clock)
{
	return clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME;
}

struct rwi_deadline rwi_deadline_in(uint64_t ns)
{
	const uint64_t end_ns = rwi_now_ns() + ns;

	return (struct rwi_deadline){
		.clock = CLOCK_MONOTONIC,
		.at = { .tv_sec = (time_t)(end_ns / NS_PER_S),
			.tv_nsec = (long)(end_ns % NS_PER_S) },
	};
}

uint64_t rwi_left_ns(const struct rwi_deadline *deadline)
{
	struct timespec now;
	int64_t seconds, left;

	clock_gettime(deadline->clock, &now);
	if (deadline->at.tv_sec < now.tv_sec)
		return 0;
	if (__builtin_sub_overflow(deadline->at.tv_sec, now.tv_sec, &seconds) ||
	    seconds > INT64_MAX / (int64_t)NS_PER_S - 1)
		return INT64_MAX;
	left = seconds * (int64_t)NS_PER_S + deadline->at.tv_nsec - now.tv_nsec;
	return left > 0 ? (uint64_t)left : 0;
}

/* ---- Spinning ---- */

/*
 * Relaxes that take about a microsecond: between 7 and 140 cycles each by the
 * kind of processor, so they are counted once.  The shortest of some short
 * samples, for a thread may lose its CPU inside one.
 */
static uint32_t relaxes_per_us(void)
{
	enum { SAMPLES = 5, RELAXES = 64 };
	static uint32_t known;
	uint32_t found = load(&known);
	uint64_t best = UINT64_MAX;

	if (rwi_likely(found != 0))
		return found;
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t start = rwi_now_ns(), took;

		for (int k = 0; k < RELAXES; k++)
			rwi_relax();
		took = rwi_now_ns() - start;
		best = took < best ? took : best;
	}
	found = (uint32_t)(RELAXES * 1000 / (best ? best : 1));
	found = found ? found : 1;
	store(&known, found);
	return found;
}

void rwi_delay(uint32_t ns)
{
	for (uint64_t n = (uint64_t)relaxes_per_us() * ns / 1000 + 1; n; n--)
		rwi_relax();
}

#ifndef RWI_HAVE_RSEQ
uint16_t rwi_cpu_hint(void)
{
	return (uint16_t)(sched_getcpu() + 1);
}
#endif

/* The first `size` - 1 bytes of a file as a string; false if unreadable. */
static bool read_file(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* The same for the file root + the first `length` bytes of group + name. */
static bool read_in(const char *root, const char *group, size_t length,
		    const char *name, char *text, size_t size)
{
	const size_t r = strlen(root), n = strlen(name) + 1;
	char path[512];

	if (r + length + n > sizeof path)
		return false;
	memcpy(path, root, r);
	memcpy(path + r, group, length);
	memcpy(path + r + length, name, n);
	return read_file(path, text, size);
}

/* Is the quota in this cgroup directory, or in one above it, below two CPUs? */
static bool quota_of(const char *root, const char *group, bool unified)
{
	char text[64], *end;
	size_t length = strcspn(group, "\n");
	long long quota, period;

	for (;;) {
		if (read_in(root, group, length,
			    unified ? "/cpu.max" : "/cpu.cfs_quota_us", text,
			    sizeof text)) {
			quota = strtoll(text, &end, 10);
			period = unified ? strtoll(end, NULL, 10) : 100000;
			if (!unified &&
			    read_in(root, group, length, "/cpu.cfs_period_us",
				    text, sizeof text))
				period = strtoll(text, NULL, 10);
			/* "max" and -1 stand for no quota. */
			if (quota > 0 && quota < 2 * period)
				return true;
		}
		while (length && group[length - 1] != '/')
			length--;
		if (!length)
			return false;
		length--;
	}
}

/* Does a cgroup limit this process to less than two CPUs' worth of time? */
static bool quota_below_two_cpus(void)
{
	char groups[2048], *line;

	if (!read_file("/proc/self/cgroup", groups, sizeof groups))
		return false;
	for (line = groups; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "0::", 3)) {
			if (quota_of("/sys/fs/cgroup", line + 3, true))
				return true;
			continue;
		}
		/* "4:cpu,cpuacct:/path": the list names the controllers. */
		for (char *name = strchr(line, ':'); name && name[1];
		     name = strpbrk(name + 1, ",:\n")) {
			if (*name == '\n' || name[1] == '/')
				break;
			if (strncmp(name + 1, "cpu", 3) ||
			    (name[4] != ',' && name[4] != ':'))
				continue;
			name = strchr(name + 1, ':');
			if (name &&
			    quota_of("/sys/fs/cgroup/cpu", name + 1, false))
				return true;
			break;
		}
	}
	return false;
}

/*
 * What is known of the CPUs, and for which second of the clock.  A thread may
 * be bound to one CPU while others run elsewhere, so a process has many CPUs
 * if any thread that came by in this second or the last one may use two, or
 * two of them have different ones.
 */
static struct {
	uint32_t second;
	uint32_t one_cpu; /* 1 + the only CPU of some thread */
	bool many, many_before, quota;
} cpus = { .quota = true }; /* no spinning before the first look is over */

static void look_at_own_cpus(void)
{
	cpu_set_t set;
	uint32_t first = 0;

	if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) != 1) {
		store(&cpus.many, true);
		return;
	}
	while (!CPU_ISSET(first, &set))
		first++;
	if (load(&cpus.one_cpu) == 0)
		store(&cpus.one_cpu, first + 1);
	else if (load(&cpus.one_cpu) != first + 1)
		store(&cpus.many, true);
}

bool rwi_may_spin(uint64_t now_ns)
{
	static _Thread_local uint32_t looked
	    __attribute__((tls_model("initial-exec")));
	const uint32_t second = (uint32_t)(now_ns / NS_PER_S) + 1;
	uint32_t before = load(&cpus.second);

	if (rwi_unlikely(before != second) &&
	    __atomic_compare_exchange_n(&cpus.second, &before, second, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		const int saved = errno;

		store(&cpus.many_before,
		      load(&cpus.many) && before + 1 == second);
		store(&cpus.many, false);
		store(&cpus.one_cpu, 0);
		store(&cpus.quota, quota_below_two_cpus());
		errno = saved;
	}
	if (rwi_unlikely(looked != second)) {
		const int saved = errno;

		looked = second;
		look_at_own_cpus();
		errno = saved;
	}
	return (load(&cpus.many) || load(&cpus.many_before)) &&
	       !load(&cpus.quota);
}

/* ---- Sleeping ---- */

enum rwi_parked rwi_park(uint32_t *word, uint32_t expected, int class_bits,
			 const struct rwi_deadline *deadline)
{
	const int clock_flag =
	    deadline->clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0;

	/* The kernel refuses times before the epoch; they have passed. */
	if (deadline->at.tv_sec < 0)
		return RWI_PARKED_TIMEOUT;
	switch (futex(word, FUTEX_WAIT_BITSET | clock_flag, expected,
		      &deadline->at, class_bits)) {
	case 0:
	case -EAGAIN:
		return RWI_PARKED_WOKEN;
	case -ETIMEDOUT:
		return RWI_PARKED_TIMEOUT;
	case -EINTR:
		return RWI_PARKED_SIGNAL;
	default:
		rwi_panic("rwsem: futex wait failed");
	}
}

void rwi_unpark(uint32_t *word, int count, int class_bits)
{
	/* The address may be anything by now, and an error says just that. */
	futex(word, FUTEX_WAKE_BITSET, (uint32_t)count, NULL, class_bits);
}

/* ---- The mutex ---- */

/*
 * The word has the holder's thread id, and FUTEX_WAITERS if somebody sleeps:
 * the kernel's protocol for priority inheritance.  Where the kernel has none,
 * sleepers wait for the word to change and the last one leaves the mark on.
 */
static bool no_inheritance;

static void block_signals(struct rwi_signals *saved)
{
	/* What a fault of this thread raises stays deliverable. */
	static const int kept[] = { SIGSEGV, SIGBUS,  SIGILL,
				    SIGFPE,  SIGTRAP, SIGSYS };
	uint64_t all = ~UINT64_C(0);

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		all &= ~(UINT64_C(1) << (kept[i] - 1));
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &saved->mask,
		sizeof all);
}

static bool take_mutex(uint32_t *mutex, uint32_t value)
{
	uint32_t found = 0;

	return __atomic_compare_exchange_n(mutex, &found, value, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void sleep_on_mutex(uint32_t *mutex, uint32_t self)
{
	uint32_t found;

	while (!load(&no_inheritance)) {
		switch (futex(mutex, FUTEX_LOCK_PI, 0, NULL, 0)) {
		case 0:
			/* The kernel gave it; say so in the language. */
			__atomic_load_n(mutex, __ATOMIC_ACQUIRE);
			return;
		case -EINTR:
		case -EAGAIN:
		case -ESRCH:
			break;
		case -ENOSYS:
		case -EPERM:
			store(&no_inheritance, true);
			break;
		default:
			rwi_panic("rwsem: priority-inheriting futex failed");
		}
	}
	while (!take_mutex(mutex, self | FUTEX_WAITERS)) {
		found = load(mutex);
		if (found & FUTEX_WAITERS ||
		    (found && __atomic_compare_exchange_n(
				  mutex, &found, found | FUTEX_WAITERS, false,
				  __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
			futex(mutex, FUTEX_WAIT_BITSET, found | FUTEX_WAITERS,
			      NULL, RWI_CLASS_ANY);
	}
}

void rwi_mutex_lock(uint32_t *mutex, struct rwi_signals *saved)
{
	enum { SPINS = 20, SPIN_NS = 100 };
	const uint32_t self = rwi_thread_id();
	const int saved_errno = errno;

	block_signals(saved);
	errno = saved_errno;
	if (rwi_likely(take_mutex(mutex, self)))
		return;
	/* A section takes well under a microsecond when nobody interferes. */
	for (int i = 0; i < SPINS && rwi_may_spin(rwi_now_ns()); i++) {
		rwi_delay(SPIN_NS);
		if (load(mutex) == 0 && take_mutex(mutex, self))
			return;
	}
	sleep_on_mutex(mutex, self);
}

void rwi_mutex_unlock(uint32_t *mutex, const struct rwi_signals *saved)
{
	uint32_t found = rwi_thread_id();
	const int saved_errno = errno;

	if (!__atomic_compare_exchange_n(mutex, &found, 0, false,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
		if (load(&no_inheritance)) {
			__atomic_store_n(mutex, 0, __ATOMIC_RELEASE);
			futex(mutex, FUTEX_WAKE_BITSET, 1, NULL, RWI_CLASS_ANY);
		} else {
			__atomic_fetch_or(mutex, 0, __ATOMIC_RELEASE);
			futex(mutex, FUTEX_UNLOCK_PI, 0, NULL, 0);
		}
	}
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &saved->mask, NULL,
		sizeof saved->mask);
	errno = saved_errno;
}

/* ---- Fences on other threads ---- */

bool rwi_membarrier(void)
{
	static uint32_t registered; /* in which generation */
	const int saved = errno;
	bool done = true;

	if (load(&registered) != rwi_process_generation()) {
		done = syscall(SYS_membarrier,
			       MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
			       0) == 0;
		if (done)
			store(&registered, rwi_process_generation());
	}
	done = done && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED,
			       0, 0) == 0;
	errno = saved;
	return done;
}

/* ---- Processes ---- */

/*
 * The state lies on pages of its own, which the kernel empties in a child.
 * Segments need not be aligned to the page size of the machine, so there is
 * room for another page, and the start is rounded up at run time.
 */
enum { PAGE_MAX = 65536, STATE_BYTES = 65536 };
static unsigned char process_room[STATE_BYTES + PAGE_MAX]
    __attribute__((aligned(4096)));

struct process {
	uint32_t generation; /* zero until used, and again in a child */
	unsigned char state[RWI_PROCESS_BYTES] __attribute__((aligned(64)));
};
_Static_assert(sizeof(struct process) == STATE_BYTES, "whole pages");

static struct process *process(void)
{
	static uintptr_t known;
	uintptr_t at = load(&known);

	if (rwi_unlikely(at == 0)) {
		uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

		page = page > PAGE_MAX ? PAGE_MAX : page;
		at = ((uintptr_t)process_room + page - 1) & ~(page - 1);
		store(&known, at);
	}
	return (struct process *)at;
}

/*
 * Where pages are not emptied (an old kernel, or one that is emulated and only
 * says so), do it here.  The child has one thread at this time.
 */
static void in_forked_child(void)
{
	if (load(&process()->generation) != 0)
		memset(process(), 0, sizeof(struct process));
}

static void start_generation(void)
{
	static uint32_t last;
	static uint32_t prepared;
	struct process *p = process();
	uint32_t none = 0, next;
	const int saved = errno;

	if (!load(&prepared)) {
		madvise(p, sizeof *p, MADV_WIPEONFORK);
		/* Twice at worst, and harmless then. */
		if (pthread_atfork(NULL, NULL, in_forked_child) == 0)
			store(&prepared, 1);
	}
	do
		next = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	while (!next);
	__atomic_compare_exchange_n(&p->generation, &none, next, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	errno = saved;
}

__attribute__((constructor)) static void prepare(void)
{
	if (!load(&process()->generation))
		start_generation();
}

uint32_t rwi_process_generation(void)
{
	const uint32_t *generation = &process()->generation;

	if (rwi_unlikely(load(generation) == 0))
		start_generation();
	return load(generation);
}

void *rwi_process_state(void)
{
	rwi_process_generation();
	return process()->state;
}

/* ---- Threads ---- */

static _Thread_local struct {
	uint64_t record[RWI_THREAD_BYTES / sizeof(uint64_t)];
	uint32_t id;
	uint32_t generation; /* of the process, that the id belongs to */
} self __attribute__((tls_model("initial-exec")));

uint32_t rwi_thread_id(void)
{
	const uint32_t generation = rwi_process_generation();

	if (rwi_unlikely(self.generation != generation)) {
		self.id = (uint32_t)syscall(SYS_gettid);
		self.generation = generation;
	}
	return self.id;
}

void *rwi_thread_record(void)
{
	return self.record;
}

static pthread_key_t exit_key;
static uint32_t exit_key_made; /* 0 no, 1 being made, 2 yes */
static void (*exit_notice)(void *);

/*
 * Destructors run in rounds, in any order within one.  The value counts the
 * rounds down, so that the notice comes late: in the last but one, for the last
 * belongs to tools that take their own state of the thread down there.
 */
static void thread_exits(void *rounds)
{
	const uintptr_t left = (uintptr_t)rounds;

	if (left > 1)
		pthread_setspecific(exit_key, (void *)(left - 1));
	else
		exit_notice(self.record);
}

void rwi_thread_at_exit(void (*notice)(void *record))
{
	uint32_t none = 0;

	if (__atomic_compare_exchange_n(&exit_key_made, &none, 1, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		exit_notice = notice;
		__atomic_store_n(
		    &exit_key_made,
		    pthread_key_create(&exit_key, thread_exits) ? 0 : 2,
		    __ATOMIC_RELEASE);
	}
	/* While another thread makes the key, this one goes without notice. */
	if (__atomic_load_n(&exit_key_made, __ATOMIC_ACQUIRE) == 2 &&
	    !pthread_getspecific(exit_key))
		pthread_setspecific(
		    exit_key,
		    (void *)(uintptr_t)(PTHREAD_DESTRUCTOR_ITERATIONS - 1));
}

/* ---- Faults ---- */

_Noreturn void rwi_panic(const char *message)
{
	char line[512];
	size_t length = strlen(message);

	length = length < sizeof line - 1 ? length : sizeof line - 1;
	memcpy(line, message, length);
	line[length++] = '\n';
	/* One write, so that the line stays whole; nothing to do if it fails.
	 */
	if (write(STDERR_FILENO, line, length) < 0)
		abort();
	abort();
}
