/* SPDX-License-Identifier: MIT */
/*
 * AIM7's jobs and workfiles.
 *
 * The weights are those of the workfiles of HP's osdl-aim-7, which published
 * the sweep that the messages' ranges of users fit.  The times and the numbers
 * of page faults and of changes to an address space were measured with the
 * original programs; which other locks of a kernel a job takes was counted from
 * its system calls and the source of Linux 6.1.
 */
#include "bench/seeds/aim7_mixes.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define DISK_MS 0.05
#define SYNC_MS 0.15

#define FORK    [RWI_AIM7_FORK]
#define EXEC    [RWI_AIM7_EXEC]
#define SPAWN   [RWI_AIM7_SPAWN]
#define WRITE   [RWI_AIM7_MM_WRITE]
#define SHRINK  [RWI_AIM7_MM_SHRINK]
#define READ    [RWI_AIM7_MM_READ]
#define DIR     [RWI_AIM7_DIR]
#define SUBDIR  [RWI_AIM7_SUBDIR]
#define LIST    [RWI_AIM7_LIST]
#define SHM     [RWI_AIM7_SHM]
#define SEM     [RWI_AIM7_SEM]

/* One that makes a file of its own and removes it, and one that does not. */
#define DISK(name, ms)                                                         \
	{                                                                      \
		name, ms, { READ = 1, DIR = 2 }, 0                             \
	}
#define DISK_READ(name)                                                        \
	{                                                                      \
		name, DISK_MS, { READ = 1 }, 0                                 \
	}

