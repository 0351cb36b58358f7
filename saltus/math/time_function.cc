#include "saltus/math/time_function.h"

#include <utility>

namespace saltus {

TimeFunction::TimeFunction(double constant) : value_(constant) {}

TimeFunction::TimeFunction(std::function<TimeJet(double)> jet, std::string text)
    : constant_(false), jet_(std::move(jet)), text_(std::move(text)) {}

}  // namespace saltus
