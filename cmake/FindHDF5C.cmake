# Finds the C library of HDF5 and defines hdf5::hdf5. Unlike CMake's FindHDF5 it asks for no C
# compiler, so that a program in C++ alone can use the installed package.
find_path(HDF5C_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5C_LIBRARY hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(HDF5C_INCLUDE_DIR HDF5C_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5C REQUIRED_VARS HDF5C_LIBRARY HDF5C_INCLUDE_DIR)

if(HDF5C_FOUND AND NOT TARGET hdf5::hdf5)
  add_library(hdf5::hdf5 UNKNOWN IMPORTED)
  set_target_properties(hdf5::hdf5 PROPERTIES
    IMPORTED_LOCATION ${HDF5C_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${HDF5C_INCLUDE_DIR})
endif()
