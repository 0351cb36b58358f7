// Random piles of mixed shapes under the default settings of Moreau–Jean: how many reach their end,
// how far bodies overlap, whether a step gains energy.
//   build/release/bin/random_piles [count] [first seed] [largest pile] [share]
// by default 500 piles from seed 1 of up to 200 bodies, share 0.99.
// Each pile: 2 to 200 spheres, capsules, boxes, cylinders and hulls fall into an open box;
// e ∈ [0, 0.9] and μ ∈ [0, 1], one pile in five with e = 0 and one in five with μ = 0; h = 2 ms,
// 0.8 s. Overlap is judged by separation certificates (pile_overlap.h) at every tenth step; energy
// is computed here from masses, poses and velocities. With P the impulse of a contact and u⁻, u its
// velocity before and after the step, taken here from the bodies at the point of contact, a step
// gains no more than
//   max(Σ P·(u + u⁻)/2, 0) + 1e-4 of the turnover, Σ m g z at the start;                       (1)
// with e = 0 or μ = 0 no more than 1e-4 of the turnover. Exits with 1 if a pile overlaps by more
// than 1e-6 m, or if fewer than the share reach their end, or keep (1) in all steps.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/multibody/model_builder.h"
#include "saltus/multibody/multibody_system.h"
#include "saltus/simulation/simulation.h"

#include "verification/pile_overlap.h"

namespace saltus {
namespace {

constexpr double kStep = 2e-3, kUntil = 0.8, kGravity = 9.81, kDensity = 1200;
constexpr int kCertificateEvery = 10;
constexpr double kMaxOverlap = 1e-6, kMaxGain = 1e-4;

struct Pile {
  double e = 0, mu = 0;
  std::vector<Shape> shapes;
  std::vector<Pose> poses;
  std::vector<double> masses;
  std::vector<Matrix3> inertias;  // about the centre, body axes
  double width = 0, height = 0;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  // Not a distribution of the standard library: their numbers differ from one to the next.
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

Shape MakeShape(Random* random) {
  const double pick = random->Uniform(0, 5);
  const auto size = [&] { return random->Uniform(0.02, 0.04); };
  if (pick < 1) return Sphere{size()};
  if (pick < 2) return Capsule{0.7 * size(), size()};
  if (pick < 3) return Box{Vector3(size(), size(), size())};
  if (pick < 4) return Cylinder{size(), size()};
  std::vector<Vector3> points(12);
  for (Vector3& x : points) {
    for (int k = 0; k < 3; ++k) x[k] = random->Uniform(-0.04, 0.04);
  }
  const Vector3 center = CalcUnitDensityMass(MakeConvexHull(points)).center;
  for (Vector3& x : points) x -= center;
  return MakeConvexHull(points);
}

Pile MakePile(unsigned seed, int largest) {
  Random random(seed);
  Pile pile;
  pile.e = seed % 5 == 0 ? 0 : random.Uniform(0, 0.9);
  pile.mu = seed % 5 == 1 ? 0 : random.Uniform(0, 1);
  // As many small piles as large ones: the logarithm of the number is uniform.
  const int count = static_cast<int>(2 * std::pow(0.5 * largest, random.Uniform(0, 1)) + 0.5);
  const int edge = std::max(2, static_cast<int>(std::ceil(std::cbrt(count))));
  constexpr double kSpacing = 0.15;
  pile.width = kSpacing * edge + 0.05;
  pile.height = 0.1 + kSpacing * (count / (edge * edge) + 2);
  for (int i = 0; i < count; ++i) {
    const Vector3 cell(i % edge - 0.5 * (edge - 1), (i / edge) % edge - 0.5 * (edge - 1),
                       i / (edge * edge));
    pile.shapes.push_back(MakeShape(&random));
    pile.poses.push_back({kSpacing * cell + Vector3(0, 0, 0.1), random.Rotation()});
    const MassProperties unit = CalcUnitDensityMass(pile.shapes.back());
    pile.masses.push_back(kDensity * unit.mass);
    pile.inertias.push_back(kDensity * unit.inertia);
  }
  return pile;
}

std::vector<std::pair<Shape, Pose>> MakeContainer(const Pile& pile) {
  const double wall = 0.05, outer = pile.width + 2 * wall, off = 0.5 * (pile.width + wall);
  const auto box = [](const Vector3& size, const Vector3& at) {
    return std::pair<Shape, Pose>(Box{0.5 * size}, Pose{at, Quaternion::Identity()});
  };
  const double h = pile.height;
  return {box({outer, outer, wall}, {0, 0, -0.5 * wall}), box({wall, outer, h}, {off, 0, 0.5 * h}),
          box({wall, outer, h}, {-off, 0, 0.5 * h}), box({outer, wall, h}, {0, off, 0.5 * h}),
          box({outer, wall, h}, {0, -off, 0.5 * h})};
}

std::shared_ptr<const Model> BuildModel(const Pile& pile) {
  ModelBuilder builder;
  builder.Add(MaterialSpec{"stuff", kDensity, pile.mu, pile.e, 0});
  for (const auto& [shape, pose] : MakeContainer(pile)) {
    builder.AddGroundShape({shape, pose, "stuff", 0});
  }
  for (std::size_t i = 0; i < pile.shapes.size(); ++i) {
    RigidBodySpec body;
    body.name = "b" + std::to_string(i);
    body.position = pile.poses[i].p;
    body.orientation = pile.poses[i].R;
    body.shapes.push_back({pile.shapes[i], Pose{}, "stuff", 0});
    builder.Add(body);
  }
  return builder.Build();
}

struct Motion {
  Pose pose;
  Vector3 v = Vector3::Zero(), w = Vector3::Zero();  // of the centre, world axes
};

/// Sees every step and keeps the worst.
class Judge final : public Observer {
 public:
  explicit Judge(const Pile& pile) : pile_(pile) {
    for (const auto& [shape, pose] : MakeContainer(pile)) overlap_.Add(shape, pose, -1);
    for (std::size_t i = 0; i < pile.shapes.size(); ++i) {
      overlap_.Add(pile.shapes[i], Pose{}, static_cast<int>(i));
      names_["b" + std::to_string(i)] = static_cast<int>(i);
      turnover_ += pile.masses[i] * kGravity * pile.poses[i].p.z();
    }
  }

