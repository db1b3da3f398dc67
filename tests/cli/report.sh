#!/bin/sh
# SPDX-License-Identifier: MIT
# A report is one page that needs nothing else, has what the record has, and
# takes no text of the record for anything but text.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

# Elements nest, names are unique, and nothing is fetched or executed.
is_page() {
	tr -d '\n' <"$1" | sed 's/</\n</g' | awk '
	/^$/ || /^<(!DOCTYPE|meta)/ { next }
	/^<\// {
		name = substr($0, 3)
		sub(/>.*/, "", name)
		if (stack[depth--] != name) exit 1
		next
	}
	/^<[a-z]/ && !/^<[^>]*\/>/ {
		name = substr($0, 2)
		sub(/[ >].*/, "", name)
		stack[++depth] = name
	}
	END { exit depth != 0 }' || fail "$1: the elements do not nest"
	# shellcheck disable=SC2016 # the dollar ends a line
	grep -o " id=[\"'][^\"']*" "$1" | sort | uniq -d >"$dir/twice"
	[ ! -s "$dir/twice" ] || fail "$1: used twice: $(cat "$dir/twice")"
	! grep -n '<script\|<link\|<iframe\|<img\| src=\|://\|@import\|url(' \
		"$1" || fail "$1: not self-contained"
	! grep -no "href=[\"'][^#]" "$1" || fail "$1: leads elsewhere"
	grep -q 'prefers-color-scheme:dark' "$1" || fail "$1: no dark colours"
	grep -q 'size:A4' "$1" || fail "$1: no paper"
	grep -q 'width=device-width' "$1" || fail "$1: not for phones"
}

# ---- Bad input ----

