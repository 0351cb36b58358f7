// Counts the heap allocations of the whole program, those of Eigen and of C included: the file of
// the same name replaces malloc and its relatives by ones that count.
#pragma once

namespace saltus::bench {

/// Calls of malloc, calloc, realloc, aligned_alloc and posix_memalign so far; operator new uses
/// them.
long CountAllocations();

}  // namespace saltus::bench
