/* SPDX-License-Identifier: MIT */
/*
 * The objects that AIM7's users share.
 *
 * Users are threads here and were processes there.  All were forked by one
 * parent: so they map the same files and stem from the same anonymous pages,
 * and forks, execs and exits of all meet at the trees of these.  An address
 * space is its user's own, and its lock is never contended.
 *
 * A section is what the object needs, and goes on until it has taken as long as
 * one of the kernel's.  Who is in says so in the object, and looks who else is:
 * whom the lock should have kept out touches nothing, so that trees stay sound
 * and the fault is seen for certain.
 */
#define _GNU_SOURCE /* clock_gettime */
#include "bench/seeds/aim7_objects.h"

#include "bench/clock.h"
#include "bench/locks.h"
#include "bench/section.h"
#include "bench/seeds/interval_tree.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The first four files are those that every user maps. */
enum file { LIBC, LIBM, LOADER, PROGRAM, SH, LS, TRUE, CACHE, FILES };
enum { MAPPED = 4, MAPPINGS = 5, OWN = MAPPED * MAPPINGS };

enum { ROOTS = 14, DISKS = 16, BUCKETS = 256 };
/* Of each disk the directory, then of each a subdirectory, then /bin. */
enum { DIRS = 2 * DISKS + 1, BIN = DIRS - 1 };

enum { PAGE = 4096, VMAS = 30, BRK_STEPS = 16 };

/* How long a section is, in nanoseconds. */
enum {
	TREE_NS = 200,
	DIR_NS = 400,
	ID_NS = 300,
	LIST_NS = 5000,
	MM_WRITE_NS = 500,
	MM_READ_NS = 700,
	LATE_NS = 1000
};

/* How many sections on trees each has. */
enum {
	CLONE = 2 * ROOTS + OWN,
	LEAVE = ROOTS + OWN,
	IMAGE = 2 * MAPPINGS + 1 + 1 + 3 * 3 + 2 + 3 + 1 + 3 * MAPPINGS
};

/* ---- Locks, and who is in ---- */

struct guard {
	_Alignas(128) void *lock;
	atomic_bool writer; /* is in; as is the number of readers */
	atomic_uint readers;
};

struct tree {
	struct guard guard;
	struct rwi_intervals intervals;
};

struct name {
	uint64_t key;
	struct name *next;
	bool there;
};

struct dir {
	struct guard guard;
	struct name *buckets[BUCKETS];
	uint64_t changes;
};

/* A table of identifiers, and which of them are free. */
struct ids {
	struct guard guard;
	unsigned *owner; /* by identifier: a user's number + 1, or 0 */
	unsigned *free;
	unsigned free_count;
	unsigned attached;
};

struct vma {
	uint64_t start, end;
};

struct user {
	_Alignas(128) struct rwi_aim7_objects *objects;
	unsigned number;
	uint64_t since; /* ticks at which the section began */
	uint64_t ticks[RWI_AIM7_CLASSES];
	uint64_t acquired[RWI_AIM7_CLASSES];
	uint64_t late;
	uint64_t done[RWI_AIM7_OPS];
	uint64_t steps; /* of work, before each section */
	uint64_t dir_changes[DIRS], spawned;
	struct rwi_interval own[OWN], child[OWN];
	struct rwi_interval image[3 * MAPPINGS], cache, spare;
	struct rwi_interval root[ROOTS], child_root[ROOTS];
	struct name names[DIRS];
	unsigned shm, sem;           /* identifiers, if there are */
	unsigned shm_step, sem_step; /* how far on it is with them */
	/* The address space. */
	void *mm_lock;
	struct vma vmas[VMAS];
	uint64_t brk_step, faulted;
	unsigned char page[PAGE];
};

struct rwi_aim7_objects {
	const struct rwi_design *design;
	unsigned users;
	double ticks_a_ns;
	uint64_t late_ticks;
	_Atomic(const char *) seen;
	struct tree files[FILES], roots[ROOTS];
	struct dir dirs[DIRS];
	struct ids shm, sem;
	struct user *user;
};

static bool fault_seen(const struct rwi_aim7_objects *objects)
{
	return atomic_load_explicit(&objects->seen, memory_order_relaxed);
}

static void account(struct user *u, enum rwi_aim7_class class, uint64_t asked)
{
	const uint64_t ticks = u->since - asked;

	u->acquired[class]++;
	u->ticks[class] += ticks;
	u->late += ticks > u->objects->late_ticks;
}