/* clang-format off */
const struct rwi_aim7_job rwi_aim7_jobs[] = {
	/* Processes and memory. */
	{ "fork_test", 19.6, { FORK = 100, WRITE = 200, READ = 3200 }, 0 },
	{ "exec_test", 4.3, { EXEC = 5, WRITE = 150, READ = 480 }, 0 },
	{ "shell_rtns_1", 3.2, { SPAWN = 2, WRITE = 118, READ = 285 }, 0 },
	{ "shell_rtns_2", 3.3, { SPAWN = 2, WRITE = 118, READ = 285 }, 5 },
	{ "shell_rtns_3", 3.2, { SPAWN = 2, WRITE = 118, READ = 285 }, 0 },
	/* The last part of each that shrinks is a read. */
	{ "page_test", 5.2,
	  { WRITE = 1702 - 99, SHRINK = 99, READ = 1601 }, 0 },
	{ "brk_test", 18.2, { WRITE = 17002 - 999, SHRINK = 999 }, 0 },
	{ "mem_rtns_1", 1.35, { WRITE = 2, READ = 52 }, 0 },
	{ "sieve", 10.8, { WRITE = 2, READ = 260 }, 0 },
	{ "shared_memory", 0.22,
	  { WRITE = 2, READ = 7, SHM = 4, SEM = 2 }, 0 },
	/* Directories and files. */
	{ "creat_clo", 3.0, { READ = 4, DIR = 1001 }, 0 },
	{ "link_test", 0.48, { READ = 8, DIR = 142 }, 0 },
	{ "dir_rtns_1", 2.8, { READ = 18, LIST = 19 }, 0 },
	{ "disk_src", 0.55, { READ = 5, SUBDIR = 86 }, 0 },
	DISK("disk_rr", DISK_MS), DISK("disk_rw", DISK_MS),
	DISK("disk_wrt", DISK_MS), DISK("disk_cp", DISK_MS),
	DISK("disk_brr", DISK_MS), DISK("disk_brw", DISK_MS),
	DISK("disk_bwrt", DISK_MS), DISK("disk_bcp", DISK_MS),
	DISK("disk_dio_rr", DISK_MS), DISK("disk_dio_rw", DISK_MS),
	DISK("disk_dio_wrt", DISK_MS), DISK("disk_dio_cp", DISK_MS),
	DISK_READ("disk_rd"), DISK_READ("disk_brd"), DISK_READ("disk_dio_rd"),
	DISK("sync_disk_rw", SYNC_MS), DISK("sync_disk_wrt", SYNC_MS),
	DISK("sync_disk_cp", SYNC_MS), DISK("sync_disk_update", SYNC_MS),
	/* Without a lock that others share. */
	{ "signal_test", 0.6, { 0 }, 0 },
	{ "pipe_cpy", 0.08, { 0 }, 0 },
	{ "stream_pipe", 0.26, { 0 }, 0 },
	{ "dgram_pipe", 0.23, { 0 }, 0 },
	{ "fifo_test", 0.13, { 0 }, 0 },
	{ "tcp_test", 0.67, { 0 }, 0 },
	{ "udp_test", 0.36, { 0 }, 0 },
	{ "add_double", 7.5, { 0 }, 0 },
	{ "add_float", 5.0, { 0 }, 0 },
	{ "add_int", 5.6, { 0 }, 0 },
	{ "add_long", 5.5, { 0 }, 0 },
	{ "add_short", 2.3, { 0 }, 0 },
	{ "div_double", 9.5, { 0 }, 0 },
	{ "div_float", 7.7, { 0 }, 0 },
	{ "div_int", 1.5, { 0 }, 0 },
	{ "div_long", 1.8, { 0 }, 0 },
	{ "div_short", 1.6, { 0 }, 0 },
	{ "mul_double", 5.1, { 0 }, 0 },
	{ "mul_float", 5.0, { 0 }, 0 },
	{ "mul_int", 0.144, { 0 }, 0 },
	{ "mul_long", 0.146, { 0 }, 0 },
	{ "mul_short", 0.19, { 0 }, 0 },
	{ "array_rtns", 2.7, { 0 }, 0 },
	{ "jmp_test", 0.009, { 0 }, 0 },
	{ "matrix_rtns", 0.005, { 0 }, 0 },
	{ "mem_rtns_2", 0.019, { 0 }, 0 },
	{ "misc_rtns_1", 0.21, { 0 }, 0 },
	{ "new_raph", 0.024, { 0 }, 0 },
	{ "num_rtns_1", 0.052, { 0 }, 0 },
	{ "ram_copy", 0.003, { 0 }, 0 },
	{ "series_1", 0.002, { 0 }, 0 },
	{ "sort_rtns_1", 1.46, { 0 }, 0 },
	{ "string_rtns", 1.09, { 0 }, 0 },
	{ "trig_rtns", 1.29, { 0 }, 0 },
	{ NULL, 0, { 0 }, 0 },
};
/* clang-format on */
_Static_assert(sizeof rwi_aim7_jobs / sizeof rwi_aim7_jobs[0] <=
		   RWI_AIM7_JOBS_MAX,
	       "a place for each");

#define DISKS                                                                  \
	"disk_rr disk_rw disk_rd disk_wrt disk_cp disk_brr disk_brw disk_brd " \
	"disk_bwrt disk_bcp disk_src "
#define DIO   "disk_dio_rr disk_dio_rw disk_dio_rd disk_dio_wrt disk_dio_cp "
#define SYNCS "sync_disk_rw sync_disk_wrt sync_disk_cp sync_disk_update "
#define ADDS  "add_double add_float add_long add_int add_short "
#define MULS  "mul_double mul_float mul_long mul_int mul_short "
#define DIVS  "div_double div_float div_long div_int div_short "

