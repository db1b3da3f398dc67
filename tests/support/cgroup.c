/* SPDX-License-Identifier: MIT */
/* Cgroups of limited CPU time: see cgroup.h. */
#include "support/cgroup.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The watchdog of the case is sooner. */
enum { LIMIT_S = 3600 };

struct group {
	char path[256];
	void (*body)(void *);
	void *arg;
};

static bool write_file(const char *directory, const char *name,
		       const char *text)
{
	char path[320];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = write(fd, text, strlen(text));
		close(fd);
	}
	return n == (ssize_t)strlen(text);
}

/* This process's group of a hierarchy, from the line that `key` starts. */
static bool own_group(const char *key, char *group, size_t size)
{
	FILE *file = fopen("/proc/self/cgroup", "r");
	char line[256], *found = NULL;

	while (file && !found && fgets(line, sizeof line, file)) {
		char *colon = strchr(line, ':');

		if (!colon || strncmp(colon, key, strlen(key)) != 0)
			continue;
		found = colon + strlen(key);
		found[strcspn(found, "\n")] = 0;
		snprintf(group, size, "%s", found);
	}
	if (file)
		fclose(file);
	return found != NULL;
}

/* Make a group under `root`, where limits are written as this version does. */
static bool make_group(struct group *g, const char *root, const char *key,
		       const char *file, const char *limit)
{
	char own[200];

	if (!own_group(key, own, sizeof own))
		return false;
	snprintf(g->path, sizeof g->path, "%s%s/rwsem-test-%d", root,
		 strcmp(own, "/") ? own : "", (int)getpid());
	if (mkdir(g->path, 0755))
		return false;
	if (write_file(g->path, file, limit))
		return true;
	rmdir(g->path);
	return false;
}

static void enter(void *arg)
{
	const struct group *g = arg;

	t_true(write_file(g->path, "cgroup.procs", "0"));
	g->body(g->arg);
}

void t_in_cgroup(unsigned percent, void (*body)(void *), void *arg)
{
	struct group g = { .body = body, .arg = arg };
	struct t_outcome outcome;
	char quota[32], max[64];

	snprintf(quota, sizeof quota, "%u", percent * 1000);
	snprintf(max, sizeof max, "%u 100000", percent * 1000);
	if (!make_group(&g, "/sys/fs/cgroup", "::", "cpu.max", max) &&
	    !make_group(&g, "/sys/fs/cgroup/cpu", ":cpu:", "cpu.cfs_quota_us",
			quota) &&
	    !make_group(&g, "/sys/fs/cgroup/cpu,cpuacct",
			":cpu,cpuacct:", "cpu.cfs_quota_us", quota))
		t_skip("no cgroup with a limit on CPU time can be made here");
	t_child(enter, &g, LIMIT_S, &outcome);
	/* The group is empty now. */
	rmdir(g.path);
	if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 77)
		t_skip("the child skipped");
	if (outcome.stuck || outcome.status)
		t_fail("in %u %% of a CPU: %s", percent,
		       outcome.stuck ? "stuck" : outcome.text);
}
