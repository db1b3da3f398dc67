# SPDX-License-Identifier: MIT
# Headers, libraries, rwsem.pc and the CMake package.
include(CMakePackageConfigHelpers)

install(TARGETS ${rwsem_installed} EXPORT rwsem
  FILE_SET HEADERS)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rwsem)
install(EXPORT rwsem NAMESPACE rwsem:: FILE rwsemTargets.cmake
  DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rwsemConfig.cmake.in
  rwsemConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(rwsemConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rwsemConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/rwsemConfigVersion.cmake
  DESTINATION ${package_dir})

# The way back from rwsem.pc to the prefix: `cmake --install --prefix` may move
# all of it, after this was written.
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
  ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up ${up})
configure_file(${CMAKE_CURRENT_LIST_DIR}/rwsem.pc.in rwsem.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rwsem.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
