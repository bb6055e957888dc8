# cmake --install: the tool, the library with its headers, the plug-in with the in-process compiler, and a package
# for find_package(Filigree) and one for pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

target_include_directories(filigree PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
target_compile_features(filigree PUBLIC cxx_std_20)

install(TARGETS filigree EXPORT FiligreeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Include paths in headers start at src/, so that folder is include/filigree; the umbrella header is filigree.h there.
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/filigree FILES_MATCHING PATTERN "*.h" PATTERN "clang_plugin*" EXCLUDE)
install(FILES include/filigree.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/filigree)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# A project of its own that uses what is installed.
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Filigree)
install(EXPORT FiligreeTargets NAMESPACE Filigree:: DESTINATION ${package_folder})
configure_package_config_file(cmake/FiligreeConfig.cmake.in ${CMAKE_BINARY_DIR}/FiligreeConfig.cmake INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/FiligreeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/FiligreeConfig.cmake ${CMAKE_BINARY_DIR}/FiligreeConfigVersion.cmake DESTINATION ${package_folder})

# The folders relative to the file itself, so that an installation can be moved.
file(RELATIVE_PATH FILIGREE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" FILIGREE_PC_PREFIX ${FILIGREE_PC_PREFIX})
configure_file(cmake/filigree.pc.in ${CMAKE_BINARY_DIR}/filigree.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/filigree.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
