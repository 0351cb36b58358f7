# Installs headers, libraries, the program, and the package files behind find_package(saltus).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/saltus)

install(DIRECTORY saltus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN test EXCLUDE PATTERN bench EXCLUDE)
install(TARGETS ${SALTUS_LIBRARIES} saltus_all EXPORT saltusTargets)
if(TARGET saltus)
  install(TARGETS saltus)
endif()
install(EXPORT saltusTargets NAMESPACE saltus:: DESTINATION ${package_dir})

configure_package_config_file(cmake/saltusConfig.cmake.in saltusConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(saltusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/saltusConfig.cmake
              ${PROJECT_BINARY_DIR}/saltusConfigVersion.cmake
              cmake/SaltusPackages.cmake cmake/FindKLU.cmake cmake/FindHDF5C.cmake
        DESTINATION ${package_dir})
