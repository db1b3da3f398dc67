/* SPDX-License-Identifier: MIT */
#include "tools/lib/family.h"

#include "tools/lib/cli.h"

#include <limits.h>
#include <string.h>

int rwi_family_year(const struct rwi_design *design)
{
	return design->year ? design->year : INT_MAX;
}

unsigned rwi_family_debts(const struct rwi_design *design)
{
	unsigned n = 0;

	while (n < RWI_DEBTS_MAX && design->owes[n].to)
		n++;
	return n;
}

static bool owes(const struct rwi_design *debtor, const char *name)
{
	for (unsigned i = 0; i < rwi_family_debts(debtor); i++)
		if (!strcmp(debtor->owes[i].to, name))
			return true;
	return false;
}

static bool belongs(const struct rwi_design *design)
{
	const struct rwi_design *const *d = rwi_designs;

	if (design->year || rwi_family_debts(design))
		return true;
	while (*d && !owes(*d, design->name))
		d++;
	return *d != NULL;
}

/* Behind all that are as old. */
static void insert(struct rwi_family *f, const struct rwi_design *design)
{
	const int year = rwi_family_year(design);
	size_t i = f->count++;

	for (; i && rwi_family_year(f->members[i - 1]) > year; i--)
		f->members[i] = f->members[i - 1];
	f->members[i] = design;
}

void rwi_family_read(struct rwi_family *family)
{
	family->count = 0;
	for (const struct rwi_design *const *d = rwi_designs; *d; d++) {
		if (!belongs(*d))
			continue;
		if (family->count == RWI_FAMILY_MAX)
			rwi_fatal("more than %d designs", RWI_FAMILY_MAX);
		insert(family, *d);
	}
}

size_t rwi_family_place(const struct rwi_family *family, const char *name)
{
	size_t i = 0;

	while (i < family->count && strcmp(family->members[i]->name, name) != 0)
		i++;
	return i;
}

size_t rwi_family_line(const char *text, size_t room, const char **next)
{
	size_t length = strcspn(text, " ");

	for (size_t i = length; text[i]; i += strcspn(text + i, " ")) {
		i++;
		if (i + strcspn(text + i, " ") > room)
			break;
		length = i + strcspn(text + i, " ");
	}
	*next = text + length + strspn(text + length, " ");
	return length;
}
