/* SPDX-License-Identifier: MIT */
/*
 * Pairs of calls on a semaphore that nobody else uses, one kind a function, for
 * guard.sh, which has their instructions counted.  A name in parentheses is
 * the library's function, a bare one what inline.h makes of it.
 */
#include "rwsem/inline.h"

enum { PAIRS = 10000 }; /* guard.sh divides by it */

static rwsem_t sem = RWSEM_INIT;
static rwsem_t shared = RWSEM_INIT; /* one read hold is out */

#define DEFINE_PAIRS(name, take, release)                                      \
	__attribute__((noipa)) static void name(void)                          \
	{                                                                      \
		for (int i = 0; i < PAIRS; i++) {                              \
			take;                                                  \
			release;                                               \
		}                                                              \
	}

DEFINE_PAIRS(read_called, (rwsem_down_read)(&sem), (rwsem_up_read)(&sem))
DEFINE_PAIRS(read_inlined, rwsem_down_read(&sem), rwsem_up_read(&sem))
DEFINE_PAIRS(read_shared, (rwsem_down_read)(&shared), (rwsem_up_read)(&shared))
DEFINE_PAIRS(read_tried, (void)!(rwsem_down_read_trylock)(&sem),
	     (rwsem_up_read)(&sem))
DEFINE_PAIRS(write_called, (rwsem_down_write)(&sem), (rwsem_up_write)(&sem))
DEFINE_PAIRS(write_inlined, rwsem_down_write(&sem), rwsem_up_write(&sem))
DEFINE_PAIRS(write_tried, (void)!(rwsem_down_write_trylock)(&sem),
	     (rwsem_up_write)(&sem))
DEFINE_PAIRS(write_downgraded, (rwsem_down_write)(&sem);
	     (rwsem_downgrade_write)(&sem), (rwsem_up_read)(&sem))

int main(void)
{
	(rwsem_down_read)(&shared);
	read_called();
	read_inlined();
	read_shared();
	read_tried();
	write_called();
	write_inlined();
	write_tried();
	write_downgraded();
	(rwsem_up_read)(&shared);
	return rwsem_is_locked(&sem) || rwsem_is_locked(&shared);
}
