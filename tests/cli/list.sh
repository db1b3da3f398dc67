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
[ "$(cat "$dir/columns")" = 12 ] || fail "rows of Markdown differ in length"
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

# What each is and from when: the same in all forms.
run 0 list
said '^  glibc-prefer-writers  *2017 '
said '^  rwsem  *-  *32  *bounded, '
run 0 list --markdown
said '^| lock | year | bytes | traits | origin | operations | readers at most '
said '^| rwsem | - | 32 | .* | rwsem.c | '
json 2017 "$dir/json" "$(($(grep -nx glibc "$dir/text" | cut -d : -f 1) - 1))" \
	year
json null "$dir/json" 0 year
json rwsem.c "$dir/json" 0 file
json bounded "$dir/json" 0 traits 0
"$json_get" "$dir/json" 0 owes 0 what >/dev/null || fail "rwsem owes nobody"

for name in rwsem rwsem-inline mutex rmw-pair busted-wakeup; do
	grep -qx "$name" "$dir/text" || fail "no $name"
done
