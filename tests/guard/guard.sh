#!/bin/sh
# SPDX-License-Identifier: MIT
# guard.sh PAIRS BOUNDS: the instructions that each pair of calls in the
# program PAIRS takes are at most what the file BOUNDS says, and hardly less:
# what became cheaper is to stay so.
set -eu
pairs=$1
bounds=$2
for program in valgrind callgrind_annotate; do
	if ! command -v "$program" >/dev/null; then
		echo "skipped: no $program"
		exit 77
	fi
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

valgrind -q --tool=callgrind --callgrind-out-file=out "$pairs"
callgrind_annotate --inclusive=yes --threshold=100 out >counts
awk '
FNR == 1 { file++ }
file == 1 && !/^#/ && NF {
	bound[$1] = $2
	names++
}
# "  160,010 ( 5.50%)  FILE:NAME [PROGRAM]", the largest of a name first.
file == 2 {
	sub(/\([^)]*\)/, "")
	gsub(/,/, "")
	name = $2
	sub(/.*:/, "", name)
	if (!(name in bound) || name in found)
		next
	found[name] = int($1 / 10000)
	printf "%-18s %4d of %d\n", name, found[name], bound[name]
	if (found[name] > bound[name]) {
		print name " takes more instructions than its bound"
		bad = 1
	}
	if (found[name] < bound[name] - 2) {
		print name " became cheaper: lower its bound"
		bad = 1
	}
}
END {
	for (name in bound)
		if (!(name in found)) {
			print name " was not counted"
			bad = 1
		}
	exit bad || !names
}' "$bounds" counts
