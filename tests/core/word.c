/* SPDX-License-Identifier: MIT */
/*
 * After every release and downgrade the word is sound: whoever is queued has
 * somebody who goes on for it.  (At every step, in delay/each_step.c.)
 */
#include "support/word.h"

static rwsem_t sem;

static void read_once(void *arg)
{
	(void)arg;
	t_doing("down_read");
	rwsem_down_read(&sem);
	rwsem_up_read(&sem);
	t_doing(NULL);
}

static void write_once(void *arg)
{
	(void)arg;
	t_doing("down_write");
	rwsem_down_write(&sem);
	rwsem_up_write(&sem);
	t_doing(NULL);
}

static void release_before(const char *waiters, bool write, bool downgrade)
{
	if (write)
		rwsem_down_write(&sem);
	else
		rwsem_down_read(&sem);
	for (const char *w = waiters; *w; w++)
		t_await_asleep(*w == 'w' ? t_threads(1, write_once, NULL)
					 : t_threads(1, read_once, NULL));
	t_sound_word(&sem);
	if (downgrade) {
		rwsem_downgrade_write(&sem);
		t_sound_word(&sem);
	}
	if (write && !downgrade)
		rwsem_up_write(&sem);
	else
		rwsem_up_read(&sem);
	t_sound_word(&sem);
	t_join();
	t_eq(t_load(&sem.word_) & ~RWI_CHECKED, 0);
}

static const unsigned policies[] = { 0, RWSEM_PREFER_READERS,
				     RWSEM_PREFER_WRITERS, RWSEM_RECURSIVE_READ,
				     RWSEM_DEBUG };

T_TEST(after_each_release)
{
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
		t_eq(rwsem_init(&sem, policies[i]), 0);
		release_before("w", false, false);
		release_before("wr", false, false);
		release_before("rwr", true, false);
		release_before("w", true, false);
		release_before("ww", true, true);
		release_before("rw", true, true);
		release_before("rr", true, true);
	}
}
