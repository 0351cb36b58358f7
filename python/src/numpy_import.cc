#define SALTUS_IMPORTS_NUMPY
#include "python/src/numpy.h"

namespace saltus::python {

bool ImportNumpy() { return _import_array() >= 0; }

}  // namespace saltus::python
