#!/bin/sh
# SPDX-License-Identifier: MIT
# The list of locks is the same in each form, and its names are names.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

run 0 list
awk 'NR > 1 { print $1 }' "$dir/out" >"$dir/text"
run 0 list --markdown
awk -F '|' 'NR > 2 { gsub(/ /, "", $2); print $2 }' "$dir/out" >"$dir/markdown"
awk -F '|' '{ print NF }' "$dir/out" | sort -u >"$dir/columns"
[ "$(cat "$dir/columns")" = 8 ] || fail "rows of Markdown differ in length"
run 0 list --json
cp "$dir/out" "$dir/json"

cmp "$dir/text" "$dir/markdown" || fail "text and Markdown differ"
json "$(wc -l <"$dir/text")" "$dir/json"
i=0
while read -r name; do
	json "$name" "$dir/json" $i name
	i=$((i + 1))
done <"$dir/text"
[ "$(sort -u "$dir/text" | wc -l)" -eq "$i" ] || fail "a name appears twice"
for name in rwsem rwsem-inline mutex rmw-pair busted-wakeup; do
	grep -qx "$name" "$dir/text" || fail "no $name"
done
