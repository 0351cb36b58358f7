// What the fuzz targets of file readers share: a file in memory with the bytes of the fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace saltus {

/// A file that lives in memory, under a path that every reader can open.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void Write(const std::uint8_t* data, std::size_t size) const {
    if (ftruncate(descriptor_, 0) != 0) return;
    for (std::size_t at = 0; at < size;) {
      const ssize_t n = pwrite(descriptor_, data + at, size - at, static_cast<off_t>(at));
      if (n <= 0) return;
      at += static_cast<std::size_t>(n);
    }
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace saltus
