// LargePageAllocator: memory for tables that sweeps pass through again and again.
//
// A table of many megabytes in pages of 4 kB costs a walk through the page tables for every page
// that is visited. Where the system has larger pages on request (Linux: madvise), large blocks ask
// for them; elsewhere, and for small blocks, this is the ordinary heap.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace saltus {

inline constexpr std::size_t kLargePage = std::size_t{1} << 21;  // bytes

/// Memory of at least `bytes`, aligned to `alignment` or more. Throws std::bad_alloc.
inline void* AllocateTable(std::size_t bytes, std::size_t alignment) {
  const bool large = bytes >= kLargePage;
  if (large) alignment = kLargePage;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (large) madvise(memory, rounded, MADV_HUGEPAGE);  // a wish: failure is none
#endif
  return memory;
}

template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>&) {}  // NOLINT: as of all allocators

  T* allocate(std::size_t n) {
    constexpr std::size_t kCacheLine = 64;
    if (n > static_cast<std::size_t>(-1) / 4 / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(
        AllocateTable(n * sizeof(T), alignof(T) > kCacheLine ? alignof(T) : kCacheLine));
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  template <class U>
  bool operator==(const LargePageAllocator<U>&) const {
    return true;
  }
};

}  // namespace saltus
