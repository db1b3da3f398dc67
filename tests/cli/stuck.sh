#!/bin/sh
# SPDX-License-Identifier: MIT
# A lock that loses a wake-up does not hang the benchmark.
# shellcheck disable=SC1091,SC2154 # lib.sh
. "$(dirname "$0")/lib.sh"
broken

run 1 bench --tests wo --locks busted-wakeup --json "$dir/record"
complained '^rwsem: busted-wakeup: a thread does not come out'
said '^Not complete'
json false "$dir/record" complete
