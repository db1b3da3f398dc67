/* SPDX-License-Identifier: MIT */
/* A stranger's program: takes and releases, and ends with success if it may. */
#define _POSIX_C_SOURCE 200809L /* CLOCK_MONOTONIC */
#include <rwsem/rwsem.h>

static rwsem_t sem = RWSEM_INIT;

int main(void)
{
	const struct timespec past = { 0, 0 };

	rwsem_down_write(&sem);
	if (rwsem_down_read_trylock(&sem))
		return 1;
	rwsem_downgrade_write(&sem);
	if (rwsem_down_read_until(&sem, CLOCK_MONOTONIC, &past))
		return 2;
	rwsem_up_read(&sem);
	rwsem_up_read(&sem);
	return rwsem_is_locked(&sem) ? 3 : rwsem_init(&sem, RWSEM_DEBUG);
}
