# SPDX-License-Identifier: MIT
#
# rwi_test(NAME area.property LABELS label... [SOURCES file...]
#          [PROGRAM name] [ARGS arg...] [LIBS target...] [TIMEOUT seconds])
#
# One test in one line.  SOURCES become a program of the same name, linked to
# the library built with RWI_TEST, to the designs and to tests/support.  PROGRAM
# instead runs a program of an earlier line with other ARGS.  Tests labelled
# timing run alone.  TIMEOUT is 30 s for label fast, else 60 s; slow builds
# (sanitizers, emulators) multiply it by RWI_PATIENCE, which the test also finds
# in its environment.  Exit status 77 means "skipped".
set(RWI_PATIENCE 1 CACHE STRING "How many times slower this build is")
mark_as_advanced(RWI_PATIENCE)

function(rwi_test)
  cmake_parse_arguments(PARSE_ARGV 0 T "" "NAME;PROGRAM;TIMEOUT"
    "SOURCES;LABELS;ARGS;LIBS")
  if(T_UNPARSED_ARGUMENTS OR NOT T_NAME OR NOT T_LABELS)
    message(FATAL_ERROR "rwi_test: bad arguments near ${T_NAME}")
  endif()
  if(T_SOURCES)
    add_executable(${T_NAME} ${T_SOURCES})
    target_link_libraries(${T_NAME} PRIVATE rwi_test_support ${T_LIBS})
    set(T_PROGRAM ${T_NAME})
  endif()
  add_test(NAME ${T_NAME} COMMAND ${T_PROGRAM} ${T_ARGS})
  rwi_test_properties(${T_NAME} "${T_LABELS}" "${T_TIMEOUT}")
endfunction()

# rwi_script_test(NAME area.property LABELS label... COMMAND arg...
#                 [TIMEOUT seconds]): the same for any command.
function(rwi_script_test)
  cmake_parse_arguments(PARSE_ARGV 0 T "" "NAME;TIMEOUT" "LABELS;COMMAND")
  if(T_UNPARSED_ARGUMENTS OR NOT T_NAME OR NOT T_LABELS)
    message(FATAL_ERROR "rwi_script_test: bad arguments near ${T_NAME}")
  endif()
  add_test(NAME ${T_NAME} COMMAND ${T_COMMAND})
  rwi_test_properties(${T_NAME} "${T_LABELS}" "${T_TIMEOUT}")
endfunction()

function(rwi_test_properties name labels timeout)
  if(NOT timeout)
    set(timeout 60)
    if("fast" IN_LIST labels)
      set(timeout 30)
    endif()
  endif()
  math(EXPR timeout "${timeout} * ${RWI_PATIENCE}")
  set_tests_properties(${name} PROPERTIES LABELS "${labels}"
    TIMEOUT ${timeout} SKIP_RETURN_CODE 77
    ENVIRONMENT "RWI_PATIENCE=${RWI_PATIENCE}")
  if("timing" IN_LIST labels)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