  void OnStart(const StepView& view) override { last_ = Read(view); }

  void OnStep(const StepView& view) override {
    const std::vector<Motion> now = Read(view);
    const double gain = CalcEnergy(now) - CalcEnergy(last_);
    double allowed = 0;
    if (pile_.e > 0 && pile_.mu > 0) allowed = std::max(0.0, CalcContactWork(view, now));
    max_gain_ = std::max(max_gain_, (gain - allowed) / turnover_);
    last_ = now;
    if (view.step_index % kCertificateEvery != 0) return;
    std::vector<Pose> poses;
    for (const Motion& m : now) poses.push_back(m.pose);
    max_overlap_ = std::max(max_overlap_, overlap_.Calc(poses));
  }

  double max_gain() const { return max_gain_; }  // share of the turnover
  double max_overlap() const { return max_overlap_; }

 private:
  std::vector<Motion> Read(const StepView& view) const {
    const auto& system = static_cast<const MultibodySystem&>(view.system);
    std::vector<Motion> motions;
    for (int b = 0; b < static_cast<int>(pile_.shapes.size()); ++b) {
      Motion m;
      m.pose = system.CalcBodyMotion(b, view.state.q, view.state.v).pose;
      m.v = view.state.v.segment<3>(6 * b);
      m.w = m.pose.R * view.state.v.segment<3>(6 * b + 3);
      motions.push_back(m);
    }
    return motions;
  }

