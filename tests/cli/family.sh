#!/bin/sh
# SPDX-License-Identifier: MIT
# The family has every design with a debt and every debt, as text that fits
# anywhere and as a picture that needs nothing else.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

# flat FILE: its words without the line breaks, bars and years of the tree.
flat() {
	sed -E 's/^(ours|[0-9]{4})?[ |`-]*//' "$1" | tr '\n' ' '
}

run 0 list --json
cp "$dir/out" "$dir/json"
run 0 list --family
cp "$dir/out" "$dir/tree"
! grep -n '[^ -~]' "$dir/tree" || fail "not plain ASCII"
! grep -n '.\{81\}' "$dir/tree" || fail "more than 80 columns"
! grep -n ' $' "$dir/tree" || fail "blanks at the end of a line"
flat "$dir/tree" >"$dir/flat"
run 0 list --svg -
cp "$dir/out" "$dir/svg"
run 0 list --family --svg "$dir/again"
[ ! -s "$dir/out" ] || fail "text beside the picture"
cmp "$dir/svg" "$dir/again" || fail "not the same picture again"

debts=0
i=0
while name=$("$json_get" "$dir/json" $i name 2>/dev/null); do
	k=0
	while to=$("$json_get" "$dir/json" $i owes $k to 2>/dev/null); do
		what=$("$json_get" "$dir/json" $i owes $k what)
		grep -q "^\(ours\|[0-9]\{4\}\).*[ -]$name\(:\|\$\)" \
			"$dir/tree" || fail "the tree lacks $name"
		grep -qF "$what" "$dir/flat" ||
			fail "the tree lacks '$what' of $name"
		grep -q ">$name</text></g>\$" "$dir/svg" ||
			fail "the picture lacks $name"
		if grep -q "\"name\": \"$to\"" "$dir/json"; then
			grep -q ">$to</text></g>\$" "$dir/svg" ||
				fail "the picture lacks $to"
			debts=$((debts + 1))
		fi
		k=$((k + 1))
	done
	i=$((i + 1))
done
[ "$(grep -c '^<circle ' "$dir/svg")" -eq $debts ] ||
	fail "the picture has not $debts edges"

# The years of each branch go on, and so do those of the roots.
awk '/^(ours|[0-9]{4})/ {
	year = $1 == "ours" ? 9999 : $1
	match($0, /[a-z]/)
	depth = $1 == "ours" ? index(substr($0, 5), "rwsem") + 4 : RSTART
	if (depth in last && last[depth] > year)
		exit 1
	for (d in last)
		if (d + 0 > depth)
			delete last[d]
	last[depth] = year
}' "$dir/tree" || fail "years go back"

# Elements nest, nothing is fetched, and there are colours for dark surroundings.
tr -d '\n' <"$dir/svg" | sed 's/</\n</g' | awk '
/^$/ { next }
/^<\// {
	name = substr($0, 3)
	sub(/>.*/, "", name)
	if (stack[depth--] != name) exit 1
	next
}
/^<[a-z]/ && !/^<[^>]*\/>/ {
	name = substr($0, 2)
	sub(/[ >].*/, "", name)
	stack[++depth] = name
}
END { exit depth != 0 }' || fail "the elements of the picture do not nest"
! grep -n 'href\|url(\|@import\|<script' "$dir/svg" || fail "not self-contained"
grep -q 'prefers-color-scheme:dark' "$dir/svg" || fail "no dark colours"

run 3 list --svg "$dir/no/such/folder"
complained '^rwsem: .*no/such/folder'
