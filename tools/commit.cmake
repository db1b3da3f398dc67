# SPDX-License-Identifier: MIT
# Write commit.h, which names what is being built, if that has changed: run at
# each build, because a commit or an edit changes it without a new configure.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define RWSEM_COMMIT \"${commit}\"\n")
