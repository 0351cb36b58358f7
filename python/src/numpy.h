// numpy's own interface, for the places where a call costs more than the work in it. One source
// file (numpy_import.cc) imports it.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL saltus_numpy_api
#ifndef SALTUS_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace saltus::python {

/// Must be called once before any other use. False: a Python exception is set.
bool ImportNumpy();

}  // namespace saltus::python
