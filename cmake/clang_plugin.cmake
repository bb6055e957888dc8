# The plug-in with clang, LLVM and LLD: libfiligree_clang.so, opened when a kernel is in no cache.
#
# Linked statically where the archives are installed: opening it then takes 4 ms instead of the 17 ms
# of libclang-cpp.so and libLLVM.so, nothing of LLVM is needed at run time, and its symbols cannot meet
# those of another LLVM in the process (PyTorch's, Mesa's).
include(GNUInstallDirs)
include(CheckLinkerFlag)
set(FILIGREE_CLANG AUTO CACHE STRING "In-process compiler: AUTO (STATIC, else SHARED, else OFF), STATIC, SHARED, OFF")
set_property(CACHE FILIGREE_CLANG PROPERTY STRINGS AUTO STATIC SHARED OFF)

# What is inside a function stays there: LLVM's package sets dozens of variables.
function(filigree_add_clang_plugin version_variable)
  set(${version_variable} "" PARENT_SCOPE)
  if(FILIGREE_CLANG STREQUAL OFF)
    return()
  endif()
  # LLVM's own package only, and only of version 19: CMake's search would also find the packages of other versions, whose
  # files may be missing.  LLVMConfig.cmake accepts only its own minor version, so 19.1 and not 19.
  find_package(LLVM 19.1 CONFIG QUIET NO_DEFAULT_PATH PATHS ${LLVM_DIR} ${LLVM_ROOT} /usr/lib/llvm-19 /usr/local/lib/llvm-19
    /usr/local /usr/lib64/llvm19 /usr)
  # Of clang and LLD what is really needed, beside that LLVM: their packages for CMake ask for much more (clang's for all tools).
  set(lacking "")
  if(NOT LLVM_FOUND)
    set(lacking "LLVM 19.1")
  else()
    foreach(header clang/CodeGen/CodeGenAction.h lld/Common/Driver.h)
      if(NOT EXISTS ${LLVM_INCLUDE_DIR}/${header})
        list(APPEND lacking ${LLVM_INCLUDE_DIR}/${header})
      endif()
    endforeach()
    foreach(archive lldELF lldCommon)
      if(NOT EXISTS ${LLVM_LIBRARY_DIR}/lib${archive}.a)
        list(APPEND lacking ${LLVM_LIBRARY_DIR}/lib${archive}.a)
      endif()
    endforeach()
  endif()
  if(lacking)
    list(JOIN lacking ", " lacking)
    message(WARNING "Building without the in-process compiler: ${lacking} not found "
                    "(Debian: llvm-19-dev libclang-19-dev liblld-19-dev). Kernels will need a system compiler.")
    return()
  endif()

  set(clang_names CodeGen Frontend Driver Parse Sema Serialization APINotes Analysis ASTMatchers AST Edit
    Lex Support Basic)
  set(lld_archives ${LLVM_LIBRARY_DIR}/liblldELF.a ${LLVM_LIBRARY_DIR}/liblldCommon.a)
  set(clang_archives "")
  set(linkage STATIC)
  foreach(name ${clang_names})
    list(APPEND clang_archives ${LLVM_LIBRARY_DIR}/libclang${name}.a)
  endforeach()
  foreach(archive ${clang_archives} ${LLVM_LIBRARY_DIR}/libLLVMCore.a)
    if(NOT EXISTS ${archive})
      set(linkage SHARED)
    endif()
  endforeach()
  if(NOT FILIGREE_CLANG STREQUAL AUTO)
    set(linkage ${FILIGREE_CLANG})
  endif()

  # Cache keys contain this: a change of the plug-in's sources must not find kernels it did not compile.
  set(folder ${CMAKE_SOURCE_DIR}/src/jit)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/clang_plugin*.cpp ${folder}/clang_plugin*.h)
  foreach(shared temporary unfinished)  # which need nothing else
    list(APPEND sources ${CMAKE_SOURCE_DIR}/src/support/${shared}.cpp ${CMAKE_SOURCE_DIR}/src/support/${shared}.h)
  endforeach()
  list(SORT sources)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  set(digests "")
  foreach(source ${sources})
    file(SHA256 ${source} digest)
    string(APPEND digests ${digest})
  endforeach()
  string(SHA256 digest "${digests}")
  string(SUBSTRING ${digest} 0 16 digest)
  set(version "${LLVM_PACKAGE_VERSION}-${digest}")
  set(${version_variable} ${version} PARENT_SCOPE)

  add_library(filigree_clang MODULE ${sources})
  # Not the directory's options: code with sanitizers misreads the memory of LLVM's that is without.
  set_target_properties(filigree_clang PROPERTIES
    COMPILE_OPTIONS "" LINK_OPTIONS "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  target_include_directories(filigree_clang PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(filigree_clang SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(filigree_clang PRIVATE FILIGREE_PLUGIN_VERSION="${version}")
  target_compile_options(filigree_clang PRIVATE ${definitions} -ffunction-sections -fdata-sections)
  target_link_options(filigree_clang PRIVATE -Wl,--wrap=_ZN4llvm2cl25ResetAllOptionOccurrencesEv -Wl,--wrap=_ZN4llvm3sys7Process4ExitEib)
  if(linkage STREQUAL STATIC)
    set(foreign_targets "")
    foreach(target ${LLVM_TARGETS_TO_BUILD})
      if(NOT target STREQUAL LLVM_NATIVE_ARCH)
        string(APPEND foreign_targets " FILIGREE_EMPTY_TARGET(${target})")
      endif()
    endforeach()
    target_compile_definitions(filigree_clang PRIVATE "FILIGREE_FOREIGN_TARGETS=${foreign_targets}")
    # By file, not by LLVM's targets: those of clang depend on libLLVM.so and those of LLVM on Polly's
    # archives, which Debian does not ship.  The linker takes only the members it needs.
    file(GLOB llvm_archives ${LLVM_LIBRARY_DIR}/libLLVM*.a)
    target_link_libraries(filigree_clang PRIVATE -Wl,--start-group ${lld_archives} ${clang_archives} ${llvm_archives} -Wl,--end-group
      zstd::libzstd_shared ZLIB::ZLIB ${CMAKE_DL_LIBS} Threads::Threads)
    target_link_options(filigree_clang PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,-s -Wl,-O2)
    # 285,000 relocations in 70 KB instead of 7 MB.
    check_linker_flag(CXX -Wl,-z,pack-relative-relocs FILIGREE_LINKER_PACKS_RELOCATIONS)
    if(FILIGREE_LINKER_PACKS_RELOCATIONS)
      target_link_options(filigree_clang PRIVATE -Wl,-z,pack-relative-relocs)
    endif()
  else()
    find_library(FILIGREE_CLANG_CPP NAMES clang-cpp libclang-cpp.so.19.1 PATHS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH REQUIRED)
    target_link_libraries(filigree_clang PRIVATE ${lld_archives} ${FILIGREE_CLANG_CPP} LLVM zstd::libzstd_shared ZLIB::ZLIB)
  endif()
  install(TARGETS filigree_clang LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  message(STATUS "In-process compiler: LLVM ${LLVM_PACKAGE_VERSION}, ${linkage}")
endfunction()

filigree_add_clang_plugin(FILIGREE_PLUGIN_VERSION)
if(TARGET filigree_jit)
  target_compile_definitions(filigree_jit PRIVATE FILIGREE_PLUGIN_VERSION="${FILIGREE_PLUGIN_VERSION}"
    FILIGREE_PLUGIN_INSTALL_DIR="${CMAKE_INSTALL_FULL_LIBDIR}")
  if(TARGET filigree_clang)
    add_dependencies(filigree_jit filigree_clang)
    # Test programs link the objects of filigree_jit, not the target, and must find the plug-in built.
    set_source_files_properties(src/jit/clang.cpp PROPERTIES OBJECT_DEPENDS
      ${CMAKE_BINARY_DIR}/lib/libfiligree_clang.so)
  endif()
endif()
