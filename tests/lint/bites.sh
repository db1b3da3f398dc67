#!/bin/sh
# SPDX-License-Identifier: MIT
# bites.sh LINT NAME: the script LINT passes a small clean tree and fails it
# once each of its planted faults is there.
set -eu
lint=$1
name=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
caught=0

# A clean tree.
plant_nothing() {
	rm -rf ./* .ci
	mkdir -p .ci bench docs include/rwsem lint models src/core src/designs \
		src/port tests tools
	printf '#!/bin/sh\n# SPDX-License-Identifier: MIT\nexit 0\n' |
		tee dev .ci/run lint/any >tests/any.sh
	cat >src/core/a.c <<'END'
/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#include "port/port.h"
#include "rwsem/rwsem.h"

static void set(uint32_t *word)
{
	/* ORDER set(1/2): what came before. */
	rwi_store_release(set, word, 1);
}

static uint32_t get(uint32_t *word)
{
	/* ORDER set(2/2) */
	return rwi_load_acquire(get, word);
}
END
	cp src/core/a.c src/designs/a.c
	echo '| `set` | what | by whom | or else | the check |' >docs/ordering.md
	cp "$root/.clang-format" "$root/.clang-tidy" .
	cat >compile_commands.json <<END
[ {
  "directory": "$tree",
  "command": "cc -std=c11 -Wall -c src/port/b.c",
  "file": "$tree/src/port/b.c"
} ]
END
}

# add FILE TEXT: TEXT becomes the end of FILE.
add() {
	printf '%b\n' "$2" >>"$1"
}

run() {
	status=0
	if [ "$name" = tidy ]; then
		[ -e src/port/b.c ] || echo 'int b;' >src/port/b.c
		"$lint" . . >out 2>&1 || status=$?
	else
		"$lint" . >out 2>&1 || status=$?
	fi
	if [ "$status" -eq 77 ]; then
		cat out
		exit 77
	fi
	rm out
}

# expect FILE TEXT: TEXT in FILE is a fault.
expect() {
	plant_nothing
	add "$1" "$2"
	run
	if [ "$status" -eq 0 ]; then
		echo "$name does not see in $1: $2"
		exit 1
	fi
	caught=$((caught + 1))
}

root=$(cd "$(dirname "$lint")/.." && pwd)
plant_nothing
run
if [ "$status" -ne 0 ]; then
	echo "$name complains about a clean tree"
	exit 1
fi
long=$(awk 'BEGIN { for (i = 0; i < 71; i++) printf "\\tx++;\\n" }')
c=src/core/a.c
case $name in
layers)
	expect $c '#include <stdio.h>'
	expect $c '#include "designs/design.h"'
	expect $c '#include "word.h"'
	expect $c '#include "../port/port.h"'
	expect include/rwsem/a.h '#include "port/port.h"'
	expect src/port/a.c '#include "core/word.h"'
	expect src/designs/a.c '#include "core/word.h"'
	expect src/designs/a.c '#include "designs/b.h"'
	expect tools/a.c '#include "core/word.h"'
	expect bench/a.c '#include "port/port.h"'
	;;
order)
	filler='\n\n\n\n\n\n\n\n\n'
	expect $c "$filler rwi_store_release(a, b, c);"
	expect $c "$filler rwi_fence_seq_cst(a);"
	expect $c "$filler __ATOMIC_ACQ_REL;"
	expect $c '/* ORDER get(1/2) */'
	expect src/designs/b.c '/* ORDER set(2/2) */'
	expect include/rwsem/a.h '/* ORDER get(2/2) */'
	expect $c '/* ORDER set: no half */'
	expect $c '__atomic_load_n(a, __ATOMIC_RELAXED);'
	expect $c '/* ORDER get(1/2), ORDER get(2/2) */'
	expect docs/ordering.md '| `get` | no such edge |'
	;;
switches)
	expect $c '#ifdef RWI_TEST'
	expect src/port/native.h '#if defined RWI_SIM'
	expect tests/a.c '#define RWI_WATCH'
	;;
functions)
	expect $c "void f(void)\n{\n$long}"
	expect tests/a.cpp "void f()\n{\n$long}"
	;;
text)
	note=TO
	expect src/core/b.c 'int a;'
	expect CMakeLists.txt '# no licence'
	expect $c 'int a; '
	expect $c 'int a;\r'
	expect $c '    \tint a;'
	expect $c "/* ${note}DO: finish */"
	expect tests/any.sh "cd /${none-}home/someone"
	expect a.json '\ttab'
	expect README.md 'no newline\c'
	;;
format)
	expect $c 'int a;\n\n    int b;'
	expect tests/a.cpp 'int  a;'
	;;
shell)
	expect tests/any.sh "rm \$1"
	expect dev "cat \$1"
	;;
tidy)
	b=src/port/b.c
	expect $b '#include <stdlib.h>\nvoid f(void) { (void)(malloc(1) == 0); }'
	expect $b 'static int never_called(void)\n{\n\treturn 0;\n}'
	expect $b 'int f(int a)\n{\n\tint *p = 0;\n\treturn a ? *p : 0;\n}'
	;;
*)
	echo "no planted fault for $name"
	exit 1
	;;
esac
echo "$name: $caught planted faults caught"
