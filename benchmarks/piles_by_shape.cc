// Piles of boxes, capsules, cylinders and hulls against Bullet in one run: processor time per step
// and overlap, both judged by the same certificate.
//   piles_by_shape_bench [quick] [KIND…]      60 of each kind, and 1000 boxes unless quick
//   piles_by_shape_bench run KIND COUNT EDGE SECONDS ROWS [INTEGRATOR]   one pile, for profiles
#include "benchmarks/piles_by_shape.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

#include "verification/pile_overlap.h"

namespace saltus::bench {
namespace {

constexpr int kCertificateEvery = 20;

/// Numbers that do not depend on the standard library: mt19937 is specified, distributions are not.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double Uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  Quaternion Rotation() {
    for (;;) {
      const Eigen::Vector4d x(Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1));
      if (x.norm() > 0.1 && x.norm() < 1) return Quaternion(x / x.norm());
    }
  }

 private:
  std::mt19937 engine_;
};

/// Twelve points in a box, moved so that the centre of mass is the origin.
Shape MakeHull(Random* random) {
  std::vector<Vector3> points(12);
  for (Vector3& x : points) {
    for (int k = 0; k < 3; ++k) x[k] = random->Uniform(-0.06, 0.06);
  }
  const Vector3 center = CalcUnitDensityMass(MakeConvexHull(points)).center;
  for (Vector3& x : points) x -= center;
  return MakeConvexHull(points);
}

Shape MakeShape(const std::string& kind, int i, Random* random) {
  if (kind == "box") return Box{{0.05, 0.03, 0.025}};
  if (kind == "capsule") return Capsule{0.025, 0.03};
  if (kind == "cylinder") return Cylinder{0.035, 0.04};
  if (kind == "hull") return MakeHull(random);
  if (kind == "sphere") return Sphere{0.04};
  const char* kinds[] = {"box", "capsule", "cylinder", "hull", "sphere"};
  return MakeShape(kinds[i % 5], i, random);
}

std::shared_ptr<const Model> BuildPile(const ShapePile& pile) {
  ModelBuilder builder;
  builder.Add(MaterialSpec{"stuff", pile.density, pile.friction, pile.restitution, 0});
  for (const PlacedBody& wall : pile.MakeContainer()) {
    builder.AddGroundShape({wall.shape, wall.pose, "stuff", 0});
  }
  int number = 0;
  for (const PlacedBody& placed : pile.MakeBodies()) {
    RigidBodySpec body;
    body.name = "body_" + std::to_string(number++);
    body.position = placed.pose.p;
    body.orientation = placed.pose.R;
    body.shapes.push_back({placed.shape, Pose{}, "stuff", 0});
    builder.Add(body);
  }
  return builder.Build();
}

class Watch final : public Observer {
 public:
  Watch(const ShapePile& pile, PileRun* run) : run_(run) {
    for (const PlacedBody& wall : pile.MakeContainer()) overlap_.Add(wall.shape, wall.pose, -1);
    int number = 0;
    for (const PlacedBody& body : pile.MakeBodies()) overlap_.Add(body.shape, Pose{}, number++);
  }

  void OnStep(const StepView& view) override {
    const double start = ProcessorTime();
    if (view.step_index % kCertificateEvery == 0) See(view);
    spent_ += ProcessorTime() - start;
  }
  void See(const StepView& view) {
    const auto& system = static_cast<const MultibodySystem&>(view.system);
    poses_.clear();
    run_->final_speed = 0;
    for (int b = 0; b < static_cast<int>(system.model().bodies.size()); ++b) {
      const auto motion = system.CalcBodyMotion(b, view.state.q, view.state.v);
      poses_.push_back(motion.pose);
      run_->final_speed = std::max(run_->final_speed, view.state.v.segment<3>(6 * b).norm());
    }
    run_->max_overlap = std::max(run_->max_overlap, overlap_.Calc(poses_));
  }
  double spent() const { return spent_; }

 private:
  PileRun* run_;
  PileOverlap overlap_;
  std::vector<Pose> poses_;
  double spent_ = 0;
};

std::unique_ptr<Integrator> MakePileIntegrator(const std::string& name, const std::string& rows) {
  if (name == "nonsmooth-alpha") return std::make_unique<NonsmoothAlpha>(NonsmoothAlphaOptions{});
  MoreauJeanOptions options;
  if (rows == "start") options.contact_rows = MoreauJeanOptions::Rows::kStart;
  return std::make_unique<MoreauJean>(options);
}

}  // namespace

std::vector<PlacedBody> ShapePile::MakeBodies() const {
  Random random(3);
  std::vector<PlacedBody> bodies;
  for (int i = 0; i < count; ++i) {
    const int layer = i / (edge * edge), column = i % edge, row = (i / edge) % edge;
    const Vector3 p(0.15 * (column - 0.5 * (edge - 1)), 0.15 * (row - 0.5 * (edge - 1)),
                    0.1 + 0.13 * layer);
    const Quaternion R = random.Rotation();
    bodies.push_back({MakeShape(kind, i, &random), {p, R}});
  }
  return bodies;
}

