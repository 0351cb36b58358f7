# The Debian package: program, viewer, libraries, headers, CMake files, man pages and completion.
# Made by `cpack` in the build tree; ./do package does it and tests what comes out.
if(NOT TARGET saltus)
  return()
endif()
find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(manual_dir ${PROJECT_BINARY_DIR}/manual)
add_custom_command(
  OUTPUT ${manual_dir}/man1/saltus.1.gz
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/make_manual.py $<TARGET_FILE:saltus>
          ${manual_dir} ${PROJECT_VERSION}
  DEPENDS saltus ${PROJECT_SOURCE_DIR}/tools/make_manual.py
  COMMENT "Writing man pages and completion"
  VERBATIM)
add_custom_target(saltus_manual DEPENDS ${manual_dir}/man1/saltus.1.gz)
install(DIRECTORY ${manual_dir}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
install(FILES ${manual_dir}/bash-completion/saltus
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)

# Debian asks for a copyright file and a changelog.
set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc/saltus)
configure_file(cmake/copyright.in debian/copyright @ONLY)
configure_file(cmake/changelog.in debian/changelog @ONLY)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/debian/changelog.gz
  COMMAND gzip -9nkf changelog
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/debian
  VERBATIM)
add_custom_target(saltus_changelog DEPENDS ${PROJECT_BINARY_DIR}/debian/changelog.gz)
add_dependencies(saltus_manual saltus_changelog)
install(FILES ${PROJECT_BINARY_DIR}/debian/copyright DESTINATION ${doc_dir})
install(FILES ${PROJECT_BINARY_DIR}/debian/changelog.gz DESTINATION ${doc_dir} OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME saltus)
set(CPACK_PACKAGE_VENDOR "The Saltus developers")
set(CPACK_PACKAGE_CONTACT "The Saltus developers <maintainers@users.noreply.a-seed-c0ff3549.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "nonsmooth dynamics of multibody systems")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "Mechanisms and piles of bodies that touch, slide, stick and collide.\n Contact, friction and impacts are set-valued laws inside one conic\n problem per step, and every run carries an audit that says how far its\n result can be trusted. This package has the program, the page that plays\n results in the browser, and the C++ library.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "chromium, ffmpeg, libeigen3-dev, libsuitesparse-dev, libyaml-cpp-dev, libfmt-dev, libhdf5-dev, zlib1g-dev")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