/* Until the section has lasted so long. */
static void stay(const struct user *u, unsigned ns)
{
	const uint64_t ticks = (uint64_t)((double)ns * u->objects->ticks_a_ns);

	while (rwi_ticks() - u->since < ticks)
		;
}

/* False: somebody is in, so touch nothing.  The lock is held in any case. */
static bool enter_write(struct user *u, struct guard *g,
			enum rwi_aim7_class class)
{
	struct rwi_aim7_objects *o = u->objects;
	const uint64_t asked = rwi_ticks();

	o->design->down_write(g->lock);
	u->since = rwi_ticks();
	account(u, class, asked);
	if (atomic_exchange(&g->writer, true))
		atomic_store(&o->seen, "two writers were in at once");
	else if (atomic_load(&g->readers))
		atomic_store(&o->seen, "a reader was in beside a writer");
	/* After a fault it is unknown which nodes are where. */
	return !fault_seen(o);
}

static void leave_write(struct user *u, struct guard *g, unsigned ns,
			bool entered)
{
	stay(u, ns);
	if (entered)
		atomic_store(&g->writer, false);
	u->objects->design->up_write(g->lock);
}

/* ---- Trees ---- */

static void change_tree(struct user *u, struct tree *tree,
			enum rwi_aim7_class class, struct rwi_interval *out,
			struct rwi_interval *in)
{
	bool entered;

	rwi_work(u->steps);
	entered = enter_write(u, &tree->guard, class);
	if (entered && out)
		rwi_intervals_remove(&tree->intervals, out);
	if (entered && in)
		rwi_intervals_insert(&tree->intervals, in);
	leave_write(u, &tree->guard, TREE_NS, entered);
}

static void map(struct user *u, enum file file, struct rwi_interval *node)
{
	change_tree(u, &u->objects->files[file], RWI_AIM7_FILES, NULL, node);
}

static void unmap(struct user *u, enum file file, struct rwi_interval *node)
{
	change_tree(u, &u->objects->files[file], RWI_AIM7_FILES, node, NULL);
}

/* A change of protection takes a mapping out, and in with other bounds. */
static void protect(struct user *u, enum file file, struct rwi_interval *node)
{
	change_tree(u, &u->objects->files[file], RWI_AIM7_FILES, node, node);
}

/* The child gets all that its parent has. */
static void clone(struct user *u)
{
	struct rwi_aim7_objects *o = u->objects;

	for (unsigned i = 0; i < ROOTS; i++) {
		change_tree(u, &o->roots[i], RWI_AIM7_ROOTS, &u->root[i],
			    &u->root[i]);
		change_tree(u, &o->roots[i], RWI_AIM7_ROOTS, NULL,
			    &u->child_root[i]);
	}
	for (unsigned i = 0; i < OWN; i++)
		map(u, (enum file)(i / MAPPINGS), &u->child[i]);
}

/* The child's end, or the end of its old image. */
static void leave(struct user *u)
{
	struct rwi_aim7_objects *o = u->objects;

	for (unsigned i = 0; i < ROOTS; i++)
		change_tree(u, &o->roots[i], RWI_AIM7_ROOTS, &u->child_root[i],
			    NULL);
	for (unsigned i = 0; i < OWN; i++)
		unmap(u, (enum file)(i / MAPPINGS), &u->child[i]);
}

/*
 * A program's whole life: what the kernel maps, what the loader maps of the C
 * library, piece by piece into the first piece, and the exit.
 */
static void live(struct user *u, enum file program)
{
	struct rwi_interval *own = u->image, *loader = own + MAPPINGS;
	struct rwi_interval *libc = loader + MAPPINGS;

	for (unsigned i = 0; i < MAPPINGS; i++)
		map(u, program, &own[i]);
	for (unsigned i = 0; i < MAPPINGS; i++)
		map(u, LOADER, &loader[i]);
	map(u, CACHE, &u->cache);
	map(u, LIBC, &libc[0]);
	for (unsigned i = 1; i < 4; i++) {
		map(u, LIBC, &u->spare);
		unmap(u, LIBC, &u->spare);
		map(u, LIBC, &libc[i]);
	}
	map(u, LIBC, &u->spare);
	unmap(u, LIBC, &u->spare);
	map(u, LIBC, &libc[4]);
	protect(u, LOADER, &loader[0]);
	protect(u, program, &own[0]);
	unmap(u, CACHE, &u->cache);
	for (unsigned i = 0; i < MAPPINGS; i++) {
		unmap(u, program, &own[i]);
		unmap(u, LOADER, &loader[i]);
		unmap(u, LIBC, &libc[i]);
	}
}
_Static_assert(MAPPINGS == 5, "the library's pieces");

