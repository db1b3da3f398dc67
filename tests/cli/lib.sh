# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # variables are for the tests
# What the tests of the command share: $rwsem is the program, $json_get reads
# JSON, $dir is a folder that goes away.
set -eu
rwsem=$1
json_get=$2
patience=${RWI_PATIENCE:-1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset NO_COLOR

# broken: what follows uses a broken lock.  It has races, which a sanitizer would
# report with a status of its own.
broken() {
	TSAN_OPTIONS="report_bugs=0 ${TSAN_OPTIONS:-}"
	export TSAN_OPTIONS
}

fail() {
	echo "$*"
	if [ -e "$dir/err" ]; then
		echo "standard output:"
		cat "$dir/out"
		echo "standard error:"
		cat "$dir/err"
	fi
	exit 1
}

# run STATUS ARGUMENT...: the command ends with that status; what it said is
# in $dir/out and $dir/err.
run() {
	expected=$1
	shift
	status=0
	"$rwsem" "$@" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
	[ "$status" -eq "$expected" ] ||
		fail "rwsem $*: status $status, not $expected"
}

# said PATTERN, complained PATTERN: in standard output, in standard error.
said() {
	grep -q -e "$1" "$dir/out" || fail "standard output has no '$1'"
}
complained() {
	grep -q -e "$1" "$dir/err" || fail "standard error has no '$1'"
}

# json VALUE FILE KEY...: the JSON has this value there.
json() {
	expected=$1
	shift
	found=$("$json_get" "$@") || fail "json_get $*: $found"
	[ "$found" = "$expected" ] || fail "$*: '$found', not '$expected'"
}