const struct rwi_aim7_mix rwi_aim7_mixes[] = {
	/* It lists string_rtns twice: once to be added up, once to be used. */
	{ "alltests",
	  1000,
	  { { 30, ADDS "sieve string_rtns" },
	    { 20, DISKS SYNCS MULS "exec_test shell_rtns_1" },
	    { 10, DIVS "creat_clo array_rtns brk_test dgram_pipe dir_rtns_1 "
		       "fork_test jmp_test link_test matrix_rtns mem_rtns_1 "
		       "mem_rtns_2 misc_rtns_1 new_raph num_rtns_1 page_test "
		       "pipe_cpy ram_copy series_1 shared_memory signal_test "
		       "fifo_test sort_rtns_1 stream_pipe tcp_test trig_rtns "
		       "udp_test shell_rtns_2 shell_rtns_3" } } },
	{ "custom",
	  410,
	  { { 30, "sieve" },
	    { 20, DISKS "sync_disk_rw" },
	    { 10, "creat_clo dgram_pipe dir_rtns_1 fork_test link_test "
		  "misc_rtns_1 page_test pipe_cpy shared_memory signal_test "
		  "fifo_test stream_pipe tcp_test udp_test" } } },
	{ "disk", 400, { { 20, DISKS DIO SYNCS } } },
	{ "high_systime",
	  260,
	  { { 30, "pipe_cpy" },
	    { 20, "creat_clo brk_test exec_test link_test page_test "
		  "shell_rtns_1" },
	    { 10, "dgram_pipe dir_rtns_1 fork_test misc_rtns_1 shared_memory "
		  "signal_test stream_pipe tcp_test udp_test shell_rtns_2 "
		  "shell_rtns_3" } } },
	{ "shared",
	  780,
	  { { 30, ADDS "string_rtns" },
	    { 20, MULS "disk_cp disk_rd disk_rr disk_rw disk_src disk_wrt "
		       "exec_test shell_rtns_1" },
	    { 10, DIVS "array_rtns brk_test creat_clo dgram_pipe dir_rtns_1 "
		       "fork_test jmp_test link_test matrix_rtns mem_rtns_1 "
		       "mem_rtns_2 misc_rtns_1 new_raph num_rtns_1 page_test "
		       "pipe_cpy ram_copy series_1 shared_memory sieve "
		       "signal_test sort_rtns_1 stream_pipe sync_disk_cp "
		       "sync_disk_rw sync_disk_wrt tcp_test trig_rtns "
		       "udp_test" } } },
	{ "short",
	  340,
	  { { 20, "dgram_pipe jmp_test matrix_rtns mem_rtns_2 misc_rtns_1 "
		  "mul_int mul_long mul_short new_raph num_rtns_1 pipe_cpy "
		  "ram_copy series_1 shared_memory stream_pipe tcp_test "
		  "udp_test" } } },
	{ .name = NULL },
};

const struct rwi_aim7_mix *rwi_aim7_mix_find(const char *name)
{
	const struct rwi_aim7_mix *mix = rwi_aim7_mixes;

	while (mix->name && strcmp(mix->name, name) != 0)
		mix++;
	return mix->name ? mix : NULL;
}

static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);
	const char *at = list;

	while ((at = strstr(at, word))) {
		const char after = at[length];

		if ((at == list || at[-1] == ' ') && (!after || after == ' '))
			return true;
		at++;
	}
	return false;
}

static unsigned weight_of(const struct rwi_aim7_mix *mix, const char *job)
{
	for (unsigned i = 0; i < RWI_AIM7_WEIGHTS_MAX; i++)
		if (mix->weights[i].jobs && has_word(mix->weights[i].jobs, job))
			return mix->weights[i].weight;
	return 0;
}

unsigned rwi_aim7_executions(const struct rwi_aim7_mix *mix,
			     unsigned executions[RWI_AIM7_JOBS_MAX])
{
	unsigned sum = 0;

	memset(executions, 0, RWI_AIM7_JOBS_MAX * sizeof executions[0]);
	for (unsigned i = 0; rwi_aim7_jobs[i].name; i++) {
		const unsigned weight = weight_of(mix, rwi_aim7_jobs[i].name);

		if (!weight)
			continue;
		/* A hundred in all, each rounded half up. */
		executions[i] = (200 * weight + mix->total) / (2 * mix->total);
		if (!executions[i])
			executions[i] = 1;
		sum += executions[i];
	}
	return sum;
}
