/* SPDX-License-Identifier: MIT */
/*
 * The operations of rwsem as a design, over whichever of rwsem.h and inline.h
 * the includer chose; the includer defines the objects, and RWI_RWSEM_FILE.
 */
#ifndef RWI_RWSEM_OPS_H
#define RWI_RWSEM_OPS_H

#include "designs/design.h"

static void down_read(void *lock)
{
	rwsem_t *sem = lock;

	rwsem_down_read(sem);
}

static void up_read(void *lock)
{
	rwsem_t *sem = lock;

	rwsem_up_read(sem);
}

static void down_write(void *lock)
{
	rwsem_t *sem = lock;

	rwsem_down_write(sem);
}

static void up_write(void *lock)
{
	rwsem_t *sem = lock;

	rwsem_up_write(sem);
}

static bool down_read_trylock(void *lock)
{
	rwsem_t *sem = lock;

	return rwsem_down_read_trylock(sem);
}

static bool down_write_trylock(void *lock)
{
	rwsem_t *sem = lock;

	return rwsem_down_write_trylock(sem);
}

static int down_read_until(void *lock, clockid_t clock,
			   const struct timespec *deadline)
{
	rwsem_t *sem = lock;

	return rwsem_down_read_until(sem, clock, deadline);
}

static int down_write_until(void *lock, clockid_t clock,
			    const struct timespec *deadline)
{
	rwsem_t *sem = lock;

	return rwsem_down_write_until(sem, clock, deadline);
}

static int down_read_interruptible(void *lock)
{
	rwsem_t *sem = lock;

	return rwsem_down_read_interruptible(sem);
}

static int down_write_interruptible(void *lock)
{
	rwsem_t *sem = lock;

	return rwsem_down_write_interruptible(sem);
}

static void downgrade_write(void *lock)
{
	rwsem_t *sem = lock;

	rwsem_downgrade_write(sem);
}

static void destroy(void *lock)
{
	rwsem_t *sem = lock;

	rwsem_destroy(sem);
}

static void read_pairs(void *lock, uint64_t pairs)
{
	rwsem_t *sem = lock;

	while (pairs--) {
		rwsem_down_read(sem);
		rwsem_up_read(sem);
	}
}

static void write_pairs(void *lock, uint64_t pairs)
{
	rwsem_t *sem = lock;

	while (pairs--) {
		rwsem_down_write(sem);
		rwsem_up_write(sem);
	}
}

#define RWI_RWSEM_TRAITS                                                       \
	(RWI_BOUNDED | RWI_FOREIGN_UP_READ | RWI_DESTROY_SAFE | RWI_FORK)

#define RWI_RWSEM_OPS                                                          \
	.origin = "this project, 2026; see src/core/rwsem.c",                  \
	.file = RWI_RWSEM_FILE, .lock_size = sizeof(rwsem_t),                  \
	.lock_align = _Alignof(rwsem_t), .destroy = destroy,                   \
	.down_read = down_read, .up_read = up_read, .down_write = down_write,  \
	.up_write = up_write, .down_read_trylock = down_read_trylock,          \
	.down_write_trylock = down_write_trylock,                              \
	.down_read_until = down_read_until,                                    \
	.down_write_until = down_write_until,                                  \
	.down_read_interruptible = down_read_interruptible,                    \
	.down_write_interruptible = down_write_interruptible,                  \
	.downgrade_write = downgrade_write, .read_pairs = read_pairs,          \
	.write_pairs = write_pairs

#endif
