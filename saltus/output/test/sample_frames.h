// Frames with numbers that tell frame, item and component apart, for the tests of this module.
#pragma once

#include <filesystem>
#include <string>

#include <unistd.h>

#include "saltus/simulation/frame.h"

namespace saltus {

inline FrameLayout MakeSampleLayout() {
  FrameLayout layout;
  layout.bodies = {"ball", "arm.upper", "crank-pin"};
  layout.joints = {{"hinge", "angle", "rad"}, {"weld", "", ""}, {"arm.slide", "displacement", "m"}};
  return layout;
}

/// Frame k at t = 0.1 k, with k % 3 contact points.
inline Frame MakeSampleFrame(long k) {
  const double x = static_cast<double>(k);
  Frame frame;
  frame.time = 0.1 * x;
  frame.step_index = k;
  frame.step_size = 0.1;
  frame.energy = {x + 0.25, x + 0.5, x + 0.75};
  frame.work.loads = x;
  frame.work.drives = 2 * x;
  frame.work.impact_loss = 3 * x;
  frame.work.friction_loss = 4 * x;
  frame.work.joint_friction_loss = 5 * x;
  frame.work.projection = 6 * x;
  frame.work.contact_loss = 7 * x;
  frame.work.decohesion_loss = 8 * x;
  frame.closure = 1e-12 * x;
  for (int b = 0; b < 3; ++b) {
    const double y = 100 * b + x;
    frame.bodies.push_back({{y, y + 0.1, y + 0.2},
                            {0.5, -0.5, 0.5, -0.5},
                            {-y, -y - 0.1, -y - 0.2},
                            {y / 3, y / 5, y / 7}});
  }
  for (int j = 0; j < 3; ++j) {
    const double y = 1000 * j + x;
    frame.joints.push_back({y, {y + 1, y + 2, y + 3}, {y + 4, y + 5, y + 6}});
  }
  for (long c = 0; c < k % 3; ++c) {
    const double y = x + 0.01 * static_cast<double>(c);
    frame.contacts.push_back({c == 0 ? "ball-ground" : "hinge.limit",
                              {0xffffffffffffff00ULL + static_cast<unsigned>(c), 7},
                              -1e-9 * y,
                              {y, 2 * y, 3 * y},
                              {0, 0, 1},
                              {0.6, 0.8, 0},
                              {y, 0.1, 0.2},
                              {0, 0, 0},
                              0.5 * static_cast<double>(c),
                              {-y, y, 3 * x}});
  }
  return frame;
}

/// A path in a folder of its own, removed at the end of the scope.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name) {
    std::string pattern = (std::filesystem::temp_directory_path() / "saltus_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    path_ = (folder_ / name).string();
  }
  ~ScratchFile() { std::filesystem::remove_all(folder_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

}  // namespace saltus
