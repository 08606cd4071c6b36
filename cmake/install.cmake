# cmake --install: the shell, both libraries, the header, a pkg-config file and a CMake package with the target leat::leat.
include(CMakePackageConfigHelpers)

install(TARGETS leat_shared EXPORT leat_shared_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS leat_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/leat.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET leat)
  install(TARGETS leat RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(leat_private_packages "libxxhash libcjson libpcre2-8 libutf8proc zlib libzstd")
# The file finds its prefix from where it lies, so an installed tree can be moved.
file(RELATIVE_PATH LEAT_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/leat.pc.in ${PROJECT_BINARY_DIR}/install/leat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/install/leat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(leat_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/leat)
install(EXPORT leat_shared_targets FILE leat-targets.cmake NAMESPACE leat:: DESTINATION ${leat_package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/leat-config.cmake.in ${PROJECT_BINARY_DIR}/install/leat-config.cmake
  INSTALL_DESTINATION ${leat_package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/leat-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/install/leat-config.cmake ${PROJECT_BINARY_DIR}/install/leat-config-version.cmake
  DESTINATION ${leat_package_folder})
