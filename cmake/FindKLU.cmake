# Finds the LGPL/BSD part of SuiteSparse that Saltus uses: KLU and AMD (with BTF and COLAMD).
# Defines SuiteSparse::KLU and SuiteSparse::AMD.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(KLU_VARIABLES KLU_INCLUDE_DIR)
foreach(part klu btf colamd amd suitesparseconfig)
  find_library(KLU_${part}_LIBRARY ${part})
  list(APPEND KLU_VARIABLES KLU_${part}_LIBRARY)
endforeach()
mark_as_advanced(${KLU_VARIABLES})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS ${KLU_VARIABLES})

if(KLU_FOUND AND NOT TARGET SuiteSparse::KLU)
  add_library(SuiteSparse::AMD UNKNOWN IMPORTED)
  set_target_properties(SuiteSparse::AMD PROPERTIES
    IMPORTED_LOCATION ${KLU_amd_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${KLU_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES ${KLU_suitesparseconfig_LIBRARY})
  add_library(SuiteSparse::KLU UNKNOWN IMPORTED)
  set_target_properties(SuiteSparse::KLU PROPERTIES
    IMPORTED_LOCATION ${KLU_klu_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${KLU_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "${KLU_btf_LIBRARY};${KLU_colamd_LIBRARY};SuiteSparse::AMD")
endif()
