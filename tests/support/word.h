/* SPDX-License-Identifier: MIT */
/* What the word of a semaphore may be at any moment (core/word.h). */
#ifndef T_WORD_H
#define T_WORD_H

#include "support/t.h"

#include "core/word.h"

/*
 * Queued waiters have somebody to go on for them: a holder, or one of theirs
 * who was told to compete.  So a lost wake-up shows before it is healed.
 */
static inline void t_sound_word(const rwsem_t *sem)
{
	const uint64_t s = t_load(&sem->word_);
	const bool writer = s & RWI_WRITER, readers = rwi_readers(s) != 0;

	t_false(writer && readers);
	if (s & RWI_QUEUED)
		t_true(writer || readers || s & RWI_WOKEN);
	if (s & RWI_HANDOFF)
		t_true(s & RWI_WOKEN);
	if (s & RWI_WPEND)
		t_true((writer || readers) && s & RWI_QUEUED &&
		       !(s & RWI_WOKEN));
}

#endif
