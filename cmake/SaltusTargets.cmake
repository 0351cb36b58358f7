# saltus_target_options(<target>): the warnings that every target of ours is compiled with.
function(saltus_target_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
    -Wextra-semi $<$<BOOL:${SALTUS_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # The flow analyses of g++ 12 misfire inside inlined Eigen and std::string code; and it wants
    # every member named in a designated initialiser, although specs have defaults.
    target_compile_options(${target} PRIVATE
      -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
      -Wno-restrict -Wno-missing-field-initializers)
    if(SALTUS_NATIVE)
      # Its AVX-512 intrinsics start from registers that are undefined on purpose.
      target_compile_options(${target} PRIVATE -Wno-uninitialized)
    endif()
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # Part of -Wconversion here but not in g++: our indices are signed, as Eigen's are.
    target_compile_options(${target} PRIVATE -Wno-sign-conversion -Wno-missing-field-initializers)
  endif()
endfunction()

# saltus_precompile(<target> [TEST]): shares one precompiled header among all targets of a kind, so that
# Eigen, the standard library and (TEST) GoogleTest are parsed once per build.
function(saltus_precompile target)
  if(NOT SALTUS_PRECOMPILE)
    return()
  endif()
  set(owner saltus_precompiled)
  set(header precompiled.h)
  set(packages Eigen3::Eigen fmt::fmt)
  if("TEST" IN_LIST ARGN)
    string(APPEND owner _test)
    set(header precompiled_test.h)
    list(APPEND packages GTest::gtest GTest::gmock)
  endif()
  if(NOT TARGET ${owner})
    file(WRITE ${PROJECT_BINARY_DIR}/${owner}.cc "// Owns the precompiled header.\n")
    add_library(${owner} OBJECT ${PROJECT_BINARY_DIR}/${owner}.cc)
    saltus_target_options(${owner})
    target_link_libraries(${owner} PRIVATE ${packages})
    target_precompile_headers(${owner} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_compile_options(${target} PRIVATE -fPIC)  # As the header's owner: not -fPIE in programs.
endfunction()

# saltus_module(<name> [DEPS modules…] [PACKAGES targets…] [TEST_DEPS targets…])
#
# Makes a module of the folder that calls it, from the places of its files alone:
#   *.cc             library saltus_<name>, alias saltus::<name>
#   test/*.cc        executable saltus_<name>_test, one ctest per gtest case
#   bench/*.cc       executable saltus_<name>_bench, with SALTUS_BUILD_BENCHMARKS
# A folder without sources gives a header-only library. DEPS names modules (base, math, …), PACKAGES
# names imported targets, TEST_DEPS names targets that only the tests and benchmarks link.
function(saltus_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS;PACKAGES;TEST_DEPS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cc)
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER tests INCLUDE REGEX "(^|/)test/")
  list(FILTER benches INCLUDE REGEX "(^|/)bench/")
  list(FILTER sources EXCLUDE REGEX "(^|/)(test|bench)/")

  if(sources)
    add_library(saltus_${name} STATIC ${sources})
    set(scope PUBLIC)
    saltus_target_options(saltus_${name})
    saltus_precompile(saltus_${name})
  else()
    add_library(saltus_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(saltus::${name} ALIAS saltus_${name})
  set_target_properties(saltus_${name} PROPERTIES EXPORT_NAME ${name})

  list(TRANSFORM arg_DEPS PREPEND saltus_)
  target_link_libraries(saltus_${name} ${scope} ${arg_DEPS} Eigen3::Eigen ${arg_PACKAGES})
  target_compile_features(saltus_${name} ${scope} cxx_std_20)
  target_include_directories(saltus_${name} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(SALTUS_NATIVE)  # Programs that use the library must share its vector width.
    target_compile_options(saltus_${name} INTERFACE -march=native)
  endif()

  if(tests AND SALTUS_BUILD_TESTS)
    add_executable(saltus_${name}_test ${tests})
    saltus_target_options(saltus_${name}_test)
    saltus_precompile(saltus_${name}_test TEST)
    target_link_libraries(saltus_${name}_test PRIVATE saltus_${name} ${arg_TEST_DEPS}
                          GTest::gtest_main GTest::gmock)
    # Only where it is used, so that all other objects are the same in every clone (ccache).
    foreach(test IN LISTS tests)
      file(STRINGS ${test} uses_source_dir REGEX SALTUS_SOURCE_DIR LIMIT_COUNT 1)
      if(uses_source_dir)
        set_property(SOURCE ${test} APPEND PROPERTY COMPILE_DEFINITIONS
                     SALTUS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
      endif()
    endforeach()
    # Suites called Slow… run code that other tests run too: sanitizers leave them out.
    gtest_discover_tests(saltus_${name}_test DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}/
                         TEST_FILTER "-Slow*" PROPERTIES TIMEOUT 900 LABELS ${name})
    gtest_discover_tests(saltus_${name}_test DISCOVERY_MODE PRE_TEST TEST_PREFIX ${name}/
                         TEST_FILTER "Slow*" TEST_LIST saltus_${name}_slow_tests
                         PROPERTIES TIMEOUT 900 LABELS "${name};slow")
  endif()
  if(benches AND SALTUS_BUILD_BENCHMARKS)
    add_executable(saltus_${name}_bench ${benches})
    saltus_target_options(saltus_${name}_bench)
    saltus_precompile(saltus_${name}_bench)
    target_link_libraries(saltus_${name}_bench PRIVATE saltus_${name} ${arg_TEST_DEPS}
                          benchmark::benchmark_main)
  endif()
endfunction()

# saltus_program(<name> SOURCES files… [LINK targets…]): an executable in build/<preset>/bin.
function(saltus_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  saltus_target_options(${name})
  saltus_precompile(${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()
