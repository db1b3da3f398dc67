/* SPDX-License-Identifier: MIT */
/*
 * The books of checked semaphores (RWSEM_DEBUG, RWSEM_RECURSIVE_READ), and the
 * message that ends a process which broke the contract.
 *
 * Each thread lists the checked semaphores it holds.  The list has room for
 * sixteen holds; beyond that they are only counted, and such a thread is taken
 * to read every recursive semaphore already and is not accused of recursion.
 * A read hold that another thread released stays in the list of the one that
 * took it.  So the first such release marks the semaphore FOREIGN, and from
 * then on nobody is accused on the strength of a listed read hold.
 */
#include "core/core.h"

/* In flags_, above what the user gives. */
#define FOREIGN (UINT32_C(1) << 31)

/* ---- The list ---- */

enum { HELD_MAX = sizeof((struct rwi_record *)0)->held / sizeof(uintptr_t) };

static uintptr_t entry_of(const rwsem_t *sem, enum rwi_kind kind)
{
	return (uintptr_t)sem | (kind == RWI_WRITE);
}

/* The place of an entry, of a free one for 0; null if there is none. */
static uintptr_t *find(struct rwi_record *self, uintptr_t entry)
{
	for (int i = 0; i < HELD_MAX; i++)
		if (self->held[i] == entry)
			return &self->held[i];
	return NULL;
}

static bool holds(const rwsem_t *sem, enum rwi_kind kind)
{
	return find(rwi_thread_record(), entry_of(sem, kind)) != NULL;
}

static void enter(const rwsem_t *sem, enum rwi_kind kind)
{
	struct rwi_record *self = rwi_thread_record();
	uintptr_t *place = find(self, 0);

	if (place)
		*place = entry_of(sem, kind);
	else
		self->held_overflow++;
}

static void leave(const rwsem_t *sem, enum rwi_kind kind)
{
	struct rwi_record *self = rwi_thread_record();
	uintptr_t *place = find(self, entry_of(sem, kind));

	if (place)
		*place = 0;
	else if (self->held_overflow)
		self->held_overflow--;
}

/* ---- Messages ---- */

struct text {
	char bytes[400];
	size_t length;
};

static void add(struct text *t, const char *s)
{
	while (*s && t->length < sizeof t->bytes - 1)
		t->bytes[t->length++] = *s++;
	t->bytes[t->length] = 0;
}

static void add_number(struct text *t, uint64_t n, unsigned base, int digits)
{
	char buffer[24];
	int at = sizeof buffer - 1;

	buffer[at] = 0;
	do
		buffer[--at] = "0123456789abcdef"[n % base];
	while ((n /= base) || (int)sizeof buffer - 1 - at < digits);
	add(t, buffer + at);
}

static void add_state(struct text *t, const rwsem_t *sem)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} bits[] = {
		{ RWI_QUEUED, ", queued" },
		{ RWI_WOKEN, ", woken" },
		{ RWI_HANDOFF, ", hand-off" },
		{ RWI_WPEND, ", writer pending" },
		{ RWI_CHECKED, ", checked" },
	};
	const uint64_t s = rwi_load_relaxed(fault, &sem->word_);
	const uint32_t owner = rwi_load_relaxed(fault_owner, &sem->owner_);

	add(t, "semaphore 0x");
	add_number(t, (uintptr_t)sem, 16, 1);
	add(t, ", word 0x");
	add_number(t, s, 16, 16);
	if (s & RWI_WRITER) {
		add(t, " (written");
		if (owner) {
			add(t, " by thread ");
			add_number(t, owner, 10, 1);
		}
	} else if (rwi_readers(s)) {
		add(t, " (read holds ");
		add_number(t, rwi_readers(s), 10, 1);
	} else {
		add(t, " (free");
	}
	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		if (s & bits[i].bit)
			add(t, bits[i].name);
	add(t, "), thread ");
	add_number(t, rwi_thread_id(), 10, 1);
}

_Noreturn void rwi_fault(const rwsem_t *sem, const char *what)
{
	struct text t = { .length = 0 };

	add(&t, "rwsem: ");
	add(&t, what);
	add(&t, ": ");
	add_state(&t, sem);
	rwi_panic(t.bytes);
}

/* ---- Checks ---- */

