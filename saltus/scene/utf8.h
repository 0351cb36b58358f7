// Checks that a text is printable UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace saltus {

struct TextFault {
  std::string message;  // empty: no fault
  int line = 0;         // from 1
  int column = 0;       // from 1, in bytes
};

/// The first malformed UTF-8 sequence or control character (tab and line ends are allowed).
TextFault FindTextFault(std::string_view text);

}  // namespace saltus
