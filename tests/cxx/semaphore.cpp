/* SPDX-License-Identifier: MIT */
/* rwsem::semaphore is a mutex to the standard library, and can downgrade. */
#include "rwsem/rwsem.hpp"

#include "support/t.h"

#include <condition_variable>
#include <type_traits>

using rwsem::semaphore;

static_assert(std::is_nothrow_default_constructible_v<semaphore>);
static_assert(std::is_constructible_v<semaphore, unsigned>);
static_assert(!std::is_convertible_v<unsigned, semaphore>);
static_assert(!std::is_copy_constructible_v<semaphore>);
static_assert(!std::is_move_constructible_v<semaphore>);
static_assert(!std::is_copy_assignable_v<semaphore>);
static_assert(!std::is_move_assignable_v<semaphore>);
static_assert(std::is_standard_layout_v<semaphore>);
static_assert(sizeof(semaphore) == sizeof(rwsem_t));

namespace
{

enum { THREADS = 4, ROUNDS = 3000 };

/* Constant-initialised: usable by constructors that run before it would. */
semaphore global;

/* Can another thread have it in this mode, now? */
struct probe {
	semaphore *sem;
	bool write, read;
};

void try_both(void *arg)
{
	probe *p = static_cast<probe *>(arg);

	p->write = p->sem->try_lock();
	if (p->write)
		p->sem->unlock();
	p->read = p->sem->try_lock_shared();
	if (p->read)
		p->sem->unlock_shared();
}

void expect(semaphore &sem, bool write, bool read)
{
	probe p = { &sem, false, false };

	t_threads(1, try_both, &p);
	t_join();
	t_eq(p.write, write);
	t_eq(p.read, read);
}

} // namespace

T_TEST(guards_of_the_standard_library)
{
	semaphore sem;

	expect(sem, true, true);
	{
		std::unique_lock writer(sem);

		expect(sem, false, false);
		t_true(writer.owns_lock());
	}
	{
		std::shared_lock one(sem), two(sem, std::try_to_lock);

		t_true(two.owns_lock());
		expect(sem, false, true);
	}
	{
		std::lock_guard writer(sem);

		expect(sem, false, false);
	}
	{
		std::unique_lock writer(sem, std::try_to_lock);

		t_true(writer.owns_lock());
		expect(sem, false, false);
		writer.unlock();
		expect(sem, true, true);
	}
	expect(sem, true, true);
}

T_TEST(flags)
{
	semaphore sem(RWSEM_PREFER_WRITERS | RWSEM_DEBUG);
	bool thrown = false;

	expect(sem, true, true);
	try {
		semaphore bad(RWSEM_PROCESS_SHARED);
	} catch (const std::system_error &error) {
		thrown = error.code() == std::errc::invalid_argument;
	}
	t_true(thrown);
}

T_TEST(native_handle)
{
	const semaphore::native_handle_type sem = global.native_handle();

	t_false(rwsem_is_locked(sem));
	global.lock();
	t_true(rwsem_is_locked(sem));
	rwsem_up_write(sem);
	expect(global, true, true);
}

T_TEST(downgrade)
{
	semaphore sem;
	std::unique_lock writer(sem);
	bool thrown = false;

	{
		std::shared_lock reader = rwsem::downgrade(std::move(writer));

		t_false(writer.owns_lock());
		t_true(reader.owns_lock());
		expect(sem, false, true);
	}
	expect(sem, true, true);
	try {
		auto none = rwsem::downgrade(std::move(writer));
	} catch (const std::system_error &error) {
		thrown = error.code() == std::errc::operation_not_permitted;
	}
	t_true(thrown);
	sem.lock();
	sem.downgrade();
	expect(sem, false, true);
	sem.unlock_shared();
}

/* ---- Two at once ---- */

static struct {
	semaphore left, right;
	unsigned long a = 0, b = 0;
} pair;

static void lock_both_ways(void *)
{
	for (unsigned i = 0; i < t_rounds(ROUNDS); i++) {
		if (i % 2) {
			std::lock(pair.left, pair.right);
			pair.a++;
			pair.b++;
			pair.left.unlock();
			pair.right.unlock();
		} else {
			std::scoped_lock both(pair.right, pair.left);

			pair.a++;
			pair.b++;
		}
		std::shared_lock left(pair.left, std::defer_lock);
		std::shared_lock right(pair.right, std::defer_lock);

		std::lock(right, left);
		t_eq(pair.a, pair.b);
	}
}

T_TEST(std_lock_takes_two_without_deadlock)
{
	t_threads(THREADS, lock_both_ways, nullptr);
	t_join();
	t_eq(pair.a, THREADS * t_rounds(ROUNDS));
	t_eq(pair.b, THREADS * t_rounds(ROUNDS));
}

/* ---- Conditions ---- */

static struct {
	semaphore sem;
	std::condition_variable_any changed;
	unsigned stage = 0, seen = 0;
} stages;

static void await_stages_reading(void *)
{
	for (unsigned i = 1; i <= 50; i++) {
		std::shared_lock reader(stages.sem);

		t_doing("wait for a condition, reading");
		stages.changed.wait(reader, [i] { return stages.stage >= i; });
		t_doing(nullptr);
		t_true(reader.owns_lock());
	}
}

static void await_stages_writing(void *)
{
	for (unsigned i = 1; i <= 50; i++) {
		std::unique_lock writer(stages.sem);

		t_doing("wait for a condition, writing");
		stages.changed.wait(writer, [i] { return stages.stage >= i; });
		t_doing(nullptr);
		stages.seen++;
	}
}

T_TEST(condition_variable_any_in_both_modes)
{
	t_threads(2, await_stages_reading, nullptr);
	t_threads(2, await_stages_writing, nullptr);
	for (unsigned i = 1; i <= 50; i++) {
		{
			std::unique_lock writer(stages.sem);

			stages.stage = i;
		}
		stages.changed.notify_all();
		if (i % 8 == 0)
			t_pause();
	}
	t_join();
	t_eq(stages.seen, 100);
}
