#!/bin/sh
# SPDX-License-Identifier: MIT
# torture.sh RWSEM JSON_GET LOCK [FAULT]: the torture catches a broken lock, or
# finds nothing wrong with a good one.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"
lock=$3
fault=${4:-}

if [ "$fault" ]; then
	broken
	run 1 torture --locks "$lock" --seconds 30 --stuck $((2 * patience)) \
		--json "$dir/record"
	said "$fault"
	verdict=FAILURE success=false
else
	run 0 torture --locks "$lock" --seconds 2 --stuck $((5 * patience)) \
		--json "$dir/record"
	verdict=SUCCESS success=true
	json 0 "$dir/record" locks 0 faults
fi
[ "$(tail -n 1 "$dir/out")" = $verdict ] || fail "the last line is no $verdict"
json "$lock" "$dir/record" locks 0 lock
json $success "$dir/record" locks 0 success
# At the least, all threads did something before it was over.
for side in reads writes; do
	[ "$("$json_get" "$dir/record" locks 0 $side total)" -gt 0 ] ||
		fail "no $side"
done
