#!/bin/sh
# SPDX-License-Identifier: MIT
# An interrupt ends a run with status 130 and leaves what there is.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

# interrupt SIGNAL ARGUMENT...: once progress says that a part is done.
interrupt() {
	signal=$1
	shift
	: >"$dir/err"
	"$rwsem" "$@" --progress >"$dir/out" 2>"$dir/err" </dev/null &
	pid=$!
	tries=$((300 * patience))
	while ! grep -q '^ *[1-9][0-9]* %' "$dir/err"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || {
			kill -KILL $pid
			fail "rwsem $*: no progress"
		}
		sleep 0.1
	done
	kill -"$signal" $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 130 ] || fail "rwsem $*: status $status, not 130"
}

interrupt INT bench --tests r1,w1 --locks mutex --rounds 50 --seconds 0.2 \
	--json "$dir/record"
json false "$dir/record" complete
windows=$("$json_get" "$dir/record" windows)
if [ "$windows" -lt 1 ] || [ "$windows" -ge 100 ]; then
	fail "$windows windows"
fi
said '^Not complete'
said '^  mutex  *[0-9.]* ('
cp "$dir/out" "$dir/tables"
run 0 bench --show "$dir/record"
cmp "$dir/out" "$dir/tables" || fail "--show prints other tables"

interrupt TERM torture --locks mutex --seconds 100 --json "$dir/record"
said '^INTERRUPTED$'
json true "$dir/record" locks 0 success
