// The value of a channel at any time of a recorded run, with the interpolation said openly.
#pragma once

#include <string>
#include <vector>

#include "saltus/output/result_reader.h"

namespace saltus {

/// Between two frames at t₀ < t < t₁, with s = (t − t₀)/(t₁ − t₀):
enum class Interpolation {
  kHermite,  // positions: the cubic with the recorded values and velocities at both ends
  kLinear,   // (1 − s) x₀ + s x₁: velocities, orientations, joint coordinates, energies, gaps
  kStep,     // x₁: forces, impulses and the step size belong to the step that ends at t₁
};
/// "cubic Hermite between frames", …
const char* InterpolationName(Interpolation interpolation);

class ChannelSampler {
 public:
  ChannelSampler(const ResultReader& reader, const Channel& channel);
  /// Over numbers in memory. `rates` are those of the values, as long as them, for kHermite.
  ChannelSampler(std::string name, std::vector<double> times, std::vector<double> values,
                 std::vector<double> rates, Interpolation interpolation);

  Interpolation interpolation() const { return interpolation_; }
  /// True if a frame was recorded at t (to 1e-9 of the distance to its neighbours): no
  /// interpolation.
  bool IsFrame(double t) const;
  /// Throws InputError if t lies outside the recorded time. Of several frames at one instant
  /// (before and after an event) the last one counts.
  double operator()(double t) const;

 private:
  std::size_t FindNext(double t) const;
  double Tolerance(std::size_t k) const;

  std::string name_;
  std::vector<double> times_, values_, rates_;
  Interpolation interpolation_;
};

}  // namespace saltus
