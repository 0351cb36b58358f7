// Headers, chunks and events of what the viewer shows.
#include "saltus/output/view_source.h"

#include <cmath>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/output/packed_block.h"
#include "saltus/output/test/sample_frames.h"
#include "saltus/output/view_page.h"

namespace saltus {
namespace {

using ::testing::HasSubstr;

/// A ball on the ground with μ = 0.5: colliders 0 (ground) and 1 (ball).
ViewModel MakeBall() {
  ViewModel view;
  view.spec.name = "Ball";
  view.spec.materials.push_back({.name = "rubber", .friction = 0.5});
  view.spec.ground_shapes.push_back({.shape = HalfSpace{}, .material = "rubber"});
  RigidBodySpec ball{.name = "ball", .position = {1, 2, 3}};
  ball.shapes.push_back({.shape = Sphere{0.1}, .material = "rubber"});
  view.spec.rigid_bodies.push_back(ball);
  view.model = ModelBuilder()
                   .Add(view.spec.materials[0])
                   .AddGroundShape(view.spec.ground_shapes[0])
                   .Add(ball)
                   .Build();
  return view;
}

Frame MakeBallFrame(long k, const Vector3& force, const Vector3& impulse) {
  Frame frame;
  frame.time = 0.01 * static_cast<double>(k);
  frame.bodies.push_back({{0.1 * static_cast<double>(k), 0, 0.1},
                          Quaternion::Identity(),
                          Vector3(10, 0, 0),
                          Vector3::Zero()});
  frame.contacts.push_back({"ball-ground",
                            {1, 0},
                            0,
                            {0, 0, 0},
                            {0, 0, 1},
                            {1, 0, 0},
                            force,
                            impulse,
                            0,
                            Vector3::Zero()});
  return frame;
}

std::string WriteBallResult(const ScratchFile& scratch) {
  FrameLayout layout;
  layout.bodies = {"ball"};
  ResultFile file(scratch.path(), layout, {.title = "Ball"});
  file.AddFrame(MakeBallFrame(0, {1, 0, 0}, Vector3::Zero()));
  file.AddFrame(MakeBallFrame(1, {1, 0.1, 0}, Vector3::Zero()));       // sticks
  file.AddFrame(MakeBallFrame(2, {1, 0, 0.5}, Vector3::Zero()));       // slips
  file.AddFrame(MakeBallFrame(3, {1, 0.3, 0.4}, Vector3::Zero()));     // still slips
  file.AddFrame(MakeBallFrame(4, {1, 0.3, 0.1}, Vector3::Zero()));     // sticks
  file.AddFrame(MakeBallFrame(5, Vector3::Zero(), Vector3(2, 0, 0)));  // an impact
  file.AddEvent({0.025, "gate", 7});
  file.SetAudit(Audit(), "finished");
  file.Close();
  return scratch.path();
}

TEST(ViewSource, FindsImpactsAndTheChangesBetweenStickAndSlip) {
  const ScratchFile scratch("ball.h5");
  const ResultReader reader(WriteBallResult(scratch));
  const ViewModel ball = MakeBall();
  ViewEvents events;
  events.AddFrames(reader, ball.model.get(), 0, reader.ReadContacts(0, 3));
  events.AddFrames(reader, ball.model.get(), 3, reader.ReadContacts(3, 3));
  std::vector<std::string> found;
  for (const ViewEvent& event : events.list()) {
    found.push_back(event.kind + " " + std::to_string(event.frame) + " " + event.subject);
  }
  EXPECT_THAT(found, ::testing::ElementsAre("slip 2 ball-ground", "stick 4 ball-ground",
                                            "impact 5 ball-ground"));
  EXPECT_DOUBLE_EQ(events.typical_impulse(), 2);
}

TEST(ViewSource, BlocksHoldTheRecordedMotionToTheStatedError) {
  const ScratchFile scratch("ball.h5");
  ViewSource source(WriteBallResult(scratch), MakeBall(), {.precision = 1e-7});
  ASSERT_EQ(source.num_frames(), 6);
  std::size_t columns = 0;
  const std::vector<double> positions =
      UnpackBlock(source.MakeBlock("bodies.position", 0), &columns);
  ASSERT_EQ(columns, 3u);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(positions[3 * k], 0.1 * k, source.position_error());
  EXPECT_GT(source.position_error(), 0);
  EXPECT_LT(source.position_error(), 1e-6);
  EXPECT_EQ(UnpackBlock(source.MakeBlock("time", 0), &columns)[5], 0.05);
  const std::vector<double> contacts = UnpackBlock(source.MakeBlock("contacts", 0), &columns);
  ASSERT_EQ(columns, 17u);
  EXPECT_NEAR(contacts[2 * 17 + 9], 0.5, 1e-6);   // the force of frame 2 along y, world axes
  EXPECT_NEAR(contacts[2 * 17 + 15], 0.5, 1e-6);  // μ
  EXPECT_THROW(source.MakeBlock("nothing", 0), InputError);
  EXPECT_THROW(source.MakeBlock("time", 1), InputError);
}

TEST(ViewSource, HeaderTellsTheMechanismTheEventsAndTheOutcome) {
  const ScratchFile scratch("ball.h5");
  ViewSource source(WriteBallResult(scratch), MakeBall(), {});
  const std::string header = source.MakeHeader();
  EXPECT_THAT(header, HasSubstr(R"("frames":6)"));
  EXPECT_THAT(header, HasSubstr(R"("outcome":"finished")"));
  EXPECT_THAT(header, HasSubstr(R"("type":"sphere","radius":0.1)"));
  EXPECT_THAT(header, HasSubstr(R"("type":"half_space")"));
  EXPECT_THAT(header, HasSubstr(R"("kind":"user","subject":"gate","value":7)"));
  EXPECT_THAT(header, HasSubstr(R"("kind":"slip")"));
}

TEST(ViewSource, ASceneIsItsStart) {
  ViewSource source(MakeBall(), "ball.yaml", {});
  EXPECT_EQ(source.num_frames(), 1);
  std::size_t columns = 0;
  const std::vector<double> position =
      UnpackBlock(source.MakeBlock("bodies.position", 0), &columns);
  EXPECT_NEAR(position[2], 3, 1e-6);
  EXPECT_THAT(source.MakeHeader(), HasSubstr(R"("title":"")"));
}

TEST(ViewSource, AResultWithoutItsModelIsShownWithoutShapes) {
  const ScratchFile scratch("ball.h5");
  ViewSource source(WriteBallResult(scratch), {}, {});
  EXPECT_THAT(source.MakeHeader(), HasSubstr(R"("bodies":[{"name":"ball"}])"));
}

TEST(ViewPage, HasEveryBlockOfEveryResultAtTheMark) {
  const ScratchFile scratch("ball.h5");
  ViewSource source(WriteBallResult(scratch), MakeBall(), {});
  std::ostringstream stream;
  WriteEmbeddedPage({.page = "before <!--saltus-data--> after"}, {&source, &source}, &stream);
  const std::string page = stream.str();
  EXPECT_THAT(page, ::testing::StartsWith("before <script"));
  EXPECT_THAT(page, ::testing::EndsWith(" after"));
  for (const std::string& name : source.streams()) {
    EXPECT_THAT(page, HasSubstr("id=\"saltus-block-1-" + name + "-0\""));
  }
  EXPECT_THAT(page, HasSubstr("id=\"saltus-header-1\""));
  EXPECT_THROW(WriteEmbeddedPage({.page = "no mark"}, {&source}, &stream), InputError);
}

TEST(ViewPage, OnlyAServedPageMayConnect) {
  const ViewPage page{.page = "connect-src 'none'; <!--saltus-data-->"};
  EXPECT_THAT(MakeServedPage(page, 1), HasSubstr("connect-src 'self'"));
  std::ostringstream stream;
  ViewSource source(MakeBall(), "ball.yaml", {});
  WriteEmbeddedPage(page, {&source}, &stream);
  EXPECT_THAT(stream.str(), HasSubstr("connect-src 'none'"));
}

}  // namespace
}  // namespace saltus
