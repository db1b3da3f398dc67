#!/bin/sh
# SPDX-License-Identifier: MIT
# A record is complete and valid, tables come from it alone, and a lock that
# is broken makes the run fail.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

# made_up PAIRS: all windows of the record had so many pairs in a second.
made_up() {
	sed "s/\"\\(reads\\|writes\\)\": [0-9]*/\"\\1\": $1/
		s/seconds\": .*,/seconds\": 1.0,/" "$dir/record" >"$dir/made_up"
}

# What runs by default; claims that hold, and one that does not.
run 0 bench --rounds 2 --seconds 0.002 --json "$dir/record"
complained '^rwsem bench: .* about '
cp "$dir/out" "$dir/tables"
json 12 "$dir/record" tests
locks=$("$json_get" "$dir/record" locks)
[ "$locks" -ge 7 ] || fail "$locks locks"
json lockless "$dir/record" locks $((locks - 1)) name
json $((2 * (12 * (locks - 1) + 2))) "$dir/record" windows
json 24 "$dir/record" canaries
json true "$dir/record" complete
json ro8 "$dir/record" tests 3 name
json 9 "$dir/record" windows $((2 * (12 * (locks - 1) + 2) - 1)) by_thread
for key in cpu kernel libc compiler cpus; do
	"$json_get" "$dir/record" machine $key >/dev/null ||
		fail "the machine has no $key"
done
for line in "$("$json_get" "$dir/record" machine kernel)" '^  canary: '; do
	[ "$(grep -c "$line" "$dir/tables")" -ge 13 ] ||
		fail "not every table has '$line'"
done
made_up 1000
run 0 bench --show "$dir/made_up"
said '^Claims about rwsem: [0-9]* met, [0-9]* missed, [0-9]* that this machine misses without a lock, [0-9]* not measured$'
said '^  wo2  *at least 0.600 of w1  *1.00 (1.00..1.00)  met$'
said '^  writer  *at least 100 k/s  *1.00 (1.00..1.00)  MISSED$'

# The same tables from the record, whatever made it.
run 0 bench --show "$dir/record"
cmp "$dir/out" "$dir/tables" || fail "--show prints other tables"
run 0 bench --tests r1 --locks mutex --rounds 1 --seconds 0.002 --json -
cp "$dir/out" "$dir/record"
json 1 "$dir/record" windows
made_up 12300000
run 0 bench --show "$dir/made_up"
said '^  mutex  12.3 (12.3..12.3)$'
! grep -q 'Claims' "$dir/out" || fail "claims about a chosen test"

# The canary tells a disturbed run.
for ratio in 1.0 2.0; do
	sed "s/\"ratio\": .*,/\"ratio\": $ratio,/" "$dir/record" >"$dir/made_up"
	run 0 bench --show "$dir/made_up"
	said '^  canary: [12].00 ('
	disturbed=$(grep -c '1 of 1 DISTURBED' "$dir/out") || :
	[ "$ratio $disturbed" = '1.0 1' ] || [ "$ratio $disturbed" = '2.0 0' ] ||
		fail "canary $ratio: $disturbed disturbed"
done

# Ratios to another baseline; the lines section; other numbers of threads.
run 0 bench --tests 2:1 --locks mutex,rwsem --baseline mutex --rounds 1 \
	--seconds 0.01 --section lines --no-pin --json "$dir/record"
made_up 1000
run 0 bench --show "$dir/made_up"
said '^2:1: 2 readers, 1 writer; not pinned'
said 'section: lines$'
said 'x mutex'
said '^  rwsem .* 50.0 .* 1.00 (1.00..1.00)'

# The mix: both loads in one table, and the pauses' own time.
run 0 bench --tests mix/2/1/0:1,mix/2/10/0:1,mix/2/3/2:1 --locks mutex \
	--rounds 1 --seconds 0.01 --json "$dir/record"
json 2 "$dir/record" tests 2 turn 0
json 10 "$dir/record" tests 1 amount
made_up 1000000
sed 's/"pause_ns": [0-9.e-]*/"pause_ns": 20.0/' "$dir/made_up" >"$dir/record"
run 0 bench --show "$dir/record"
said 'load 1: ms/M .* load 10: ms/M'
said '^  mutex  *500 (500..500)  *25.0  *500 (500..500)  *2.50$'
[ "$(grep -c '^mix/' "$dir/out")" -eq 2 ] || fail "a table for each load"

# Waits and shares of both sides, with and without a lock.
run 0 bench --tests waits/rw4,reader2 --locks rwsem --rounds 1 \
	--seconds 0.05 --yield --shared-counters --json "$dir/record"
json lines "$dir/record" tests 0 section
json 250ns "$dir/record" tests 1 section
[ "$("$json_get" "$dir/record" windows 0 read_waits count)" -gt 0 ] ||
	fail "nobody waited"
for line in 'section: lines and yield, shared counters$' \
	'^  waits of readers:$' '^  waits of writers:$' \
	'^  lockless ' '^  lock .* p99.9 us .* max us .* least share ' \
	'^  lock  *k reads/s  *k writes/s  *of their rate alone$'; do
	said "$line"
done

# Tests that bring conditions of their own.
run 0 bench --tests 2001/2:1,rw-aa,2001/rw-aa,2:1 --locks mutex --rounds 1 \
	--seconds 0.01 --json "$dir/record"
i=0
for conditions in 'true false' 'false true' 'true true' 'false false'; do
	json "${conditions% *}" "$dir/record" tests $i shared_counters
	json "${conditions#* }" "$dir/record" tests $i yield
	i=$((i + 1))
done
json 31 "$dir/record" tests 1 readers
json 16 "$dir/record" tests 2 writers
said 'section: empty, shared counters$'
said 'section: empty and yield$'
said 'section: empty and yield, shared counters$'

run 0 bench --list
said '^  lineage '
said '^  r1, '
said '^  headline '
said '^  lines '

# A writer beside readers is seen, by shared counters as well.
broken
for check in '--section 150ns' '--shared-counters --yield'; do
	# shellcheck disable=SC2086 # words
	run 1 bench --tests 2:2 --locks busted-exclusion,rmw-pair $check \
		--rounds 3 --seconds 0.2 --json "$dir/record"
	said '^  busted-exclusion .* WRONG RESULT$'
	complained '^rwsem: results are wrong'
	[ "$(grep -c WRONG "$dir/out")" -eq 1 ] || fail "the floor is wrong, too"
done
