// A scalar function of time with its first two derivatives, for drives and loads.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace saltus {

/// Value f, rate ḟ and acceleration f̈ at one instant.
struct TimeJet {
  double value = 0;
  double rate = 0;
  double acceleration = 0;
};

/// A copyable, immutable function of time. `text` is the formula it came from (for writing scenes
/// and for messages); it is empty for C++ callables.
class TimeFunction {
 public:
  TimeFunction() : TimeFunction(0.0) {}
  TimeFunction(double constant);  // NOLINT(google-explicit-constructor): constants are functions
  TimeFunction(std::function<TimeJet(double)> jet, std::string text = "");

  TimeJet operator()(double t) const { return constant_ ? TimeJet{value_, 0, 0} : jet_(t); }
  double Value(double t) const { return constant_ ? value_ : jet_(t).value; }
  bool is_constant() const { return constant_; }
  const std::string& text() const { return text_; }

 private:
  bool constant_ = true;
  double value_ = 0;
  std::function<TimeJet(double)> jet_;
  std::string text_;
};

}  // namespace saltus
