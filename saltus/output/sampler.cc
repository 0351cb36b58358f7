#include "saltus/output/sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

Interpolation ChooseInterpolation(const Quantity& quantity) {
  const std::string& name = quantity.name;
  if (name == "position") return Interpolation::kHermite;
  const bool of_the_step =
      name == "force" || name == "torque" || name == "impulse" || name == "step.size";
  return of_the_step ? Interpolation::kStep : Interpolation::kLinear;
}

}  // namespace

const char* InterpolationName(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kHermite:
      return "cubic Hermite between frames";
    case Interpolation::kLinear:
      return "linear between frames";
    case Interpolation::kStep:
      return "value of the step that contains the time";
  }
  return "";
}

ChannelSampler::ChannelSampler(const ResultReader& reader, const Channel& channel)
    : name_(channel.name),
      times_(reader.times()),
      values_(reader.ReadChannel(channel)),
      interpolation_(ChooseInterpolation(*channel.quantity)) {
  if (times_.empty()) throw InputError("", "holds no frame", "", {reader.path()});
  if (interpolation_ == Interpolation::kHermite) {
    const std::string& body = reader.layout().bodies[static_cast<std::size_t>(channel.item)];
    const std::string& axis =
        channel.quantity->components[static_cast<std::size_t>(channel.component)];
    rates_ = reader.ReadChannel(body + ".velocity." + axis);
  }
}

ChannelSampler::ChannelSampler(std::string name, std::vector<double> times,
                               std::vector<double> values, std::vector<double> rates,
                               Interpolation interpolation)
    : name_(std::move(name)),
      times_(std::move(times)),
      values_(std::move(values)),
      rates_(std::move(rates)),
      interpolation_(interpolation) {
  SALTUS_CHECK(!times_.empty() && times_.size() == values_.size(), "no values of " + name_);
  SALTUS_CHECK(interpolation_ != Interpolation::kHermite || rates_.size() == values_.size(),
               "no rates of " + name_);
}

// 1e-9 of the distance to the neighbours, and at least the rounding of the time itself.
double ChannelSampler::Tolerance(std::size_t k) const {
  const double before = k > 0 ? times_[k] - times_[k - 1] : 0.0;
  const double after = k + 1 < times_.size() ? times_[k + 1] - times_[k] : 0.0;
  return std::max(1e-9 * std::max(before, after), 4e-16 * std::abs(times_[k]));
}

// The last frame of those at t, or the first after it, or the number of frames.
std::size_t ChannelSampler::FindNext(double t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  auto k = static_cast<std::size_t>(after - times_.begin());
  if (k > 0 && t - times_[k - 1] <= Tolerance(k - 1)) return k - 1;
  if (k < times_.size() && times_[k] - t <= Tolerance(k)) {
    while (k + 1 < times_.size() && times_[k + 1] == times_[k]) ++k;
  }
  return k;
}

bool ChannelSampler::IsFrame(double t) const {
  const std::size_t k = FindNext(t);
  return k < times_.size() && std::abs(times_[k] - t) <= Tolerance(k);
}

double ChannelSampler::operator()(double t) const {
  const std::size_t k = FindNext(t);
  if (k < times_.size() && std::abs(times_[k] - t) <= Tolerance(k)) return values_[k];
  if (k == 0 || k == times_.size() || std::isnan(t)) {
    throw InputError("time " + std::to_string(t), "lies outside the recorded time from " +
                                                      std::to_string(times_.front()) + " s to " +
                                                      std::to_string(times_.back()) + " s");
  }
  const double x0 = values_[k - 1], x1 = values_[k];
  if (interpolation_ == Interpolation::kStep) return x1;
  const double dt = times_[k] - times_[k - 1];
  const double s = (t - times_[k - 1]) / dt;
  if (interpolation_ == Interpolation::kLinear) return (1 - s) * x0 + s * x1;
  const double r = 1 - s;
  return r * r * (1 + 2 * s) * x0 + s * s * (1 + 2 * r) * x1 +
         dt * s * r * (r * rates_[k - 1] - s * rates_[k]);
}

}  // namespace saltus