static void fork_once(struct user *u, unsigned disk)
{
	(void)disk;
	clone(u);
	leave(u);
}

static void exec_once(struct user *u, unsigned disk)
{
	fork_once(u, disk);
	live(u, TRUE);
}

/* A shell, then what it runs. */
static void spawn_once(struct user *u, unsigned disk)
{
	(void)disk;
	live(u, u->spawned++ % 2 ? LS : SH);
}

/* ---- Directories and identifiers ---- */

static void toggle_name(struct dir *dir, struct name *name)
{
	struct name **at = &dir->buckets[name->key % BUCKETS];

	dir->changes++;
	if (!name->there) {
		name->next = *at;
		*at = name;
	} else {
		while (*at != name)
			at = &(*at)->next;
		*at = name->next;
	}
	name->there = !name->there;
}

static void change_dir(struct user *u, unsigned number)
{
	struct dir *dir = &u->objects->dirs[number];
	bool entered;

	rwi_work(u->steps);
	entered = enter_write(u, &dir->guard, RWI_AIM7_DIRS);
	if (entered)
		toggle_name(dir, &u->names[number]);
	leave_write(u, &dir->guard, DIR_NS, entered);
	u->dir_changes[number]++;
}

static void dir_once(struct user *u, unsigned disk)
{
	change_dir(u, disk % DISKS);
}

static void subdir_once(struct user *u, unsigned disk)
{
	change_dir(u, DISKS + disk % DISKS);
}

static void list_once(struct user *u, unsigned disk)
{
	struct rwi_aim7_objects *o = u->objects;
	struct guard *g = &o->dirs[BIN].guard;
	uint64_t asked;

	(void)disk;
	rwi_work(u->steps);
	asked = rwi_ticks();
	o->design->down_read(g->lock);
	u->since = rwi_ticks();
	account(u, RWI_AIM7_DIRS, asked);
	atomic_fetch_add(&g->readers, 1);
	if (atomic_load(&g->writer))
		atomic_store(&o->seen, "a reader was in beside a writer");
	stay(u, LIST_NS);
	atomic_fetch_sub(&g->readers, 1);
	o->design->up_read(g->lock);
}

static unsigned get_id(struct ids *ids, const struct user *u)
{
	const unsigned id = ids->free[--ids->free_count];

	ids->owner[id] = u->number + 1;
	return id;
}

static void remove_id(struct ids *ids, unsigned id)
{
	ids->owner[id] = 0;
	ids->free[ids->free_count++] = id;
}

/* Get a segment, attach it, detach it, remove it. */
static void shm_once(struct user *u, unsigned disk)
{
	struct ids *ids = &u->objects->shm;
	bool entered;

	(void)disk;
	rwi_work(u->steps);
	entered = enter_write(u, &ids->guard, RWI_AIM7_IDS);
	if (entered && u->shm_step == 0)
		u->shm = get_id(ids, u);
	else if (entered && u->shm_step == 1)
		ids->attached++;
	else if (entered && u->shm_step == 2)
		ids->attached--;
	else if (entered)
		remove_id(ids, u->shm);
	leave_write(u, &ids->guard, ID_NS, entered);
	u->shm_step = (u->shm_step + 1) % 4;
}

static void sem_once(struct user *u, unsigned disk)
{
	struct ids *ids = &u->objects->sem;
	bool entered;

	(void)disk;
	rwi_work(u->steps);
	entered = enter_write(u, &ids->guard, RWI_AIM7_IDS);
	if (entered && u->sem_step == 0)
		u->sem = get_id(ids, u);
	else if (entered)
		remove_id(ids, u->sem);
	leave_write(u, &ids->guard, ID_NS, entered);
	u->sem_step = (u->sem_step + 1) % 2;
}

/* ---- Address spaces ---- */

/* The heap grows by pages, and shrinks by all of them at once. */
static void move_break(struct user *u)
{
	struct vma *heap = &u->vmas[VMAS - 1];

	if (++u->brk_step % BRK_STEPS)
		heap->end += PAGE;
	else
		heap->end -= (BRK_STEPS - 1) * PAGE;
}

