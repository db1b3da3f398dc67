#!/bin/sh
# SPDX-License-Identifier: MIT
# What the authors measured runs again: the record is complete, the messages'
# numbers stand beside ours, claims get a verdict, and a broken lock makes the
# run fail.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

# A name may stand for several parts.
run 0 seed --list
for part in 2001 2001-mmap 2005; do
	said "^  $part  *[A-Z].*linux-kernel, "
done

# All of it, in shortened sizes, in a quarter of an hour; an interrupt keeps
# what there is.
"$rwsem" seed all --progress >"$dir/out" 2>"$dir/err" </dev/null &
pid=$!
tries=$((300 * patience))
while ! grep -q '^ *[0-9]* %' "$dir/err"; do
	tries=$((tries - 1))
	[ "$tries" -gt 0 ] || fail "no progress"
	sleep 0.1
done
kill -TERM $pid
status=0
wait $pid || status=$?
[ "$status" -eq 130 ] || fail "status $status, not 130"
complained '^rwsem seed: 2001, .* in shortened sizes: about '
minutes=$(sed -n 's/^rwsem seed: .* about \([0-9]*\) min.*/\1/p' "$dir/err")
[ "${minutes:-0}" -lt 15 ] || fail "all parts take $minutes minutes"
said '^Not complete'
said '^2005: '

# Numbers, with and without a lock, and one lock that does not exclude.
broken
run 1 seed 2001-mmap --locks rwsem,none,busted-exclusion --rounds 2 \
	--json "$dir/record"
complained '^rwsem: 2001-mmap, 50x500, lock busted-exclusion: '
complained '^rwsem: results are wrong'
said '^  WRONG: 50x500, busted-exclusion: '
said '^  50x500  *[0-9.]* +-[0-9.]*%  *[0-9.]* +-[0-9.]*%$'
cp "$dir/out" "$dir/tables"
json true "$dir/record" complete
json 1 "$dir/record" parts
# Who failed is not run again.
json 5 "$dir/record" parts 0 runs
json 3 "$dir/record" locks
json real_s "$dir/record" parts 0 values 0
json 25000.0 "$dir/record" parts 0 results 0 values areas median
json 2 "$dir/record" parts 0 results 0 values real_s rounds
for key in cpu kernel libc compiler cpus; do
	"$json_get" "$dir/record" machine $key >/dev/null ||
		fail "the machine has no $key"
done
run 0 seed --show "$dir/record"
cmp "$dir/out" "$dir/tables" || fail "--show prints other tables"
run 2 bench --show "$dir/record"
run 0 seed 2001-mmap --locks rwsem --rounds 1 --json -
cp "$dir/out" "$dir/record"
json 1 "$dir/record" parts 0 runs

# The tests of 2001 need a lock.
run 0 seed 2001 --locks none
said '^  left out: none: this needs a lock$'
said '^  claims: 0 agree, 0 differ, 18 not measured$'
said '^  r1  *15218540 15203915  *14092045 14112771  '

# Verdicts on numbers made up, in what an interrupted run has of two locks.
timeout -s INT $((5 * patience)) "$rwsem" seed 2001 \
	--locks arcangeli-2001,howells-2001-xadd --json "$dir/record" \
	>"$dir/out" 2>"$dir/err" || :
said '^  claims: [0-9]* agree, [0-9]* differ, [0-9]* not measured$'
said '^  rw-aa  *in the message  *here$'
said '^    arcangeli-2001  *#* *1.00  #* *[01].[0-9]*$'

# made_up RATE: arcangeli-2001 has so many a second, others 1000.
made_up() {
	awk -v rate="$1" '
	# The lock is named before its values.
	/"lock": / { lock = $2 }
	/"per_s": [0-9]/ {
		sub(/[0-9].*,/,
		    (lock ~ /^"arcangeli-2001"/ ? rate : 1000) ".0,")
	}
	{ print }' "$dir/record" >"$dir/made_up"
	run 0 seed --show "$dir/made_up"
}
pair='arcangeli-2001 \/ howells-2001-xadd  *'
made_up 1100
said "^  rw-aa  ${pair}1.12  *1.10 (1.10..1.10)  agree$"
made_up 900
said "^  rw-aa  ${pair}1.12  *0.900 (0.900..0.900)  differ: "
sed 's/"reason": .*,/"reason": null,/' "$dir/made_up" >"$dir/bare"
run 0 seed --show "$dir/bare"
said "^  rw-aa  ${pair}1.12  *0.900 (0.900..0.900)  differ: no reason is known$"
