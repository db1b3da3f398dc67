/* SPDX-License-Identifier: MIT */
/*
 * An object has a count of references, guarded by a lock inside it.  Whoever
 * drops the last one unmaps the object, at once after its unlock, while the
 * unlock of the one before may still be returning.
 */
#include "support/designs.h"

#include <sys/mman.h>

enum { OBJECTS = 2000, USERS = 3, BYTES = 4096 };

struct object {
	_Alignas(128) unsigned char lock[RWI_LOCK_SIZE_MAX];
	unsigned references;
};

struct shared {
	const struct rwi_design *design;
	struct object *object;
	struct t_meeting start, stop;
	uint32_t buried;
};

static void drop(struct shared *s, struct object *object)
{
	const struct rwi_design *design = s->design;
	unsigned left;

	t_down_write(design, object->lock);
	left = --object->references;
	t_up_write(design, object->lock);
	if (left)
		return;
	if (design->destroy)
		design->destroy(object->lock);
	t_eq(munmap(object, BYTES), 0);
	t_add(&s->buried, 1);
}

static void make(struct shared *s)
{
	s->object = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	t_true((void *)s->object != MAP_FAILED);
	if (s->design->init)
		t_eq(s->design->init(s->object->lock), 0);
	s->object->references = USERS;
}

static void use_and_drop(void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < t_rounds(OBJECTS); i++) {
		if (t_index() == 0)
			make(s);
		t_meet(&s->start);
		drop(s, s->object);
		t_meet(&s->stop);
	}
}

T_DESIGNS(last_reference, RWI_DESTROY_SAFE)
{
	struct shared s = { .design = design,
			    .start.count = USERS,
			    .stop.count = USERS };

	(void)lock;
	t_threads(USERS, use_and_drop, &s);
	t_join();
	t_eq(s.buried, t_rounds(OBJECTS));
}
