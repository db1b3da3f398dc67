/* SPDX-License-Identifier: MIT */
/*
 * The registry can be believed: names are names and appear once, every design
 * says where it comes from, and it took things only from designs that are
 * there and were there before it.
 */
#include "support/designs.h"

#include <limits.h>
#include <string.h>

typedef const struct rwi_design *const list;

static const struct rwi_design *find(list *all, const char *name)
{
	while (*all && strcmp((*all)->name, name) != 0)
		all++;
	return *all;
}

static int year(const struct rwi_design *d)
{
	return d->year ? d->year : INT_MAX;
}

static bool blank(const char *text)
{
	return !text || !*text || strchr(text, '\n');
}

/* Does it owe `to` in so many steps or fewer? */
static bool leads_to(list *all, const struct rwi_design *from,
		     const struct rwi_design *to, unsigned steps)
{
	for (unsigned i = 0; steps && i < RWI_DEBTS_MAX; i++) {
		const char *name = from->owes[i].to;
		const struct rwi_design *next = name ? find(all, name) : NULL;

		if (next && (next == to || leads_to(all, next, to, steps - 1)))
			return true;
	}
	return false;
}

static const char *fault_of_debt(list *all, const struct rwi_design *d,
				 unsigned place)
{
	enum { STEPS = 64 };
	const struct rwi_debt *debt = &d->owes[place];
	const struct rwi_design *to;

	if (!debt->to)
		return debt->what ? "a debt to nobody" : NULL;
	if (place && !d->owes[place - 1].to)
		return "a gap between debts";
	to = find(all, debt->to);
	if (!to)
		return "a debt to a design that is not there";
	if (blank(debt->what))
		return "a debt of nothing";
	if (year(to) > year(d))
		return "a debt to a later design";
	if (to == d || leads_to(all, to, d, STEPS))
		return "a debt in a circle";
	for (unsigned i = 0; i < place; i++)
		if (!strcmp(d->owes[i].to, debt->to))
			return "two debts to one design";
	return NULL;
}

/* What is wrong with the design at *d, or null. */
static const char *fault(list *all, list *d)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	const char *name = (*d)->name, *text = NULL;

	if (!*name || name[strspn(name, letters)] || *name == '-')
		return "a name that is none";
	if (find(all, name) != *d)
		return "a name that appears twice";
	if (blank((*d)->summary) || blank((*d)->origin))
		return "no summary or no origin";
	if (!(*d)->file || strchr((*d)->file, '/'))
		return "no file";
	if ((*d)->year && ((*d)->year < 1965 || (*d)->year > 2100))
		return "a year that is none";
	for (unsigned i = 0; !text && i < RWI_DEBTS_MAX; i++)
		text = fault_of_debt(all, *d, i);
	return text;
}

T_TEST(registry_is_sound)
{
	size_t debts = 0;

	for (list *d = rwi_designs; *d; d++) {
		const char *text = fault(rwi_designs, d);

		if (text)
			t_fail("%s: %s", (*d)->name, text);
		for (unsigned i = 0; i < RWI_DEBTS_MAX; i++)
			debts += (*d)->owes[i].to != NULL;
	}
	t_say("%zu debts\n", debts);
}

/* ---- Each fault is seen ---- */

#define GOOD(named) .name = (named), .summary = "s", .origin = "o", .file = "f"

static void expect(const char *what, struct rwi_design last)
{
	static const struct rwi_design first = { GOOD("first"), .year = 1971 };
	static const struct rwi_design loop = { GOOD("loop"), .year = 1990,
						.owes = { { "last", "x" } } };
	list all[] = { &first, &loop, &last, NULL };
	const char *text = fault(all, &all[2]);

	if (!what != !text || (what && strcmp(what, text) != 0))
		t_fail("'%s' and not '%s'", text ? text : "nothing",
		       what ? what : "nothing");
}

T_TEST(faults_are_seen)
{
	expect(NULL, (struct rwi_design){ GOOD("last"), .year = 1990,
					  .owes = { { "first", "x" } } });
	expect("a name that is none", (struct rwi_design){ GOOD("Last") });
	expect("a name that appears twice",
	       (struct rwi_design){ GOOD("first") });
	expect("no summary or no origin",
	       (struct rwi_design){ .name = "last", .origin = "o" });
	expect("no file", (struct rwi_design){
			      .name = "last", .summary = "s", .origin = "o" });
	expect("a year that is none",
	       (struct rwi_design){ GOOD("last"), .year = 13 });
	expect(
	    "a debt to a design that is not there",
	    (struct rwi_design){ GOOD("last"), .owes = { { "frob", "x" } } });
	expect(
	    "a debt of nothing",
	    (struct rwi_design){ GOOD("last"), .owes = { { "first", "" } } });
	expect("a debt to nobody",
	       (struct rwi_design){ GOOD("last"), .owes = { { NULL, "x" } } });
	expect(
	    "a gap between debts",
	    (struct rwi_design){
		GOOD("last"), .owes = { { NULL, NULL }, { "first", "x" } } });
	expect("a debt to a later design",
	       (struct rwi_design){ GOOD("last"), .year = 1970,
				    .owes = { { "first", "x" } } });
	expect("a debt in a circle",
	       (struct rwi_design){ GOOD("last"), .year = 1990,
				    .owes = { { "loop", "x" } } });
	expect(
	    "a debt in a circle",
	    (struct rwi_design){ GOOD("last"), .owes = { { "last", "x" } } });
	expect(
	    "two debts to one design",
	    (struct rwi_design){
		GOOD("last"), .owes = { { "first", "x" }, { "first", "y" } } });
}
