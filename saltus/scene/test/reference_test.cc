// The section `reference`.
#include "saltus/scene/reference.h"

#include <cmath>

#include <gtest/gtest.h>

#include "saltus/scene/scene.h"

namespace saltus {
namespace {

const char kText[] = R"(saltus: 1
parameters: {a: 2}
bodies: {ball: {point_mass: 1}}
reference:
  ball.position.x: "${a}*t"
  ball.position.y: 0.5
  ball.position.z: {2: 0.25, 1: "${a/8}"}
)";

TEST(Reference, FormulasAndValues) {
  const Scene scene = ReadSceneText(kText, "test");
  ASSERT_EQ(scene.reference.size(), 3U);
  EXPECT_EQ(scene.reference[0].channel, "ball.position.x");
  EXPECT_EQ(scene.reference[0].formula->Value(3), 6);
  EXPECT_EQ(scene.reference[1].formula->Value(3), 0.5);
  const std::vector<std::pair<double, double>> values = {{1, 0.25}, {2, 0.25}};
  EXPECT_EQ(scene.reference[2].values, values);
}

TEST(Reference, IsWrittenBack) {
  const std::string text = WriteScene(ReadSceneText(kText, "test"));
  const Scene scene = ReadSceneText(text, "again");
  ASSERT_EQ(scene.reference.size(), 3U);
  EXPECT_EQ(scene.reference[0].formula->Value(3), 6);
  EXPECT_EQ(scene.reference[2].values[0].second, 0.25);
  EXPECT_EQ(WriteScene(scene), text);
}

// The formula of the ready scene against R1 of the references.
TEST(Reference, ReadyBallKnowsItsMotion) {
  const Scene scene = ReadScene(std::string(SALTUS_SOURCE_DIR) + "/scenes/bouncing_ball.yaml");
  ASSERT_EQ(scene.reference.size(), 2U);
  const TimeFunction& z = *scene.reference[0].formula;
  const TimeFunction& v = *scene.reference[1].formula;
  EXPECT_NEAR(z.Value(1) - 0.1, 0.7109491443330, 1e-12);
  EXPECT_NEAR(v.Value(1), -1.3940508556670, 1e-12);
  EXPECT_NEAR(z.Value(5) - 0.1, 0.1215486548391, 1e-12);
  EXPECT_FALSE(std::isfinite(z.Value(9))) << "beyond the accumulation nothing is said";
}

}  // namespace
}  // namespace saltus