  double CalcEnergy(const std::vector<Motion>& motions) const {
    double energy = 0;
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const Motion& m = motions[i];
      const Vector3 w = m.pose.R.conjugate() * m.w;
      energy += pile_.masses[i] * (0.5 * m.v.squaredNorm() + kGravity * m.pose.p.z()) +
                0.5 * w.dot(pile_.inertias[i] * w);
    }
    return energy;
  }

  /// Σ P·(u + u⁻)/2. A contact is called "b3-ground" or "b3-b7"; the impulse acts on the second of
  /// its colliders, and those of the ground come first.
  double CalcContactWork(const StepView& view, const std::vector<Motion>& now) const {
    double work = 0;
    for (const ContactResult& c : view.report.contacts) {
      const std::string name = view.system.ContactName(c.key);
      const std::size_t dash = name.find('-');
      const std::string first = name.substr(0, dash), second = name.substr(dash + 1);
      const Vector3 P = c.frame * c.impulse;
      const auto power = [&](int body) {
        const Motion &m0 = last_[static_cast<std::size_t>(body)],
                     &m1 = now[static_cast<std::size_t>(body)];
        const Vector3 u0 = m0.v + m0.w.cross(c.point - m0.pose.p);
        const Vector3 u1 = m1.v + m1.w.cross(c.point - m1.pose.p);
        return 0.5 * P.dot(u0 + u1);
      };
      if (second == "ground") {
        work += power(names_.at(first));
      } else {
        work += power(names_.at(second)) - power(names_.at(first));
      }
    }
    return work;
  }

  const Pile& pile_;
  PileOverlap overlap_;
  std::map<std::string, int> names_;
  std::vector<Motion> last_;
  double turnover_ = 0, max_gain_ = 0, max_overlap_ = 0;
};

struct Total {
  int count = 0, ended = 0, overlapping = 0, gaining = 0;
  double overlap = 0, gain = 0;
};

void RunPile(unsigned seed, int largest, Total* total) {
  const Pile pile = MakePile(seed, largest);
  SimulationOptions options;
  options.step = kStep;
  options.until = kUntil;
  Simulation simulation(std::make_unique<MultibodySystem>(BuildModel(pile)),
                        std::make_unique<MoreauJean>(MoreauJeanOptions{}), options);
  Judge judge(pile);
  simulation.AddObserver(&judge);
  const RunOutcome outcome = simulation.Run();
  const bool ended = outcome.kind == RunOutcome::Kind::kFinished;
  const bool overlaps = judge.max_overlap() > kMaxOverlap, gains = judge.max_gain() > kMaxGain;
  ++total->count;
  total->ended += ended;
  total->overlapping += overlaps;
  total->gaining += gains;
  total->overlap = std::max(total->overlap, judge.max_overlap());
  total->gain = std::max(total->gain, judge.max_gain());
  if (ended && !overlaps && !gains) return;
  std::printf("seed %u (%zu bodies, e %.2f, mu %.2f): %s, overlap %.1e m, gain %.1e\n", seed,
              pile.shapes.size(), pile.e, pile.mu, ended ? "ends" : outcome.message.c_str(),
              judge.max_overlap(), judge.max_gain());
  std::fflush(stdout);
}

}  // namespace
}  // namespace saltus

int main(int argc, char** argv) {
  using namespace saltus;
  const int count = argc > 1 ? std::atoi(argv[1]) : 500;
  const unsigned first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  const int largest = argc > 3 ? std::atoi(argv[3]) : 200;
  const double share = argc > 4 ? std::atof(argv[4]) : 0.99;
  Total total;
  for (int i = 0; i < count; ++i) RunPile(first + static_cast<unsigned>(i), largest, &total);
  std::printf(
      "%d piles: %d reach their end; %d overlap by more than %.0e m, %.1e m at most; in %d a step "
      "gains too much, %.1e of the turnover at most\n",
      total.count, total.ended, total.overlapping, kMaxOverlap, total.overlap, total.gaining,
      total.gain);
  const double wanted = share * total.count;
  const bool good =
      total.ended >= wanted && total.count - total.gaining >= wanted && total.overlapping == 0;
  return good ? 0 : 1;
}