static void mm_write_once(struct user *u, unsigned disk)
{
	const struct rwi_design *design = u->objects->design;

	(void)disk;
	rwi_work(u->steps);
	design->down_write(u->mm_lock);
	u->since = rwi_ticks();
	move_break(u);
	stay(u, MM_WRITE_NS);
	design->up_write(u->mm_lock);
}

/* Find where the page belongs, and fill it with zeros. */
static void fault_in(struct user *u)
{
	const uint64_t at = u->vmas[u->faulted++ % VMAS].start;
	unsigned low = 0, high = VMAS;

	u->since = rwi_ticks();
	while (high - low > 1) {
		const unsigned middle = (low + high) / 2;

		if (u->vmas[middle].start <= at)
			low = middle;
		else
			high = middle;
	}
	memset(u->page, u->vmas[low].end > at ? 0 : 1, sizeof u->page);
	__asm__ volatile("" : : "r"(u->page) : "memory");
	stay(u, MM_READ_NS);
}

static void mm_read_once(struct user *u, unsigned disk)
{
	const struct rwi_design *design = u->objects->design;

	(void)disk;
	rwi_work(u->steps);
	design->down_read(u->mm_lock);
	fault_in(u);
	design->up_read(u->mm_lock);
}

static void mm_shrink_once(struct user *u, unsigned disk)
{
	const struct rwi_design *design = u->objects->design;

	if (!design->downgrade_write) {
		mm_write_once(u, disk);
		mm_read_once(u, disk);
		return;
	}
	rwi_work(2 * u->steps);
	design->down_write(u->mm_lock);
	u->since = rwi_ticks();
	move_break(u);
	stay(u, MM_WRITE_NS);
	design->downgrade_write(u->mm_lock);
	fault_in(u);
	design->up_read(u->mm_lock);
}

/* ---- Operations ---- */

static const struct {
	void (*once)(struct user *u, unsigned disk);
	unsigned sections;
	unsigned ns; /* each, in the mean */
} operations[] = {
	[RWI_AIM7_FORK] = { fork_once, CLONE + LEAVE, TREE_NS },
	[RWI_AIM7_EXEC] = { exec_once, CLONE + LEAVE + IMAGE, TREE_NS },
	[RWI_AIM7_SPAWN] = { spawn_once, IMAGE, TREE_NS },
	[RWI_AIM7_MM_WRITE] = { mm_write_once, 1, MM_WRITE_NS },
	[RWI_AIM7_MM_SHRINK] = { mm_shrink_once, 2,
				 (MM_WRITE_NS + MM_READ_NS) / 2 },
	[RWI_AIM7_MM_READ] = { mm_read_once, 1, MM_READ_NS },
	[RWI_AIM7_DIR] = { dir_once, 1, DIR_NS },
	[RWI_AIM7_SUBDIR] = { subdir_once, 1, DIR_NS },
	[RWI_AIM7_LIST] = { list_once, 1, LIST_NS },
	[RWI_AIM7_SHM] = { shm_once, 1, ID_NS },
	[RWI_AIM7_SEM] = { sem_once, 1, ID_NS },
};
_Static_assert(sizeof operations / sizeof operations[0] == RWI_AIM7_OPS,
	       "all of them");

unsigned rwi_aim7_sections(enum rwi_aim7_op op)
{
	return operations[op].sections;
}

double rwi_aim7_sections_ns(enum rwi_aim7_op op)
{
	return (double)operations[op].sections * operations[op].ns;
}

void rwi_aim7_do(struct rwi_aim7_objects *objects, unsigned user,
		 const struct rwi_aim7_demand *demand)
{
	struct user *u = &objects->user[user];

	u->steps = demand->steps;
	for (uint64_t i = 0; i < demand->times && !fault_seen(objects); i++) {
		operations[demand->op].once(u, demand->disk);
		u->done[demand->op]++;
	}
}

/* ---- From nothing, and to nothing ---- */

static double ticks_a_ns(void)
{
	enum { MEASURED_NS = 5000000 };
	static double rate;
	double began_s;
	uint64_t began;

	if (rate > 0)
		return rate;
	began_s = rwi_time_s(CLOCK_MONOTONIC);
	began = rwi_ticks();
	while (rwi_time_s(CLOCK_MONOTONIC) - began_s <
	       1e-9 * (double)MEASURED_NS)
		;
	rate = (double)(rwi_ticks() - began) /
	       (1e9 * (rwi_time_s(CLOCK_MONOTONIC) - began_s));
	return rate;
}

