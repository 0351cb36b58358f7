// From files to one tree: includes merged, overrides applied, parameters evaluated, repetitions
// written out. What is left has plain numbers, texts, lists and maps only.
//
//   text ── ParseYaml ──> tree ── include ──> tree ── --set ──> tree ── ${…}, repeat ──> tree
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "saltus/scene/value.h"

namespace saltus {

struct Composition {
  Value tree;
  std::vector<std::pair<std::string, double>> parameters;  // in the order of the file
  std::string source;  // text that stands for all files and overrides
};

/// `base_dir` empty: includes are refused.
Composition ComposeScene(const std::string& text, const std::string& file,
                         const std::string& base_dir, const std::vector<std::string>& overrides,
                         const SceneLimits& limits);

/// Merges the files that `root` includes, and theirs, into one map (include.cc).
///   parameters, simulation, audit, output, reference   entries of the including file win
///   materials, bodies, joints, forces, contacts   united; a name that appears twice is an error
///   pairs, ground.shapes                    appended
///   name, gravity, planar                   the including file wins
/// A file that is reached twice is merged once. Returns true if anything was included.
bool MergeIncludes(const std::string& file, const std::string& base_dir, const SceneLimits& limits,
                   ValueBudget* budget, Value* root);

/// Applies one "key=value" (override.cc).
void ApplyOverride(const std::string& assignment, const SceneLimits& limits, ValueBudget* budget,
                   Value* root);

/// Evaluates `parameters`, replaces every ${…} and writes out every `repeat` (expand.cc).
Value Expand(const Value& root, ValueBudget* budget,
             std::vector<std::pair<std::string, double>>* parameters);

}  // namespace saltus
