// Errors, in three kinds:
//   bad input            -> throw InputError (names file, line, key or item, value, admissible
//                           range);
//   broken invariant     -> SALTUS_CHECK aborts with a message;
//   numerical outcome    -> a value (SolveReport, StepReport), never an exception.
#pragma once

#include <stdexcept>
#include <string>

namespace saltus {

/// Where in a scene file a value was read. line == 0: unknown (built in C++ or Python).
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Bad input. what() reads "file:line:column: key: message; suggestion".
class InputError : public std::runtime_error {
 public:
  /// @param item  key path ("bodies.ball.mass") or item name ("joint 'hinge'")
  /// @param message  what is wrong, with the value and the admissible range
  /// @param suggestion  what would be right; may be empty
  InputError(std::string item, std::string message, std::string suggestion = "",
             SourceLocation location = {});

  const std::string& item() const { return item_; }
  const std::string& message() const { return message_; }
  const std::string& suggestion() const { return suggestion_; }
  const SourceLocation& location() const { return location_; }

 private:
  std::string item_;
  std::string message_;
  std::string suggestion_;
  SourceLocation location_;
};

[[noreturn]] void AbortOnBrokenInvariant(const char* condition, const char* file, int line,
                                         const std::string& message);

}  // namespace saltus

/// Aborts with a message if an invariant of our own code does not hold. Never for user input.
#define SALTUS_CHECK(condition, message)                                           \
  do {                                                                             \
    if (!(condition)) {                                                            \
      ::saltus::AbortOnBrokenInvariant(#condition, __FILE__, __LINE__, (message)); \
    }                                                                              \
  } while (false)
