#!/bin/sh
# SPDX-License-Identifier: MIT
# A record is complete and valid, tables come from it alone, and a lock that
# is broken makes the run fail.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

run 0 bench --rounds 2 --seconds 0.002 --json "$dir/record"
complained '^rwsem bench: .* about '
cp "$dir/out" "$dir/tables"
tests=$("$json_get" "$dir/record" tests)
locks=$("$json_get" "$dir/record" locks)
[ "$tests" -eq 6 ] || fail "$tests tests"
[ "$locks" -ge 6 ] || fail "$locks locks"
json $((2 * tests * locks)) "$dir/record" windows
json true "$dir/record" complete
json rw "$dir/record" tests 5 name
json 6 "$dir/record" windows $((2 * tests * locks - 1)) threads
for key in cpu kernel libc compiler cpus; do
	"$json_get" "$dir/record" machine $key >/dev/null ||
		fail "the machine has no $key"
done
[ "$(grep -c "$("$json_get" "$dir/record" machine kernel)" "$dir/tables")" \
	-eq 7 ] || fail "not every table names the machine"

# The same tables from the record, whatever made it.
run 0 bench --show "$dir/record"
cmp "$dir/out" "$dir/tables" || fail "--show prints other tables"
run 0 bench --tests r1 --locks mutex --rounds 1 --seconds 0.002 --json -
cp "$dir/out" "$dir/record"
json 1 "$dir/record" windows
sed 's/"reads": [0-9]*/"reads": 12300000/; s/seconds": .*,/seconds": 1.0,/' \
	"$dir/record" >"$dir/made_up"
run 0 bench --show "$dir/made_up"
said '^  mutex  12.3 (12.3..12.3)$'

# Ratios to another baseline; the lines section; other numbers of threads.
run 0 bench --tests 2:1 --locks mutex,rwsem --baseline mutex --rounds 1 \
	--seconds 0.01 --section lines --no-pin --json "$dir/record"
sed 's/"\(reads\|writes\)": [0-9]*/"\1": 1000/; s/seconds": .*,/seconds": 1.0,/' \
	"$dir/record" >"$dir/made_up"
run 0 bench --show "$dir/made_up"
said '^2:1: 2 readers, 1 writer; not pinned'
said 'section: lines$'
said 'x mutex'
said '^  rwsem .* 1.00 (1.00..1.00) .* 1.00 (1.00..1.00)$'

run 0 bench --list
said '^  r1 '
said '^  lines '

# A writer beside readers is seen.
broken
run 1 bench --tests 2:2 --locks busted-exclusion,rmw-pair --section work \
	--rounds 3 --seconds 0.2 --json "$dir/record"
said '^  busted-exclusion .* WRONG RESULT$'
complained '^rwsem: results are wrong'
[ "$(grep -c WRONG "$dir/out")" -eq 1 ] || fail "the floor is wrong, too"
