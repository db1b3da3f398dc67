#!/bin/sh
# SPDX-License-Identifier: MIT
# The model tells a broken protocol from a sound one: exit status, the run that
# leads to the fault, refusal of what it does not know.  And the document names
# every variant.
set -eu
parking=$1
here=$(dirname "$0")
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# expect STATUS LINE ARGUMENT...: exits with STATUS and says LINE somewhere.
expect() {
	status=$1 line=$2
	shift 2
	got=0
	"$parking" "$@" >"$out" 2>&1 || got=$?
	if [ "$got" != "$status" ] || ! grep -q -e "$line" "$out"; then
		echo "parking $*: exit status $got, expected $status, with: $line"
		cat "$out"
		exit 1
	fi
}

expect 0 '^holds, [0-9]* states$' w w r
# A wake-up is lost: the run ends in a sleeper nobody will wake.
expect 1 '1w asleep' -f SLEEPER_NOT_WOKEN w w
expect 1 '^stuck, ' -f SLEEPER_NOT_WOKEN w w
# Starvation is shown as a cycle.
expect 1 'again and again' -f NEVER_HANDOFF -f loop w w w
expect 1 '^starvation, ' -f NEVER_HANDOFF -f loop w w w
# The step that breaks a property is the last one.
expect 1 'end: a section for the rest' -f REST_TOUCHES -f tell=1 r W r rx
expect 2 '^rwsem: ' -f NO_SUCH_VARIANT w
expect 2 '^rwsem: ' w q
expect 2 '^rwsem: ' -f max=9 r

sed -n 's/^VARIANT(\([A-Z_]*\),.*/\1/p' "$here/variants.def" >"$out"
test -s "$out"
while read -r variant; do
	if ! grep -q "\`$variant\`" "$here/../docs/model.md"; then
		echo "docs/model.md does not name $variant"
		exit 1
	fi
done <"$out"
