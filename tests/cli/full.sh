#!/bin/sh
# SPDX-License-Identifier: MIT
# All tests with all locks but the lineage's, whose names have their year: each
# is measured, or left out for a reason.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"

run 0 bench --full --rounds 1 --seconds 0.001 --json "$dir/record"
tests=$("$json_get" "$dir/record" tests)
locks=$("$json_get" "$dir/record" locks)
left_out=$("$json_get" "$dir/record" left_out)
[ "$tests" -eq 50 ] || fail "$tests tests"
# The last is lockless, which runs where waits are measured.
json $((tests * (locks - 1) - left_out + 4)) "$dir/record" windows
"$rwsem" list | awk 'NR > 1 && $1 !~ /^busted/ && !index($1, "-" $2) {
	print $1
}' | sort >"$dir/names"
i=0
while [ $i -lt $((locks - 1)) ]; do
	"$json_get" "$dir/record" locks $i name
	i=$((i + 1))
done | sort >"$dir/measured"
cmp "$dir/names" "$dir/measured" || fail "not all locks"
said '^Claims about rwsem: .* met, .* missed, .* without a lock, [0-9]* not measured$'
said '^Where a sleeping lock of others is faster in every round$'

# What spins is left out for that reason, unless somebody insists.
if grep -qx ck-pflock "$dir/names"; then
	threads=$(($(nproc) + 1))
	run 0 bench --tests wo$threads --locks all --rounds 1 --seconds 0.001
	said '^  left out: ck-pflock: it spins, and there are more threads'
	run 0 bench --tests wo$threads --locks ck-pflock,mutex --rounds 1 \
		--seconds 0.001
	said '^  ck-pflock  *[0-9]'
fi
