/* SPDX-License-Identifier: MIT */
#include "bench/locks.h"

#include "bench/peers/peers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two lines: hardware fetches them in pairs. */
enum { OWN_LINES = 128 };
_Static_assert(RWI_LOCK_SIZE_MAX % OWN_LINES == 0, "whole lines");

const struct rwi_design *rwi_lock_at(size_t place)
{
	const struct rwi_design *const *list = rwi_designs;

	for (; *list; list++)
		if (!place--)
			return *list;
	for (list = rwi_peers; *list; list++)
		if (!place--)
			return *list;
	return NULL;
}

const struct rwi_design *rwi_lock_find(const char *name)
{
	const struct rwi_design *design;

	for (size_t i = 0; (design = rwi_lock_at(i)); i++)
		if (!strcmp(design->name, name))
			break;
	return design;
}

const char *rwi_lock_package(const char *name)
{
	const struct rwi_absent *absent = rwi_peers_absent;

	while (absent->name && strcmp(absent->name, name) != 0)
		absent++;
	return absent->package;
}

bool rwi_lock_serves(const struct rwi_design *design, unsigned readers,
		     unsigned writers)
{
	return (!readers || design->down_read) &&
	       (!writers || design->down_write);
}

bool rwi_lock_is_historic(const struct rwi_design *design)
{
	char year[16];

	snprintf(year, sizeof year, "-%d", design->year);
	return design->year && strstr(design->name, year);
}

const struct rwi_design *rwi_lock_of_libc(void)
{
	const struct rwi_design *design = rwi_lock_find("glibc");

	return design ? design : rwi_lock_find("libc");
}

void *rwi_lock_new(const struct rwi_design *design)
{
	void *lock = aligned_alloc(OWN_LINES, RWI_LOCK_SIZE_MAX);
	int error;

	if (!lock)
		return NULL;
	memset(lock, 0, RWI_LOCK_SIZE_MAX);
	error = design->init ? design->init(lock) : 0;
	if (!error)
		return lock;
	free(lock);
	errno = error;
	return NULL;
}

void rwi_lock_free(const struct rwi_design *design, void *lock)
{
	if (design->destroy)
		design->destroy(lock);
	free(lock);
}
