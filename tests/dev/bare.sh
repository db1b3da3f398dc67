#!/bin/sh
# SPDX-License-Identifier: MIT
# bare.sh SOURCE ARG...: "./dev ARG..." works in a fresh Debian 12 that has
# nothing but git, asking nothing.  Needs root, debootstrap and a mirror.
set -eu
source=$1
shift
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
	echo "skipped: needs root and debootstrap"
	exit 77
fi
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT

debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root"
for file in resolv.conf hosts; do
	[ ! -e "/etc/$file" ] || cp -L "/etc/$file" "$root/etc/"
done
mkdir "$root/clone"
tar -C "$source" --exclude='./build*' -cf - . | tar -C "$root/clone" -xf -

# Mounts of a namespace of their own end with it.
# shellcheck disable=SC2016 # the inner shell expands
unshare --mount --propagation private sh -euc '
	root=$1
	shift
	mount -t proc proc "$root/proc"
	mount --rbind /dev "$root/dev"
	exec chroot "$root" env -i HOME=/root PATH="$PATH" /clone/dev "$@"
' bare "$root" "$@" </dev/null