static void at_thread_exit(void *record)
{
	struct rwi_record *self = record;

	for (int i = 0; i < HELD_MAX; i++)
		if (self->held[i] & 1)
			rwi_fault((const rwsem_t *)(self->held[i] - 1),
				  "thread ends while it holds for writing");
}

static void accuse_recursion(const rwsem_t *sem, enum rwi_kind kind)
{
	const bool write = kind == RWI_WRITE;

	if (holds(sem, RWI_WRITE))
		rwi_fault(sem, write ? "down_write: this thread writes already"
				     : "down_read: this thread writes already");
	if (!holds(sem, RWI_READ) || rwi_has_flag(sem, FOREIGN))
		return;
	if (write)
		rwi_fault(sem, "down_write: this thread reads already");
	if (!rwi_has_flag(sem, RWSEM_RECURSIVE_READ))
		rwi_fault(sem, "down_read: this thread reads already");
}

enum rwi_turn rwi_check_down(const rwsem_t *sem, enum rwi_kind kind,
			     enum rwi_turn turn, const struct rwi_how *how)
{
	const struct rwi_record *self = rwi_thread_record();
	const bool recursive = kind == RWI_READ && how->owned &&
			       rwi_has_flag(sem, RWSEM_RECURSIVE_READ) &&
			       (holds(sem, RWI_READ) || self->held_overflow);

	if (rwi_has_flag(sem, RWSEM_DEBUG) && turn != RWI_TRY)
		accuse_recursion(sem, kind);
	if (how->owned) {
		if (rwi_has_flag(sem, RWSEM_DEBUG) && kind == RWI_WRITE)
			rwi_thread_at_exit(at_thread_exit);
		/*
		 * Before the acquisition, so that no moment of it finds a
		 * handler of this thread without the entry.
		 */
		enter(sem, kind);
	}
	return recursive ? RWI_EXEMPT : turn;
}

void rwi_check_acquired(rwsem_t *sem, enum rwi_kind kind)
{
	if (kind == RWI_WRITE)
		rwi_store_relaxed(acquired, &sem->owner_, rwi_thread_id());
}

void rwi_check_failed(const rwsem_t *sem, enum rwi_kind kind,
		      const struct rwi_how *how)
{
	if (how->owned)
		leave(sem, kind);
}

void rwi_check_writer(const rwsem_t *sem, const char *what)
{
	const struct rwi_record *self = rwi_thread_record();

	/* In a forked child the same thread has another id, but its books. */
	if (rwi_load_relaxed(owner, &sem->owner_) != rwi_thread_id() &&
	    !holds(sem, RWI_WRITE) && !self->held_overflow)
		rwi_fault(sem, what);
}

void rwi_check_up(rwsem_t *sem, enum rwi_kind kind, bool owned)
{
	const struct rwi_record *self = rwi_thread_record();
	const uint64_t s = rwi_load_relaxed(up, &sem->word_);

	if (kind == RWI_READ) {
		if (!rwi_readers(s))
			rwi_fault(sem, "up_read: not held for reading");
		if (owned && !holds(sem, RWI_READ) && !self->held_overflow)
			rwi_fetch_or_relaxed(up, &sem->flags_, FOREIGN);
		return;
	}
	if (!(s & RWI_WRITER))
		rwi_fault(sem, "up_write: not held for writing");
	if (rwi_has_flag(sem, RWSEM_DEBUG))
		rwi_check_writer(sem, "up_write: another thread writes");
	rwi_store_relaxed(up, &sem->owner_, 0);
}

/* After the release: *sem may be gone, and its address is all that is used. */
void rwi_check_released(const rwsem_t *sem, enum rwi_kind kind)
{
	leave(sem, kind);
}

void rwi_check_downgrade(rwsem_t *sem)
{
	if (!(rwi_load_relaxed(downgrade, &sem->word_) & RWI_WRITER))
		rwi_fault(sem, "downgrade_write: not held for writing");
	if (rwi_has_flag(sem, RWSEM_DEBUG))
		rwi_check_writer(sem, "downgrade_write: another thread writes");
	rwi_store_relaxed(downgrade, &sem->owner_, 0);
	enter(sem, RWI_READ);
	leave(sem, RWI_WRITE);
}

void rwi_check_destroy(const rwsem_t *sem)
{
	if (rwi_load_relaxed(destroy, &sem->word_) & ~RWI_CHECKED)
		rwi_fault(sem, "destroy: held or waited for");
}
