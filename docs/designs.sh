#!/bin/sh
# SPDX-License-Identifier: MIT
# designs.sh RWSEM [FOLDER]: write designs.md and designs.svg into FOLDER, or
# beside this script: the catalogue of designs, from what the command RWSEM
# lists and from the comments at the top of their files.
set -eu
rwsem=$1
docs=$(dirname "$0")
folder=${2:-$docs}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$rwsem" list --json >"$tmp/json"
"$rwsem" list --family >"$tmp/family"
"$rwsem" list --svg "$tmp/designs.svg"
awk -v family="$tmp/family" -v folder="$docs/../src/designs" \
	-f "$docs/designs.awk" "$tmp/json" >"$tmp/designs.md"
cp "$tmp/designs.md" "$tmp/designs.svg" "$folder"
