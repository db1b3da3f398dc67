# SPDX-License-Identifier: MIT
#
# rwi_figures(target NAME): what bench/seeds/NAME.csv says, but for its comments,
# as the string rwi_seed_NAME_figures in "bench/seeds/NAME_figures.h", for the
# sources of the target.
function(rwi_figures target name)
  set(csv ${PROJECT_SOURCE_DIR}/bench/seeds/${name}.csv)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${csv})
  file(STRINGS ${csv} lines REGEX "^[^#]")
  set(text "/* From bench/seeds/${name}.csv. */\n")
  string(APPEND text "static const char rwi_seed_${name}_figures[] =")
  foreach(line IN LISTS lines)
    string(APPEND text "\n\t\"${line}\\n\"")
  endforeach()
  file(CONFIGURE CONTENT "${text};\n" @ONLY
    OUTPUT ${PROJECT_BINARY_DIR}/bench/seeds/${name}_figures.h)
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR})
endfunction()