static uint32_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 32);
}

/* All map the same pages of a file, as all have the same program. */
static void number_nodes(struct rwi_interval *nodes, unsigned count,
			 uint64_t *random)
{
	for (unsigned i = 0; i < count; i++) {
		nodes[i].start = 64 * (i % MAPPINGS);
		nodes[i].end = nodes[i].start + 63;
		nodes[i].priority = next_random(random);
	}
}

static void number_user(struct user *u, uint64_t *random)
{
	number_nodes(u->own, OWN, random);
	number_nodes(u->child, OWN, random);
	number_nodes(u->image, 3 * MAPPINGS, random);
	number_nodes(&u->cache, 1, random);
	number_nodes(&u->spare, 1, random);
	number_nodes(u->root, ROOTS, random);
	number_nodes(u->child_root, ROOTS, random);
	for (unsigned i = 0; i < DIRS; i++)
		u->names[i].key = u->number;
	for (unsigned i = 0; i < VMAS; i++) {
		u->vmas[i].start = (uint64_t)(i + 1) << 24;
		u->vmas[i].end = u->vmas[i].start + PAGE;
	}
}

static void settle_user(struct rwi_aim7_objects *o, struct user *u)
{
	for (unsigned i = 0; i < OWN; i++)
		rwi_intervals_insert(&o->files[i / MAPPINGS].intervals,
				     &u->own[i]);
	for (unsigned i = 0; i < ROOTS; i++)
		rwi_intervals_insert(&o->roots[i].intervals, &u->root[i]);
}

/* Calls `with` for every lock's place until it returns false. */
static bool each_lock(struct rwi_aim7_objects *o,
		      bool (*with)(struct rwi_aim7_objects *o, void **lock))
{
	for (unsigned i = 0; i < FILES; i++)
		if (!with(o, &o->files[i].guard.lock))
			return false;
	for (unsigned i = 0; i < ROOTS; i++)
		if (!with(o, &o->roots[i].guard.lock))
			return false;
	for (unsigned i = 0; i < DIRS; i++)
		if (!with(o, &o->dirs[i].guard.lock))
			return false;
	for (unsigned i = 0; i < o->users; i++)
		if (!with(o, &o->user[i].mm_lock))
			return false;
	return with(o, &o->shm.guard.lock) && with(o, &o->sem.guard.lock);
}

static bool new_lock(struct rwi_aim7_objects *o, void **lock)
{
	*lock = rwi_lock_new(o->design);
	return *lock != NULL;
}

static bool free_lock(struct rwi_aim7_objects *o, void **lock)
{
	if (*lock)
		rwi_lock_free(o->design, *lock);
	return true;
}

static bool new_ids(struct ids *ids, unsigned users)
{
	ids->owner = calloc(users, sizeof *ids->owner);
	ids->free = calloc(users, sizeof *ids->free);
	if (!ids->owner || !ids->free)
		return false;
	for (unsigned i = 0; i < users; i++)
		ids->free[i] = i;
	ids->free_count = users;
	return true;
}

static void *new_zeroed(size_t size)
{
	void *memory = aligned_alloc(_Alignof(struct guard), size);

	return memory ? memset(memory, 0, size) : NULL;
}
_Static_assert(_Alignof(struct user) <= _Alignof(struct guard), "as aligned");

struct rwi_aim7_objects *rwi_aim7_objects_new(const struct rwi_design *design,
					      unsigned users)
{
	struct rwi_aim7_objects *o = new_zeroed(sizeof *o);
	uint64_t random = UINT64_C(0x9e3779b97f4a7c15);

	if (!o)
		return NULL;
	o->design = design;
	o->ticks_a_ns = ticks_a_ns();
	o->late_ticks = (uint64_t)((double)LATE_NS * o->ticks_a_ns);
	o->user = new_zeroed(users * sizeof *o->user);
	o->users = o->user ? users : 0;
	for (unsigned i = 0; i < o->users; i++) {
		o->user[i].objects = o;
		o->user[i].number = i;
		number_user(&o->user[i], &random);
		settle_user(o, &o->user[i]);
	}
	if (o->user && new_ids(&o->shm, users) && new_ids(&o->sem, users) &&
	    each_lock(o, new_lock))
		return o;
	rwi_aim7_objects_free(o);
	return NULL;
}

