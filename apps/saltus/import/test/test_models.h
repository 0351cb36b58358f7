// What the tests of both formats share: files written on the spot, what a model weighs, and a run.
#pragma once

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "saltus/multibody/model_spec.h"
#include "saltus/scene/scene.h"

namespace saltus {

inline std::string WriteText(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

inline double TotalMass(const ModelSpec& model) {
  double mass = 0;
  for (const RigidBodySpec& body : model.rigid_bodies) mass += *body.mass;
  return mass;
}

/// Ten steps with the defaults of scenes.
inline void ExpectRuns(const ModelSpec& model) {
  Scene scene;
  scene.model = model;
  scene.simulation.step = 0.001;
  scene.simulation.until = 0.01;
  EXPECT_TRUE(MakeSimulation(scene).Run().good());
}

}  // namespace saltus
