/* SPDX-License-Identifier: MIT */
/* Waits amid a crowd: see bounds.h. */
#include "support/bounds.h"

#include "port/port.h"

enum { PROBE_US = 500, TEN = 10 };

struct watch {
	struct t_crowd crowd;
	struct t_meeting start;
	uint32_t stop;
	uint64_t hold_ns, latency_ns, longest_ns;
	struct t_guarded guarded;
};

static void raise_to(uint64_t *max, uint64_t value)
{
	uint64_t found = t_load(max);

	while (found < value &&
	       !__atomic_compare_exchange_n(max, &found, value, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void probe(void *arg)
{
	struct watch *w = arg;

	while (!t_load(&w->stop)) {
		const uint64_t start = t_now_ns(CLOCK_MONOTONIC);
		uint64_t took;

		t_sleep_us(PROBE_US);
		took = t_now_ns(CLOCK_MONOTONIC) - start;
		raise_to(&w->latency_ns, took - PROBE_US * UINT64_C(1000));
	}
}

static void hold(struct watch *w)
{
	if (w->crowd.sleep)
		t_sleep_us(w->crowd.hold_us);
	else if (w->crowd.hold_us)
		t_work_us(w->crowd.hold_us);
}

static void read_on(void *arg)
{
	struct watch *w = arg;

	while (!t_load(&w->stop)) {
		uint64_t start;

		t_down_read(w->crowd.design, w->crowd.lock);
		start = t_now_ns(CLOCK_MONOTONIC);
		t_enter_read(&w->guarded);
		hold(w);
		t_leave_read(&w->guarded);
		t_up_read(w->crowd.design, w->crowd.lock);
		raise_to(&w->hold_ns, t_now_ns(CLOCK_MONOTONIC) - start);
	}
}

static void write_on(void *arg)
{
	struct watch *w = arg;

	while (!t_load(&w->stop)) {
		uint64_t start;

		t_down_write(w->crowd.design, w->crowd.lock);
		start = t_now_ns(CLOCK_MONOTONIC);
		t_enter_write(&w->guarded);
		hold(w);
		t_leave_write(&w->guarded);
		t_up_write(w->crowd.design, w->crowd.lock);
		raise_to(&w->hold_ns, t_now_ns(CLOCK_MONOTONIC) - start);
	}
}

static void take_once(struct watch *w, bool write)
{
	const struct rwi_design *design = w->crowd.design;
	const uint64_t start = t_now_ns(CLOCK_MONOTONIC);

	if (write)
		t_down_write(design, w->crowd.lock);
	else
		t_down_read(design, w->crowd.lock);
	raise_to(&w->longest_ns, t_now_ns(CLOCK_MONOTONIC) - start);
	if (write) {
		t_enter_write(&w->guarded);
		t_leave_write(&w->guarded);
		t_up_write(design, w->crowd.lock);
	} else {
		t_enter_read(&w->guarded);
		t_leave_read(&w->guarded);
		t_up_read(design, w->crowd.lock);
	}
}

/* k * (T + 2L + S + 2H), where the k-1 ahead are the writers of the crowd. */
static uint64_t bound_ns(const struct watch *w)
{
	const uint64_t ahead = w->crowd.writers + (w->crowd.readers > 0);

	return (ahead + 1) * (RWI_TUNABLE_handoff_ns + 2 * w->latency_ns +
			      RWI_TUNABLE_competitor_spin_ns + 2 * w->hold_ns);
}

void t_within_bound(const struct t_crowd *crowd, bool write, unsigned times,
		    uint64_t extra_ns)
{
	struct watch w = { .crowd = *crowd };

	t_threads(1, probe, &w);
	t_threads(crowd->readers, read_on, &w);
	t_threads(crowd->writers, write_on, &w);
	t_await(t_load(&w.hold_ns));
	for (unsigned i = 0; i < times; i++) {
		/* Asking from outside the queue, amid whatever goes on. */
		t_sleep_us(t_random(2000));
		take_once(&w, write);
	}
	t_store(&w.stop, 1);
	t_join();
	t_say("  longest wait %llu us; bound %llu us (hold %llu, latency "
	      "%llu)\n",
	      (unsigned long long)w.longest_ns / 1000,
	      (unsigned long long)(bound_ns(&w) + extra_ns) / 1000,
	      (unsigned long long)w.hold_ns / 1000,
	      (unsigned long long)w.latency_ns / 1000);
	t_le(w.longest_ns, TEN * (bound_ns(&w) + extra_ns));
}
