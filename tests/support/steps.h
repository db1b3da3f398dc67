/* SPDX-License-Identifier: MIT */
/*
 * Order by steps: a thread stops at a step of a lock's code, once, and does
 * there what the test wants to have happened in between.
 */
#ifndef T_STEPS_H
#define T_STEPS_H

/* The next time that this thread comes to `step`, call act(arg) there. */
void t_at_step(const char *step, void (*act)(void *), void *arg);

/* Everything that was asked for has been done, by this thread. */
void t_all_steps_taken(void);

#endif
