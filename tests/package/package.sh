#!/bin/sh
# SPDX-License-Identifier: MIT
# package.sh CASE SOURCE BUILD CC [CXX]: install to a prefix and use what is
# there as a stranger would.
set -eu
case=$1
source=$2
build=$3
compiler=$4
cxx=${5-}
prefix=$build/tests/package/prefix
here=$source/tests/package
strict='-std=c11 -pedantic -Wall -Wextra -Wshadow -Wconversion -Werror'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
	echo "$*"
	exit 1
}

# The functions that rwsem.map lists.
public() {
	sed -n 's/^[[:space:]]*\(rwsem_[a-z_]*\);$/\1/p' "$source/src/rwsem.map"
}

installed() {
	find "$prefix" -name "$1" | grep . || fail "$1 is not installed"
}

install() {
	rm -rf "$prefix"
	cmake --install "$build" --prefix "$prefix" >/dev/null
	find "$prefix" | sort
}

# The prefix has moved since the build, so the file must find itself.
pkg_config() {
	if ! command -v pkg-config >/dev/null; then
		echo "skipped: no pkg-config"
		exit 77
	fi
	PKG_CONFIG_PATH=$(dirname "$(installed rwsem.pc)")
	export PKG_CONFIG_PATH
	version=$(pkg-config --modversion rwsem)
	grep -q "define RWSEM_VERSION *\"$version\"" \
		"$source/include/rwsem/rwsem.h" ||
		fail "rwsem.h is not of version $version"
	# shellcheck disable=SC2046,SC2086 # lists of options
	$compiler $strict "$here/app.c" $(pkg-config --cflags --libs rwsem) \
		-o "$tmp/app"
	libdir=$(pkg-config --variable=libdir rwsem)
	LD_LIBRARY_PATH=$libdir "$tmp/app"
	# shellcheck disable=SC2046,SC2086
	$compiler $strict "$here/app.c" $(pkg-config --cflags rwsem) \
		"$libdir/librwsem.a" -o "$tmp/app"
	"$tmp/app"
}

consume() {
	cmake -S "$here/consumer" -B "$tmp" -DCMAKE_C_COMPILER="$compiler" \
		-DCMAKE_C_FLAGS='-Wall -Wextra' "$@"
	cmake --build "$tmp"
	"$tmp/app_rwsem"
	"$tmp/app_rwsem_static"
}

find_package() {
	consume -DCMAKE_PREFIX_PATH="$prefix"
}

add_subdirectory() {
	consume -DRWSEM_SOURCE="$source"
	# What the stranger gets is the libraries, and none of our strictness.
	[ ! -e "$tmp/rwsem/tests" ] || fail "an embedded build has our tests"
	if grep -rq -e -Werror "$tmp" --include='flags.make' \
		--include='build.ninja'; then
		fail "an embedded build inherits -Werror"
	fi
	cmake --install "$tmp" --prefix "$tmp/prefix" >/dev/null
	[ ! -e "$tmp/prefix/include" ] || fail "an embedded build installs us"
}

