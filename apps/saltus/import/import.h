// Robots of other programs as models: URDF (ROS) and MJCF (MuJoCo 2).
//
// A file is read into a LinkTree (link_tree.h), which becomes bodies, joints and forces. What the
// model does not have of the file is named in `notes`, one sentence each; nothing is left out in
// silence. What is read: docs/import.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "saltus/multibody/model_spec.h"

namespace saltus {

struct ImportOptions {
  bool fixed_base = false;    // URDF: hold the root link fixed, whatever the file says
  bool self_contact = false;  // bodies of one tree touch each other unless a joint joins them
};

struct Import {
  ModelSpec model;
  std::optional<double> step;      // of the simulation, s, if the file has one
  std::vector<std::string> notes;  // what differs from the file
};

/// "urdf" or "mjcf" by the root element of the file; empty if it is neither.
std::string FindRobotFormat(const std::string& path);

/// Throws InputError if the file cannot be read as what it says it is.
Import ImportRobot(const std::string& path, const ImportOptions& options = {});
Import ImportUrdf(const std::string& path, const ImportOptions& options);
Import ImportMjcf(const std::string& path, const ImportOptions& options);

}  // namespace saltus
