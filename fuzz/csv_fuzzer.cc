// libFuzzer target of CSV tables: any bytes give a table with columns of equal length and times
// that do not decrease, or an InputError.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "saltus/base/error.h"
#include "saltus/output/trace.h"

#include "fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const saltus::MemoryFile file;
  file.Write(data, size);
  try {
    const saltus::Trace trace = saltus::ReadTraceCsv(file.path());
    if (!std::is_sorted(trace.times.begin(), trace.times.end())) std::abort();
    for (const auto& column : trace.columns) {
      if (column.values.size() != trace.times.size()) std::abort();
    }
  } catch (const saltus::InputError& error) {
    if (std::string(error.what()).empty()) std::abort();
  }
  return 0;
}
