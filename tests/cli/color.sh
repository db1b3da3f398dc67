#!/bin/sh
# SPDX-License-Identifier: MIT
# Colours appear on a terminal only, and not if NO_COLOR is set.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || {
	echo "skipped: no script(1) to make a terminal"
	exit 77
}
escape=$(printf '\033')
TERM=xterm
export TERM

# on_terminal VARIABLE=VALUE: the list on a terminal, with this set.
on_terminal() {
	env "$1" script -qec "'$rwsem' list" /dev/null </dev/null >"$dir/out"
	said '^  rwsem '
}

run 0 list
! grep -q "$escape" "$dir/out" || fail "colours in a file"
on_terminal NO_COLOR=
said "$escape\[1m"
on_terminal NO_COLOR=1
! grep -q "$escape" "$dir/out" || fail "colours in spite of NO_COLOR"
on_terminal TERM=dumb
! grep -q "$escape" "$dir/out" || fail "colours on a dumb terminal"