bare_cc() {
	cd "$source"
	$compiler -std=c11 -Wall -Wextra -Werror src/core/*.c src/port/native.c \
		tests/package/app.c -Iinclude -Isrc -o "$tmp/app"
	"$tmp/app"
}

# Exports are what rwsem.h declares and rwsem.map lists, of version RWSEM_0.1.
exports() {
	library=$(installed librwsem.so)
	readelf --dyn-syms -W "$library" >"$tmp/symbols"
	awk '$5 == "GLOBAL" && $7 != "UND" && $4 == "FUNC" { print $8 }' \
		"$tmp/symbols" | sort >"$tmp/exports"
	public | sed 's/$/@@RWSEM_0.1/' | sort >"$tmp/map"
	diff "$tmp/map" "$tmp/exports" || fail "exports are not rwsem.map's"
	grep -v '^[[:space:]/]*\*' "$source/include/rwsem/rwsem.h" |
		grep -o '\<rwsem_[a-z_]*(' | sed 's/($/@@RWSEM_0.1/' | sort -u |
		diff - "$tmp/map" || fail "rwsem.h declares something else"
	# The archive adds nothing else to the shared object of an embedder.
	readelf -sW "$(installed librwsem.a)" |
		awk '$5 ~ /GLOBAL|WEAK/ && $6 == "DEFAULT" && $7 ~ /[0-9]/ {
			print $8 "@@RWSEM_0.1"
		}' | sort | diff - "$tmp/map" || fail "librwsem.a exports more"
	! awk '$5 ~ /GLOBAL|WEAK/ && $7 ~ /[0-9]/ && $4 ~ /OBJECT|TLS/' \
		"$tmp/symbols" | grep . || fail "data is exported"
}

# The library asks little of libc: no memory, no streams, no locks.
imports() {
	library=$(installed librwsem.so)
	allowed=$(tr '\n' ' ' <"$here/imports.txt")
	readelf --dyn-syms -W "$library" | awk -v allowed="$allowed" '
	BEGIN {
		split(allowed, list, " ")
		for (i in list) may[list[i]] = 1
	}
	$5 ~ /GLOBAL|WEAK/ && $7 == "UND" {
		sub(/@.*/, "", $8)
		if (!($8 in may) && $8 !~ /^(_ITM_|__gmon|__cxa_)/) {
			print "imports " $8
			bad = 1
		}
	}
	END { exit bad }'
}

# How the shared library is made: its name, its thread storage, its hardening.
elf() {
	library=$(installed librwsem.so.0)
	readelf -dW "$library" >"$tmp/dynamic"
	grep -q 'SONAME.*\[librwsem\.so\.0\]' "$tmp/dynamic" || fail "no SONAME"
	grep -q 'NODELETE' "$tmp/dynamic" || fail "can be unloaded"
	grep -q 'BIND_NOW\|FLAGS.*NOW' "$tmp/dynamic" || fail "binds lazily"
	grep -q 'STATIC_TLS' "$tmp/dynamic" || fail "TLS is not initial-exec"
	! grep -q 'TEXTREL' "$tmp/dynamic" || fail "has text relocations"
	! grep 'NEEDED' "$tmp/dynamic" | grep -v '\[\(libc\.\|ld-linux\)' || fail "needs more"
	readelf -lW "$library" >"$tmp/segments"
	grep -q GNU_RELRO "$tmp/segments" || fail "no RELRO"
	! grep 'GNU_STACK.*RWE' "$tmp/segments" || fail "an executable stack"
	! readelf -sW "$library" | grep -q __tls_get_addr || fail "dynamic TLS"
}

# Each public header alone, in the strictest dialects of C and C++.
headers() {
	count=0
	for header in "$(dirname "$(installed rwsem.h)")"/*; do
		name=rwsem/$(basename "$header")
		echo "#include <$name>" >"$tmp/one.c"
		for language in c11 ${cxx:+c++17}; do
			case $language-$name in c11-*.hpp) continue ;; esac
			kind=${language%%[0-9]*}
			# shellcheck disable=SC2086
			$compiler -x "$kind" -std=$language -pedantic -Wall -Wextra \
				-Wshadow -Wconversion -Werror -fsyntax-only \
				-I"$prefix/include" "$tmp/one.c"
			count=$((count + 1))
		done
	done
	[ "$count" -ge 3 ] || fail "only $count headers"
}

# Every alias leads to a page.
man() {
	pages=$prefix/share/man
	[ -s "$pages/man3/rwsem.3" ] || fail "no rwsem(3)"
	for name in $(public); do
		[ -s "$pages/man3/$name.3" ] || fail "no page $name(3)"
		target=$(sed -n 's/^\.so //p' "$pages/man3/$name.3")
		grep -q "^\.Nm $name" "$pages/$target" ||
			fail "$name(3) leads to $target"
	done
}

"$case"
