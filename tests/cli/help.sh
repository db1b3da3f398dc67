#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command has --help and --version, and the manual has every option.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"
page=$3

# options COMMAND: its long options are in the manual.
options() {
	grep -o -e '--[a-z-]*' "$dir/out" | sed 's/^--//' | sort -u \
		>"$dir/options"
	grep -q '^help$' "$dir/options" || fail "$1: no options in --help"
	while read -r option; do
		grep -q "Fl Fl $option\( \|$\)" "$page" ||
			fail "the manual lacks --$option of $1"
	done <"$dir/options"
}

run 0 --help
said '^Usage: rwsem \[OPTION...\] COMMAND'
options rwsem
sed -n '/^Commands:/,/^$/p' "$dir/out" | awk 'NF > 1 { print $1 }' \
	>"$dir/commands"
[ "$(wc -l <"$dir/commands")" -ge 3 ] || fail "the list of commands is short"

while read -r command; do
	run 0 "$command" --help
	said "^Usage: rwsem $command \[OPTION...\]"
	said '^Exit status: '
	options "$command"
	grep -q "^\.It Cm $command\$" "$page" || fail "the manual lacks $command"
	run 0 "$command" --version
	said '^rwsem [0-9]*\.[0-9]*\.[0-9]*$'
done <"$dir/commands"

run 0 --version
said '^rwsem [0-9]*\.[0-9]*\.[0-9]*$'
