#!/bin/sh
# SPDX-License-Identifier: MIT
# nested.sh PRESET SOURCE BINARY TOOLS PROGRAM...: configure and build SOURCE in
# BINARY by PRESET, with the command or without, and run its functional tests;
# skip without a PROGRAM.
set -eu
preset=$1
source=$2
binary=$3
tools=$4
shift 4
for program; do
	if ! command -v "$program" >/dev/null; then
		echo "skipped: no $program"
		exit 77
	fi
done
jobs=$(nproc)
cd "$source"
cmake --preset "$preset" -B "$binary" -DRWSEM_BUILD_TOOLS="$tools"
cmake --build "$binary" --parallel "$jobs"
exec ctest --test-dir "$binary" --output-on-failure --no-tests=error \
	--parallel "$jobs" -L '^(fast|design|scenario|delay)$' \
	-LE '^(timing|long)$'
