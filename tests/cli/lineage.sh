#!/bin/sh
# SPDX-License-Identifier: MIT
# The set of the lineage measures what its claims need, and no more; each claim
# then stands beside what the record has, whatever that says.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

# made_up LOCK PAIRS: in all windows of the record each lock had a million
# pairs in a second, but that lock so many.
made_up() {
	awk -v lock="$1" -v pairs="$2" '
	# Names come after the numbers they are about, so a window is kept.
	/^  {/ { text = ""; inside = 1 }
	{
		sub(/"cpu_seconds": .*,/, "\"cpu_seconds\": 1.0,")
		sub(/"seconds": .*,/, "\"seconds\": 1.0,")
		text = text (text == "" ? "" : "\n") $0
	}
	!inside || /^  }/ {
		n = index(text, "\"lock\": \"" lock "\"") ? pairs : 1000000
		gsub(/"reads": [1-9][0-9]*/, "\"reads\": " n, text)
		gsub(/"writes": [1-9][0-9]*/, "\"writes\": " n, text)
		print text
		text = ""
		inside = 0
	}' "$dir/record" >"$dir/made_up"
	run 0 bench --show "$dir/made_up"
}

# verdict TEST LOCK TO: what the report says of that claim.
verdict() {
	sed -n "s,^  $1  *$2 [a-z ]* $3 .*)  \\([a-z].*\\),\\1,p" "$dir/out" |
		head -n 1
}

is() {
	found=$(verdict "$1" "$2" "$3")
	case $found in
	"$4"*) ;;
	*) fail "$1, $2 and $3: '$found', not '$4'" ;;
	esac
}

# Long enough for a pair in each window.
seconds=$(awk "BEGIN { print 0.005 * ${RWI_PATIENCE:-1} }")
run 0 bench --set lineage --rounds 1 --seconds "$seconds" --json "$dir/record"
json lineage "$dir/record" parameters set
json true "$dir/record" complete
said '^Claims of the lineage: [0-9]* agree, [0-9]* differ, [0-9]* not measured$'
! grep -q '^Claims about rwsem' "$dir/out" || fail "claims of another set"
claims=$(sed -n '/^Claims of/,$p' "$dir/out" |
	grep -c '  \(agree\|differ\|not measured\)') || :
sum=$(awk '/^Claims of the lineage/ { print $5 + $7 + $9 }' "$dir/out")
[ "$claims" -ge 70 ] || fail "$claims claims only"
[ "$claims" -eq "$sum" ] || fail "$claims claims, not $sum"
# Every lock of a claim in its test, and nobody else.
[ "$("$json_get" "$dir/record" windows)" -lt 180 ] || fail "too many windows"
json 1 "$dir/record" tests 0 readers
! grep -q '"lock": "glibc"' "$dir/record" || fail "nobody claims that of glibc"

# Level locks: what was said to be faster is not slower, but not twice as fast.
made_up nobody 1
is r1 arcangeli-2001 howells-2001-spinlock agree
is r1 arcangeli-2001 howells-2001-xadd agree
is 2001/wo arcangeli-2001 howells-2001-xadd differ
made_up arcangeli-2001 3000000
is r1 arcangeli-2001 howells-2001-spinlock agree
is r1 arcangeli-2001 howells-2001-xadd differ
is 2001/wo arcangeli-2001 howells-2001-xadd agree
said '^  r1  .*  1.16  *3.00 (3.00..3.00)  agree$'
made_up arcangeli-2001 500000
is r1 arcangeli-2001 howells-2001-spinlock 'differ: no interrupts'
is r1 arcangeli-2001 howells-2001-xadd agree
is 2001/wo arcangeli-2001 howells-2001-xadd differ
made_up chen-2013 500000
sed 's/"cpus": [0-9]*,/"cpus": 4,/' "$dir/made_up" >"$dir/four"
run 0 bench --show "$dir/four"
is wo32 chen-2013 lespinasse-2013-fast 'differ: 80 CPUs there, 4 here; a whole'

# What is not in a record is not measured; other conditions are no claims.
grep -v '"format_version"' "$dir/record" | sed 's/arcangeli-2001/frob/g
	s/^ "format": .*/&\n "format_version": 1,/' >"$dir/lacking"
run 0 bench --show "$dir/lacking"
said '^  r1  *arcangeli-2001 faster .*  -  not measured$'
run 0 bench --set lineage --tests r1 --rounds 1 --seconds 0.002
! grep -q 'Claims' "$dir/out" || fail "claims about chosen tests"

# It takes less than five minutes by default.
timeout -s INT 1 "$rwsem" bench --set lineage >"$dir/out" 2>"$dir/err" || :
complained '^rwsem bench: tests .*, rounds 5: about \([0-9]* s\|[1-4] min\)'
