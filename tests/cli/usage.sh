#!/bin/sh
# SPDX-License-Identifier: MIT
# Bad input ends with status 2, nothing on standard output, and a line on
# standard error that says what is wrong.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

# refuses WHAT ARGUMENT...: WHAT is in the one line of the message.
refuses() {
	what=$1
	shift
	run 2 "$@"
	[ ! -s "$dir/out" ] || fail "rwsem $*: says something"
	[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "rwsem $*: not one line"
	complained '^rwsem: '
	complained "$what"
}

refuses 'command is needed'
refuses "'frob'" frob
refuses 'unexpected' bench frob
refuses 'part is needed' seed
refuses "'frob'" seed frob
refuses "'200'" seed 200
refuses "''" seed ''
refuses "'frob'" seed 2005 --locks frob
refuses 'twice' seed 2005 --locks none,none
refuses 'empty' seed 2005 --locks ''
refuses 'outside' seed 2005 --squeeze 0.5
refuses 'outside' seed 2005 --rounds 0
refuses 'not a number' seed 2005 --squeeze x
refuses 'no part can be named' seed 2005 --show record
refuses 'No such file' seed --show "$dir/missing"
refuses 'unexpected' list frob
refuses 'unexpected' torture frob

refuses "'frob'" bench --locks frob
refuses "'frob'" bench --locks glibc,frob
refuses 'empty' bench --locks glibc,,mutex
refuses 'empty' bench --locks ''
refuses 'twice' bench --locks mutex,mutex
refuses "'frob'" bench --set frob
refuses "'frob'" bench --tests frob
refuses "'0:0'" bench --tests 0:0
refuses "'1:'" bench --tests 1:
refuses "'-1:2'" bench --tests=-1:2
refuses "'1:2:3'" bench --tests 1:2:3
refuses "'9999:0'" bench --tests 9999:0
for test in rw3 wo0 ro-1 ro8x writer0 waits/frob waits/writer 2001/frob \
	2001/writer 2001/waits/ro rw-aa1 mix/2/1 \
	mix/0/1/1:1 mix/2/1/0:0 mix/2/1/1:1x mix/2/1/9999999:1; do
	refuses "'$test'" bench --tests $test
done
refuses 'twice' bench --tests r1,r1
refuses "'frob'" bench --section frob
for section in ns 0ns -5ns 5 5frob 99999999999999999999ns; do
	refuses "'$section'" bench "--section=$section"
done
refuses "'frob'" bench --baseline frob
refuses 'not among' bench --baseline glibc --locks mutex
for number in '' x 1x ' 1' nan inf; do
	refuses 'not a number' bench --seconds "$number"
	refuses 'not a number' torture --stuck "$number"
done
for number in -1 0 1e9; do
	refuses 'outside' bench --seconds="$number"
done
for number in '' x 1x ' 1' -1 +1 0x10; do
	refuses 'not a number' bench --rounds="$number"
	refuses 'not a number' torture --readers="$number"
done
refuses 'outside' bench --rounds 0
refuses 'outside' bench --rounds 99999999999999999999999
refuses 'outside' torture --writers 5000
refuses 'no thread' torture --readers 0 --writers 0
refuses "'frob'" torture --locks frob
refuses 'excludes nobody' torture --locks rmw-pair

# Records that are none.
refuses 'second record' bench --compare "$dir/missing"
refuses 'No such file' bench --compare "$dir/missing" "$dir/missing"
refuses 'unexpected' bench --compare a b c
refuses 'No such file' bench --show "$dir/missing"
echo '{' >"$dir/bad"
refuses 'line 2' bench --show "$dir/bad"
echo '{"format": "frob"}' >"$dir/bad"
refuses 'no record' bench --show "$dir/bad"
refuses 'no record' seed --show "$dir/bad"
run 0 bench --tests r1 --locks mutex --rounds 1 --seconds 0.002 \
	--json "$dir/good"
for change in 's/"format_version": 1/"format_version": 2/' \
	's/"round": 0/"round": 7/' 's/"test": "r1"/"test": "r9"/' \
	's/"reads": [0-9]*/"reads": "many"/' \
	's/"pause_ns": .*/"pause_ns": "long"/'; do
	sed "$change" "$dir/good" >"$dir/bad"
	! cmp -s "$dir/good" "$dir/bad" || fail "$change changes nothing"
	refuses 'the record has' bench --show "$dir/bad"
done

# Unknown options are reported by argp, with a hint on a second line.
for command in bench list seed torture; do
	run 2 $command --frob
	complained "^rwsem $command: .*--frob"
	complained "rwsem $command --help"
done
run 2 --frob
complained '^rwsem: .*--frob'

# What the system refuses.
run 3 bench --tests r1 --locks mutex --rounds 1 --seconds 0.002 \
	--json "$dir/no/such/folder"
complained '^rwsem: .*no/such/folder'
if [ -w /dev/full ]; then
	status=0
	"$rwsem" list --json >/dev/full 2>"$dir/err" || status=$?
	[ "$status" -eq 3 ] || fail "list into a full device: $status"
fi