void rwi_aim7_objects_free(struct rwi_aim7_objects *o)
{
	each_lock(o, free_lock);
	free(o->shm.owner);
	free(o->shm.free);
	free(o->sem.owner);
	free(o->sem.free);
	free(o->user);
	free(o);
}

/* ---- Checks and sums ---- */

const char *rwi_aim7_seen(const struct rwi_aim7_objects *objects)
{
	return atomic_load(&objects->seen);
}

static const char *tree_fault(const struct tree *tree, size_t count)
{
	const char *fault = rwi_intervals_fault(&tree->intervals);

	if (!fault && tree->intervals.count != count)
		fault = "a tree has other nodes than its users' own";
	return fault;
}

static const char *trees_fault(const struct rwi_aim7_objects *o)
{
	const char *fault = NULL;

	for (unsigned i = 0; !fault && i < FILES; i++)
		fault = tree_fault(
		    &o->files[i], i < MAPPED ? (size_t)o->users * MAPPINGS : 0);
	for (unsigned i = 0; !fault && i < ROOTS; i++)
		fault = tree_fault(&o->roots[i], o->users);
	for (unsigned i = 0; !fault && i < o->users; i++) {
		for (unsigned k = 0; k < OWN; k++)
			if (!o->user[i].own[k].in_tree)
				fault = "a user's mapping is gone";
		for (unsigned k = 0; k < ROOTS; k++)
			if (!o->user[i].root[k].in_tree)
				fault = "a user's pages are gone";
	}
	return fault;
}

static const char *dir_fault(const struct rwi_aim7_objects *o, unsigned number)
{
	const struct dir *dir = &o->dirs[number];
	uint64_t changes = 0, names = 0;

	for (unsigned i = 0; i < o->users; i++) {
		const uint64_t made = o->user[i].dir_changes[number];

		changes += made;
		names += made % 2;
		if (o->user[i].names[number].there != (made % 2 == 1))
			return "a directory has not the names it should";
	}
	/* No more than there may be, even if names form a circle. */
	for (unsigned i = 0; i < BUCKETS; i++)
		for (const struct name *n = dir->buckets[i]; n; n = n->next)
			if (!n->there || n->key % BUCKETS != i || !names--)
				return "a directory has a wrong name";
	if (names)
		return "a directory has lost a name";
	return changes == dir->changes ? NULL : "a directory has lost a change";
}

static const char *ids_fault(const struct rwi_aim7_objects *o)
{
	unsigned shms = 0, sems = 0, attached = 0;

	for (unsigned i = 0; i < o->users; i++) {
		const struct user *u = &o->user[i];

		if ((u->shm_step && o->shm.owner[u->shm] != i + 1) ||
		    (u->sem_step && o->sem.owner[u->sem] != i + 1))
			return "an identifier is not its user's";
		shms += u->shm_step != 0;
		sems += u->sem_step != 0;
		attached += u->shm_step == 2;
	}
	if (o->shm.free_count + shms != o->users ||
	    o->sem.free_count + sems != o->users)
		return "an identifier is lost";
	return attached == o->shm.attached
		   ? NULL
		   : "a segment is still attached, or not any more";
}

const char *rwi_aim7_objects_fault(const struct rwi_aim7_objects *o)
{
	const char *fault = rwi_aim7_seen(o);

	if (!fault)
		fault = trees_fault(o);
	for (unsigned i = 0; !fault && i < DIRS; i++)
		fault = dir_fault(o, i);
	if (!fault)
		fault = ids_fault(o);
	return fault;
}

void *rwi_aim7_a_lock(const struct rwi_aim7_objects *objects)
{
	return objects->files[LIBC].guard.lock;
}

struct rwi_aim7_use rwi_aim7_use(const struct rwi_aim7_objects *o)
{
	struct rwi_aim7_use use = { .late = 0 };

	for (unsigned i = 0; i < o->users; i++) {
		const struct user *u = &o->user[i];

		for (unsigned k = 0; k < RWI_AIM7_CLASSES; k++) {
			use.acquired[k] += u->acquired[k];
			use.wait_s[k] +=
			    1e-9 * (double)u->ticks[k] / o->ticks_a_ns;
		}
		for (unsigned k = 0; k < RWI_AIM7_OPS; k++)
			use.done[k] += u->done[k];
		use.late += u->late;
	}
	return use;
}
