/* SPDX-License-Identifier: MIT */
/*
 * Every broken variant that is named in the code (RWI_BUG) makes at least one
 * of the test programs given on the command line fail.
 */
#include "support/t.h"

#include "port/port.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ONCE = 6 };

extern struct rwi_point __start_rwi_bugs[], __stop_rwi_bugs[];

static uint32_t next_bug, caught, missed;

/* Did `program` fail with this bug? */
static bool catches(const char *program, const char *bug)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
		execl(program, program, "--bug", bug, "--patience", "15",
		      (char *)NULL);
		_exit(77);
	}
	close(nowhere);
	t_true(pid > 0);
	t_eq(waitpid(pid, &status, 0), pid);
	/* 77: nothing ran; 2: this program has no such bug in it. */
	return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void catch_it(const char *bug)
{
	for (char **program = t_args; *program; program++) {
		t_doing(*program);
		if (catches(*program, bug)) {
			const char *name = strrchr(*program, '/');

			t_say("  %-26s %s\n", bug, name ? name + 1 : *program);
			t_add(&caught, 1);
			return;
		}
	}
	t_say("  %-26s NOT CAUGHT\n", bug);
	t_add(&missed, 1);
}

static void catch_next(void *arg)
{
	struct rwi_point *bug;

	(void)arg;
	while ((bug = __start_rwi_bugs + t_add(&next_bug, 1)) <
	       __stop_rwi_bugs) {
		bool first = true;

		/* A name may stand in several places. */
		for (struct rwi_point *p = __start_rwi_bugs; p < bug; p++)
			first = first && strcmp(p->name, bug->name) != 0;
		if (first)
			catch_it(bug->name);
	}
}

T_TEST(every_bug_is_caught)
{
	t_true(*t_args);
	t_threads(AT_ONCE, catch_next, NULL);
	t_join();
	t_ge(caught, 1);
	t_eq(missed, 0);
}
