// A run recorded as it goes: every frame that was asked for, the end, and an exact continuation.
#include "saltus/output/result_writer.h"

#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/output/csv.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/test/sample_frames.h"

namespace saltus {
namespace {

constexpr double kStep = 1.0 / 128;  // a binary number: times are exact

// A ball bounces on the floor while a bead swings on a rod.
Simulation MakeSample(double until) {
  RigidBodySpec ball;
  ball.name = "ball";
  ball.mass = 1;
  ball.inertia = 0.004 * Matrix3::Identity();
  ball.position = {0, 0, 0.5};
  ball.velocity = {1, 0, 0};
  ball.shapes.push_back({Sphere{0.1}, {}, "rubber"});
  MaterialSpec rubber;
  rubber.name = "rubber";
  rubber.friction = 0.4;
  rubber.restitution = 0.6;
  JointSpec rod;
  rod.name = "rod";
  rod.type = JointType::kDistance;
  rod.body_a = "bead";
  rod.body_b = "ground";
  rod.points = {Vector3::Zero(), Vector3(0, 0, 3)};
  ModelBuilder builder;
  builder.Add(rubber).Add(ball).Add(PointMassSpec{"bead", 0.5, {1, 0, 3}, {0, 0, 0}, {}}).Add(rod);
  builder.AddGroundShape({HalfSpace{}, {}, "rubber"});
  SimulationOptions options;
  options.step = kStep;
  options.until = until;
  return Simulation(std::make_unique<MultibodySystem>(builder.Build()),
                    std::make_unique<MoreauJean>(MoreauJeanOptions{}), options);
}

void Record(const std::string& path, const ResultOptions& options, Simulation* simulation) {
  ResultWriter writer(path, options);
  simulation->AddObserver(&writer);
  ASSERT_TRUE(simulation->Run().good());
}

TEST(ResultWriter, RecordsTheIntervalAndTheEnd) {
  const ScratchFile scratch("run.h5");
  ResultOptions options;
  options.interval.every = 7;
  options.file.title = "Ball and bead";
  Simulation simulation = MakeSample(1);
  Record(scratch.path(), options, &simulation);

  const ResultReader reader(scratch.path());
  std::vector<double> expected;
  for (int k = 0; k < 128; k += 7) expected.push_back(k * kStep);
  expected.push_back(1);
  EXPECT_EQ(reader.times(), expected);
  EXPECT_EQ(reader.outcome(), "finished");
  EXPECT_EQ(reader.layout().bodies, (std::vector<std::string>{"ball", "bead"}));
  EXPECT_EQ(reader.ReadChannel("step.size").back(), kStep);
  EXPECT_EQ(reader.ReadChannel("energy.total").back(), simulation.audit().final_energy.total());
  EXPECT_EQ(reader.ReadChannel("ledger.impact_loss").back(), simulation.audit().work.impact_loss);
  EXPECT_NE(reader.ReadChannel("rod.force.z").back(), 0);
  // The floor does not hold the ball back: v_x changes only at impacts, through friction.
  EXPECT_EQ(reader.ReadChannel("ball.velocity.x").front(), 1);
}

// A flush before every step changes what reaches the disk when, but not a bit of the numbers.
TEST(ResultWriter, FlushingDoesNotChangeTheResult) {
  const ScratchFile rare("rare.h5"), often("often.h5");
  ResultOptions options;
  Simulation first = MakeSample(0.5), second = MakeSample(0.5);
  Record(rare.path(), options, &first);
  options.flush_interval = 0;
  options.checkpoint_interval = 1e-9;
  Record(often.path(), options, &second);
  const ResultReader a(rare.path()), b(often.path());
  for (const Channel& channel : a.catalog().List()) {
    const std::vector<double> x = a.ReadChannel(channel), y = b.ReadChannel(channel.name);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_TRUE(x[k] == y[k] || (std::isnan(x[k]) && std::isnan(y[k]))) << channel.name;
    }
  }
  EXPECT_EQ(a.ReadCheckpoint().state.q, b.ReadCheckpoint().state.q);
}

TEST(ResultWriter, CheckpointContinuesBitForBit) {
  const ScratchFile part("part.h5");
  Simulation whole = MakeSample(1);
  ASSERT_TRUE(whole.Run().good());
  Simulation first = MakeSample(0.625);
  Record(part.path(), {}, &first);
  Simulation second = MakeSample(1);
  second.Restore(ResultReader(part.path()).ReadCheckpoint());
  ASSERT_TRUE(second.Run().good());
  EXPECT_EQ(second.state().q, whole.state().q);
  EXPECT_EQ(second.state().v, whole.state().v);
  EXPECT_EQ(second.state().time, whole.state().time);
  EXPECT_EQ(second.audit().Closure(), whole.audit().Closure());
  EXPECT_EQ(second.audit().events, whole.audit().events);
}

TEST(CsvWriter, WritesOneExactRowPerFrame) {
  const ScratchFile table("run.csv"), result("run.h5");
  Simulation simulation = MakeSample(0.25);
  CsvWriter csv(table.path(), {});
  simulation.AddObserver(&csv);
  Record(result.path(), {}, &simulation);

  const ResultReader reader(result.path());
  std::ifstream file(table.path());
  std::string line, name;
  std::getline(file, line);
  std::istringstream header(line);
  std::vector<std::vector<double>> columns;
  while (std::getline(header, name, ',')) columns.push_back(reader.ReadChannel(name));
  std::size_t row = 0;
  for (; std::getline(file, line); ++row) {
    const char* at = line.c_str();
    for (const std::vector<double>& column : columns) {
      char* end = nullptr;
      EXPECT_EQ(std::strtod(at, &end), column.at(row));
      at = end + 1;
    }
  }
  EXPECT_EQ(row, 33U);
}

TEST(CheckWritable, NamesWhatIsWrong) {
  const ScratchFile scratch("run.h5");
  CheckWritable(scratch.path());
  CheckWritable("run.h5");
  EXPECT_THROW(CheckWritable(scratch.folder().string()), InputError);
  EXPECT_THROW(CheckWritable((scratch.folder() / "missing" / "run.h5").string()), InputError);
  EXPECT_THROW(CheckWritable(""), InputError);
}

}  // namespace
}  // namespace saltus