run 2 report
complained '^rwsem: report: a record is needed$'
run 2 report "$dir/nothing"
complained '^rwsem: .*nothing: No such file'
run 2 report "$dir/nothing" "$dir/nothing"
complained "^rwsem: report: unexpected argument"
bad() {
	printf '%s\n' "$1" >"$dir/bad"
	run 2 report "$dir/bad" -o "$dir/none.html"
	complained "^rwsem: $2"
	[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "more than a line"
	[ ! -e "$dir/none.html" ] || fail "a page of a bad record"
}
bad '' '.*bad: line [12]: '
bad '{"format": ' '.*bad: line [12]: '
bad '[]' '.*bad: this is no record'
bad '{"format": "rwsem-torture"}' '.*bad: this is no record'
bad '{"format": 1}' '.*bad: this is no record'
bad '{"format": "rwsem-bench"}' 'this is no record of rwsem bench'
bad '{"format": "rwsem-seed"}' 'this is no record of rwsem seed'
bad '{"format": "rwsem-seed", "format_version": 999, "parts": []}' \
	'the record has format version 999'
bad '{"format": "rwsem-seed", "format_version": 1, "parts": [{}]}' \
	'the record has a part that is none'

run 0 bench -l rwsem,mutex,rmw-pair \
	-t r1,w1,r2,rw,ro8,2:1,writer,waits/rw4,mix/2/1/1:1,mix/2/5/1:1 \
	--rounds 2 --seconds 0.002 --json "$dir/record"
sed 's/"format_version": 1,/"format_version": 999,/' "$dir/record" >"$dir/new"
run 2 report "$dir/new" -o "$dir/none.html"
complained '^rwsem: the record has format version 999'

# ---- Without gnuplot ----

mkdir "$dir/empty"
echo old >"$dir/old.html"
status=0
PATH=$dir/empty "$rwsem" report "$dir/record" -o "$dir/old.html" \
	>"$dir/out" 2>"$dir/err" || status=$?
[ $status -eq 3 ] || fail "without gnuplot: status $status"
complained '^rwsem: gnuplot is needed .*(Debian: gnuplot-nox)$'
[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "more than a line"
[ "$(cat "$dir/old.html")" = old ] || fail "an old page is gone"
if ! command -v gnuplot >/dev/null; then
	echo "skipped: gnuplot is not installed"
	exit 77
fi

# ---- The page ----

run 0 report "$dir/record" -o "$dir/page.html" --png "$dir/png"
[ ! -s "$dir/out" ] || fail "text beside the page"
is_page "$dir/page.html"
for test in r1 w1 r2 rw ro8 2:1 writer waits/rw4 mix/2/1/1:1; do
	grep -q "^<h3>$test</h3>\$" "$dir/page.html" || fail "no test $test"
done
for lock in rwsem mutex rmw-pair lockless; do
	grep -q "<th scope=\"row\">$lock</th>" "$dir/page.html" ||
		fail "no lock $lock"
done
cpu=$("$json_get" "$dir/record" machine cpu)
grep -qF "<dd>$cpu</dd>" "$dir/page.html" || fail "no machine"
grep -q '<svg viewBox' "$dir/page.html" || fail "no chart"
charts=$(grep -c '^<figure>$' "$dir/page.html")
files=0
for file in "$dir"/png/*.png; do
	[ "$(head -c 4 "$file" | tail -c 3)" = PNG ] || fail "$file: no picture"
	files=$((files + 1))
done
[ "$files" -eq "$charts" ] || fail "$files files of $charts charts"

"$rwsem" report - <"$dir/record" >"$dir/again"
cmp "$dir/page.html" "$dir/again" || fail "not the same page again"

# Numbers are those of the record: 2 million pairs in a second each.
awk '/"cpu_seconds": / { sub(/: .*,/, ": 1.0,") }
	/"seconds": / { sub(/: .*,/, ": 1.0,") }
	/"(reads|writes)": [1-9]/ { sub(/: [0-9]+/, ": 2000000") }
	{ print }' "$dir/record" >"$dir/made_up"
run 0 report "$dir/made_up" -o "$dir/made_up.html"
grep -A 9 '^<h3>r1</h3>$' "$dir/made_up.html" |
	grep -q '<th scope="row">rwsem</th><td class="r">2.00<' ||
	fail "not the numbers of the record"

# ---- The messages' measurements ----

seed=$(dirname "$0")/report_seed.json
run 0 report "$seed" -o "$dir/seed.html"
is_page "$dir/seed.html"
has() {
	grep -qF "$1" "$dir/seed.html" || fail "the page lacks $1"
}
has 'of what they claim, 1 agree and 1 differ on this machine.'
has '<th scope="row">2001</th><td class="r">1</td><td class="r">1</td>'
has '<h2>2001: readers, writers and both</h2>'
has '<p class="note">somebody, some list, some day: a machine.</p>'
has '<p class="warn">WRONG RESULT: none in rw: two writers at once.</p>'
has '<p class="note">Left out: two: it has no writers.</p>'
has '<b class="yes">'
has '<td class="r">1.25</td><td class="r">1.50<small>1.40'
has '<td class="r">2.50</td><td class="r">0.750<small>0.700'
has '<td class="l">two to one in rw</td><td class="l">80 CPUs there</td>'
# Tries are averaged; figures that were not measured here are kept.
has '<td class="r">16.0<small>15.0'
has '<td class="r">14.5</td>'
has '<td class="r">25.0<small>24.0'
for chart in 'As the message has it' Here 'n-N, here'; do
	has "<figcaption><b>$chart</b>"
done

# ---- Hostile names ----

touched=$dir/touched
cat >"$dir/name" <<END
<script>alert(1)</script>'\"&\`touch $touched\`\n\$(touch $touched) ' \" @x
END
awk -v file="$dir/name" 'BEGIN { getline evil <file }
	match($0, /"(mutex|2:1)"/) {
		$0 = substr($0, 1, RSTART) evil \
		    substr($0, RSTART + RLENGTH - 1)
	}
	{ print }' "$dir/record" >"$dir/evil"
run 0 report "$dir/evil" -o "$dir/evil.html" --png "$dir/png"
is_page "$dir/evil.html"
grep -q '&lt;script&gt;alert(1)' "$dir/evil.html" || fail "a name is lost"
[ ! -e "$touched" ] || fail "a name was executed"

run 3 report "$dir/record" -o "$dir/no/such/folder"
complained '^rwsem: .*no/such/folder'
run 3 report "$dir/record" -o "$dir/none.html" --png "$dir/no/such"
complained '^rwsem: .*no/such'
