/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* affinity, getloadavg, gnu_get_libc_version */

#include "bench/machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#if defined __GLIBC__
#include <gnu/libc-version.h>
#endif

/* The first line of a file, without its end; false if there is none. */
static bool first_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");
	bool found = file && fgets(line, size, file);

	if (file)
		fclose(file);
	if (found)
		line[strcspn(line, "\n")] = 0;
	return found;
}

/* The first of the CPUs that share a core with this one; itself if unknown. */
static int core_of(int cpu)
{
	char path[96], line[256];

	snprintf(path, sizeof path,
		 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 cpu);
	return first_line(path, line, sizeof line) ? atoi(line) : cpu;
}

unsigned rwi_machine_cpus(int cpus[RWI_CPUS_MAX], unsigned *cores)
{
	bool core_taken[RWI_CPUS_MAX] = { false };
	int later[RWI_CPUS_MAX];
	unsigned n = 0, shared = 0;
	cpu_set_t set;

	_Static_assert(RWI_CPUS_MAX == CPU_SETSIZE, "all of a set");
	if (sched_getaffinity(0, sizeof set, &set))
		CPU_ZERO(&set);
	for (int cpu = 0; cpu < RWI_CPUS_MAX; cpu++) {
		int core;

		if (!CPU_ISSET((size_t)cpu, &set))
			continue;
		core = core_of(cpu);
		if (core < 0 || core >= RWI_CPUS_MAX)
			core = cpu;
		if (core_taken[core])
			later[shared++] = cpu;
		else
			cpus[n++] = cpu;
		core_taken[core] = true;
	}
	*cores = n;
	memcpy(cpus + n, later, shared * sizeof *cpus);
	return n + shared;
}

/* x86 names its model; other architectures mostly do not. */
static void read_cpuinfo(struct rwi_machine *m)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[4096];

	while (file && fgets(line, sizeof line, file)) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		value += strspn(value, ": \t");
		value[strcspn(value, "\n")] = 0;
		if (!*m->cpu && !strncmp(line, "model name", 10))
			snprintf(m->cpu, sizeof m->cpu, "%.*s",
				 (int)sizeof m->cpu - 1, value);
		if (!strncmp(line, "flags", 5) && strstr(value, " hypervisor"))
			m->virtual_machine = true;
	}
	if (file)
		fclose(file);
	if (!*m->cpu)
		snprintf(m->cpu, sizeof m->cpu, "%s processor",
			 m->architecture);
}

void rwi_machine_read(struct rwi_machine *machine)
{
	struct utsname uts = { .machine = "unknown" };
	int cpus[RWI_CPUS_MAX];

	memset(machine, 0, sizeof *machine);
	uname(&uts);
	snprintf(machine->architecture, sizeof machine->architecture, "%s",
		 uts.machine);
	snprintf(machine->kernel, sizeof machine->kernel, "%s %s", uts.sysname,
		 uts.release);
#if defined __GLIBC__
	snprintf(machine->libc, sizeof machine->libc, "glibc %s",
		 gnu_get_libc_version());
#else
	snprintf(machine->libc, sizeof machine->libc, "unknown libc");
#endif
#if defined __clang__
	snprintf(machine->compiler, sizeof machine->compiler, "clang %s",
		 __clang_version__);
#else
	snprintf(machine->compiler, sizeof machine->compiler, "gcc %s",
		 __VERSION__);
#endif
	machine->cpus = rwi_machine_cpus(cpus, &machine->cores);
	first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		   machine->governor, sizeof machine->governor);
	read_cpuinfo(machine);
	if (getloadavg(&machine->load, 1) != 1)
		machine->load = -1;
}
