# The packages that the library itself needs. Shared by the build and by the installed package, so
# that the two never disagree.
include(CMakeFindDependencyMacro)
find_dependency(Eigen3 3.4 NO_MODULE)
find_dependency(fmt)
find_dependency(yaml-cpp)
find_dependency(KLU)
find_dependency(HDF5C)
find_dependency(ZLIB)
find_dependency(Threads)

# yaml-cpp 0.7 exports a target without a namespace.
if(TARGET yaml-cpp AND NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()