std::vector<PlacedBody> ShapePile::MakeContainer() const {
  const double width = 0.15 * edge + 0.05, wall = 0.05, height = 0.6;
  const auto box = [](const Vector3& size, const Vector3& at) {
    return PlacedBody{Box{0.5 * size}, {at, Quaternion::Identity()}};
  };
  const double outer = width + 2 * wall, off = 0.5 * (width + wall);
  return {box({outer, outer, wall}, {0, 0, -0.5 * wall}),
          box({wall, outer, height}, {off, 0, 0.5 * height}),
          box({wall, outer, height}, {-off, 0, 0.5 * height}),
          box({outer, wall, height}, {0, off, 0.5 * height}),
          box({outer, wall, height}, {0, -off, 0.5 * height})};
}

PileRun RunSaltusShapes(const ShapePile& pile, const std::string& integrator,
                        const std::string& rows) {
  SimulationOptions options;
  options.step = pile.step;
  options.until = pile.until;
  Simulation simulation(std::make_unique<MultibodySystem>(BuildPile(pile)),
                        MakePileIntegrator(integrator, rows), options);
  PileRun run;
  Watch watch(pile, &run);
  simulation.AddObserver(&watch);
  const double start = ProcessorTime();
  const RunOutcome outcome = simulation.Run();
  const double seconds = ProcessorTime() - start - watch.spent();
  const Audit& audit = simulation.audit();
  const auto steps = static_cast<double>(std::max(1L, static_cast<long>(audit.steps)));
  run.finished = outcome.kind == RunOutcome::Kind::kFinished;
  run.message = outcome.message;
  run.time = simulation.state().time;
  run.steps = static_cast<long>(steps);
  run.seconds_per_step = seconds / steps;
  run.reported_overlap = audit.max_penetration;
  run.newton_per_step = static_cast<double>(audit.newton_iterations) / steps;
  run.sweeps_per_step = static_cast<double>(audit.solver_iterations) / steps;
  return run;
}

namespace {

void Print(const ShapePile& pile, const char* name, const PileRun& run, double reference) {
  std::printf("%-9s %5d  %-22s %9.3f ms %6.1fx  %8.1e m %8.1e m %8.1e m/s %5.1f %7.0f  %s %.3f s\n",
              pile.kind.c_str(), pile.count, name, 1e3 * run.seconds_per_step,
              reference > 0 ? run.seconds_per_step / reference : 0.0, run.max_overlap,
              run.reported_overlap, run.final_speed, run.newton_per_step, run.sweeps_per_step,
              run.finished ? "ends" : "STOPS", run.time);
  if (!run.finished) std::printf("          %s\n", run.message.c_str());
  std::fflush(stdout);
}

void Compare(const ShapePile& pile) {
  double reference = 0;
#ifdef SALTUS_HAS_BULLET
  const PileRun peer = RunBulletShapes(pile);
  reference = peer.seconds_per_step;
  Print(pile, "Bullet", peer, reference);
#endif
  Print(pile, "moreau-jean start", RunSaltusShapes(pile, "moreau-jean", "start"), reference);
  Print(pile, "moreau-jean defaults", RunSaltusShapes(pile, "moreau-jean", "midpoint"), reference);
}

}  // namespace
}  // namespace saltus::bench

int main(int argc, char** argv) {
  using namespace saltus::bench;
  std::printf(
      "Processor time per step, ratio to Bullet (double precision, 50 iterations), overlap by the\n"
      "certificate and as reported, fastest body at the end, Newton iterations and sweeps a "
      "step.\n");
  if (argc >= 7 && std::strcmp(argv[1], "run") == 0) {
    ShapePile pile;
    pile.kind = argv[2];
    pile.count = std::atoi(argv[3]);
    pile.edge = std::atoi(argv[4]);
    pile.until = std::atof(argv[5]);
    const std::string integrator = argc > 7 ? argv[7] : "moreau-jean";
    Print(pile, argv[6], RunSaltusShapes(pile, integrator, argv[6]), 0);
    return 0;
  }
  bool quick = false;
  std::vector<std::string> kinds;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "quick") == 0) {
      quick = true;
    } else {
      kinds.emplace_back(argv[i]);
    }
  }
  if (kinds.empty()) kinds = {"box", "capsule", "cylinder", "hull", "mix"};
  for (const std::string& kind : kinds) {
    ShapePile pile;
    pile.kind = kind;
    if (quick) pile.until = 0.4;
    Compare(pile);
  }
  if (quick) return 0;
  ShapePile large;
  large.count = 1000;
  large.edge = 10;
  Compare(large);
  return 0;
}
