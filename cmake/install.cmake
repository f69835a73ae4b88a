include(CMakePackageConfigHelpers)

install(TARGETS covary EXPORT covary_targets
  FILE_SET public_headers DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILE_SET generated_headers DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(COVARY_APPS)
  install(TARGETS covary_app covary_paper RUNTIME)
endif()
install(EXPORT covary_targets NAMESPACE covary::
  FILE covary-targets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/covary)

configure_package_config_file(cmake/covary-config.cmake.in
  ${CMAKE_BINARY_DIR}/covary-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/covary)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/covary-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_BINARY_DIR}/covary-config.cmake
  ${CMAKE_BINARY_DIR}/covary-config-version.cmake
  cmake/FindLibCSV.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/covary)

# Relative, so that the installed folder can be moved.
file(RELATIVE_PATH COVARY_PC_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/covary.pc.in ${CMAKE_BINARY_DIR}/covary.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/covary.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
