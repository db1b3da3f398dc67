#!/bin/sh
# SPDX-License-Identifier: MIT
# docs.sh CASE SOURCE LIBRARY COMPILER [CXX]: the documents agree with the code.
# docs.sh designs SOURCE RWSEM: and what is generated is up to date.
set -eu
case=$1
source=$2
library=$3
compiler=${4-}
cxx=${5-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$source"

fail() {
	echo "$*"
	exit 1
}

public() {
	sed -n 's/^[[:space:]]*\(rwsem_[a-z_]*\);$/\1/p' src/rwsem.map
}

lint() {
	if ! command -v mandoc >/dev/null; then
		echo "skipped: no mandoc"
		exit 77
	fi
	mandoc -T lint -W warning man/*.[0-9]
}

# A page for every reference to ourselves, and only for what exists; a file for
# every link within the tree.
references() {
	sed -n 's/^\.Nm \([a-z_]*\)\( ,\)\{0,1\}$/\1/p' man/*.3 | sort >"$tmp/names"
	uniq -d "$tmp/names" | grep . && fail "described twice"
	{
		echo rwsem
		public
	} | sort >"$tmp/public"
	diff "$tmp/public" "$tmp/names" || fail "pages and rwsem.map differ"
	sed -n 's/^\.Xr \(rwsem[a-z_]*\) \([0-9]\).*/\1 \2/p' man/*.[0-9] |
		sort -u | while read -r name section; do
		[ -e "man/$name.$section" ] || grep -qx "$name" "$tmp/names" ||
			fail "no page $name($section)"
	done
	for page in *.md docs/*.md; do
		grep -o '](\([^):#]*\))' "$page" | tr -d ']()' |
			while read -r link; do
				[ -e "$(dirname "$page")/$link" ] ||
					fail "$page: no file $link"
			done
	done
}

# Each prototype of a SYNOPSIS, under the header that it includes.
synopsis() {
	awk -f tests/docs/synopsis.awk man/*.3 >"$tmp/synopsis.c"
	echo 'int main(void) { return rwsem_init(&sem, 0); }' >>"$tmp/synopsis.c"
	strict="-Iinclude -Wall -Wextra -Werror -fsyntax-only"
	# shellcheck disable=SC2086 # a list of options
	$compiler -std=c11 -pedantic $strict "$tmp/synopsis.c"
	if [ -n "$cxx" ]; then
		# shellcheck disable=SC2086
		$cxx -x c++ -std=c++17 $strict "$tmp/synopsis.c"
	fi
	for name in $(public); do
		[ "$(grep -c " $name(" "$tmp/synopsis.c")" -ge 1 ] ||
			fail "no SYNOPSIS has $name"
		# What says something else must not compile.
		sed "s/^.* $name(.*/double $name(char);/" "$tmp/synopsis.c" \
			>"$tmp/wrong.c"
		# shellcheck disable=SC2086
		if $compiler $strict "$tmp/wrong.c" 2>/dev/null; then
			fail "a wrong prototype of $name goes unseen"
		fi
	done
}

# The programs in README.md's fenced blocks compile without a warning and end
# with success.
readme() {
	awk -v dir="$tmp" '
	/^```(c|cpp)$/ {
		name = dir "/" ++n "." substr($0, 4)
		next
	}
	/^```/ { name = "" }
	name != "" { print > name }
	' README.md
	count=0
	for file in "$tmp"/*.c "$tmp"/*.cpp; do
		[ -e "$file" ] || continue
		case $file in
		*.c) set -- "$compiler" ;;
		*) set -- "$cxx" -std=c++17 ;;
		esac
		[ -n "$1" ] || continue
		"$@" -Wall -Wextra -Werror -Iinclude "$file" \
			"$library" -pthread -o "$tmp/program"
		"$tmp/program" || fail "example $file ends with $?"
		count=$((count + 1))
	done
	[ "$count" -gt 0 ] || fail "README.md has no program"
	echo "$count programs"
}

# docs/designs.md is what the registry and the files of designs say now.
designs() {
	rwsem=$library
	if [ "$(uname -m)" != x86_64 ] ||
		! "$rwsem" list | grep -q '^  glibc '; then
		echo "skipped: the page has the sizes of x86-64 with glibc"
		exit 77
	fi
	sh docs/designs.sh "$rwsem" "$tmp"
	for file in designs.md designs.svg; do
		diff -u docs/$file "$tmp/$file" ||
			fail "docs/$file is old: run docs/designs.sh"
	done
	# Every design has its screen, and the screen what its file says.
	"$rwsem" list --json | sed -n 's/^  "file": "\(.*\)",$/\1/p' | sort -u |
		while read -r file; do
			[ -e "src/designs/$file" ] || fail "no file $file"
			grep -q "(../src/designs/$file)" docs/designs.md ||
				fail "no screen for $file"
		done
	# A change in a file is seen.
	mkdir -p "$tmp/docs" "$tmp/src"
	cp docs/designs.* "$tmp/docs"
	cp -R src/designs "$tmp/src"
	sed '3s/.*/ * Something else./' src/designs/null.c \
		>"$tmp/src/designs/null.c"
	sh "$tmp/docs/designs.sh" "$rwsem"
	! cmp -s docs/designs.md "$tmp/docs/designs.md" ||
		fail "a changed comment goes unseen"
}

"$case"
