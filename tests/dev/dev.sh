#!/bin/sh
# SPDX-License-Identifier: MIT
# dev.sh DEV: the front door DEV asks apt-get for what is missing, and says so
# when it cannot; all programs that would change the machine are stand-ins.
set -eu
dev=$1
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
PATH=$bin:$PATH
log=$bin/log
export PATH log

fail() {
	echo "$*"
	exit 1
}

# stand_in NAME TEXT: NAME runs TEXT.
stand_in() {
	printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
	chmod +x "$bin/$1"
}

stand_in sudo 'exit 1'
stand_in apt-get 'echo "$DEBIAN_FRONTEND $*" >>"$log"'

# Nothing is missing: nothing is asked.
stand_in dpkg-query 'printf installed'
stand_in id 'echo 0'
"$dev" deps
[ ! -e "$log" ] || fail "calls apt-get for nothing"

# All is missing, and root: one update, one installation of what is needed.
stand_in dpkg-query 'exit 1'
"$dev" deps 2>/dev/null
[ "$(sed -n 1p "$log")" = 'noninteractive update -q' ] || fail "no update"
sed -n 2p "$log" | grep -q \
	'^noninteractive install .*--no-install-recommends .*gcc .*valgrind' ||
	fail "does not install: $(cat "$log")"
! sed -n 2p "$log" | grep -q qemu || fail "installs too much"
"$dev" deps --all 2>/dev/null
grep -q qemu "$log" || fail "installs too little"

# All is missing, and nobody: the line that somebody else can type.
rm "$log"
stand_in id 'echo 1000'
if "$dev" deps 2>"$bin/said"; then
	fail "succeeds without its packages"
fi
grep -q 'apt-get install --no-install-recommends gcc ' "$bin/said" ||
	fail "does not say what to install"
[ ! -e "$log" ] || fail "calls apt-get as nobody"

# A benchmark asks for Rust, unless told not to, and for all peers if it is full;
# the program gets the other arguments.  Neither needs to be built here.
rm -f "$log"
stand_in id 'echo 0'
stand_in cmake 'echo "cmake $*" >>"$log"; exit 1'
! "$dev" bench --rounds 1 2>/dev/null || fail "goes on without a build"
grep -q '^noninteractive install .* cargo ' "$log" || fail "asks for no Rust"
! grep -q 'libck-dev' "$log" || fail "asks for all peers"
grep -q '^cmake .*-DRWSEM_RUST=ON' "$log" || fail "builds without Rust"
rm "$log"
! "$dev" bench --no-rust --full 2>/dev/null || fail "goes on without a build"
! grep -q cargo "$log" || fail "asks for Rust"
grep -q '^noninteractive install .* libck-dev' "$log" || fail "lacks peers"
grep -q '^cmake .*-DRWSEM_RUST=OFF' "$log" || fail "builds with Rust"

# Wrong usage.
for wrong in nonsense 'deps nonsense' 'test nonsense'; do
	status=0
	# shellcheck disable=SC2086 # two words
	"$dev" $wrong >/dev/null 2>&1 || status=$?
	[ "$status" -eq 2 ] || fail "$wrong ends with $status"
done
"$dev" help | grep -q 'bench \[ARGS\]' || fail "no help"
