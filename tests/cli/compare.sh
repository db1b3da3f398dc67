#!/bin/sh
# SPDX-License-Identifier: MIT
# Two records side by side: better, worse, the same, or no judgement.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

# record NAME PAIRS: a record in which each window had so many in a second, on
# a machine that did nothing else.
record() {
	sed "s/\"\\(reads\\|writes\\)\": [0-9]*/\"\\1\": $2/
		s/\"ratio\": .*,/\"ratio\": 2.0,/
		s/seconds\": .*,/seconds\": 1.0,/" "$dir/measured" >"$dir/$1"
}

run 0 bench --tests r1,mix/2/1/0:1,writer2 --locks mutex --rounds 3 \
	--seconds 0.01 --json "$dir/measured"
record old 1000000
record more 2000000
record few 990000
run 0 bench --compare "$dir/old" "$dir/more"
said '^Old, '
said '^New, '
said '^  r1  *mutex  *M reads/s  *1.00 (1.00..1.00)  *2.00 (2.00..2.00)  *2.00  better$'
said '^  mix/2/1/0:1  *mutex  *ms/M pairs .* 0.500  better$'
said '^  writer2  *mutex  *longest wait, us .* same$'
run 0 bench --compare "$dir/more" "$dir/old"
said '^  r1 .* 0.500  worse$'
said '^  mix/2/1/0:1 .* 2.00  worse$'
run 0 bench --compare "$dir/old" "$dir/few"
said '^  r1 .* 0.990  same$'
[ "$(grep -c 'better\|worse' "$dir/out")" -eq 0 ] || fail "a little is much"

# Other measurements are not compared, and few rounds not judged.
run 0 bench --tests r1 --locks mutex --rounds 1 --seconds 0.01 \
	--json "$dir/short"
run 0 bench --compare "$dir/old" "$dir/short"
said '^  r1 .* too few rounds$'
run 0 bench --tests r1 --locks mutex --rounds 3 --seconds 0.01 \
	--section lines --json "$dir/lines"
run 0 bench --compare "$dir/old" "$dir/lines"
said '^  left out: r1: measured in different ways$'
! grep -q '^  r1 ' "$dir/out" || fail "compares them nevertheless"
run 0 bench --tests r1 --locks mutex --rounds 3 --seconds 0.01 \
	--yield --json "$dir/yield"
run 2 bench --compare "$dir/old" "$dir/yield"
complained '^rwsem: --compare: .* --yield'
