// An accepted step keeps what its integrator promises, whatever goes wrong on the way: contact sets
// that are wrong or lose a contact, NaN, contact problems that are not solved. Each fault is put
// between the integrator and a sound system; overlap is computed here, not taken from a report.
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "saltus/integrators/moreau_jean.h"
#include "saltus/integrators/nonsmooth_alpha.h"
#include "saltus/simulation/test/physics.h"

namespace saltus {
namespace {

constexpr double kHalf = 0.1;  // of a cube, m
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A MultibodySystem whose answers are changed on their way to the integrator.
class FaultySystem final : public System {
 public:
  explicit FaultySystem(std::shared_ptr<const Model> model) : system_(std::move(model)) {}

  std::function<void(ContactSet*)> after_update;  // of UpdateContacts
  std::function<void(ContactSet*)> found;         // of FindContacts
  std::function<void(VectorX*)> force;

  std::unique_ptr<System> Clone() const override { return system_.Clone(); }
  const SystemTraits& traits() const override { return system_.traits(); }
  const std::shared_ptr<const BlockPattern>& pattern() const override { return system_.pattern(); }
  State MakeInitialState() const override { return system_.MakeInitialState(); }
  void Retract(const VectorX& q, const VectorX& delta, VectorX* q_new) const override {
    system_.Retract(q, delta, q_new);
  }
  void CalcDifference(const VectorX& q, const VectorX& other, VectorX* delta) const override {
    system_.CalcDifference(q, other, delta);
  }
  void CalcRetractTangent(const VectorX& delta, BlockMatrix* T) const override {
    system_.CalcRetractTangent(delta, T);
  }
  void CalcMass(const VectorX& q, BlockMatrix* M) const override { system_.CalcMass(q, M); }
  void CalcForce(double t, const VectorX& q, const VectorX& v, VectorX* f) const override {
    system_.CalcForce(t, q, v, f);
    if (force) force(f);
  }
  void CalcNonconservativeForce(double t, const VectorX& q, const VectorX& v,
                                VectorX* f) const override {
    system_.CalcNonconservativeForce(t, q, v, f);
  }
  void CalcTurnImpulse(double h, const VectorX& delta, const VectorX& v0, const VectorX& v1,
                       VectorX* tau) const override {
    system_.CalcTurnImpulse(h, delta, v0, v1, tau);
  }
  void CalcTangents(double t, const VectorX& q, const VectorX& v, TangentKind kind, BlockMatrix* K,
                    BlockMatrix* D) const override {
    system_.CalcTangents(t, q, v, kind, K, D);
  }
  void CalcConstraint(double t, const VectorX& q, VectorX* g) const override {
    system_.CalcConstraint(t, q, g);
  }
  void CalcConstraintJacobian(double t, const VectorX& q, SparseRows* G) const override {
    system_.CalcConstraintJacobian(t, q, G);
  }
  void CalcConstraintRate(double t, const VectorX& q, VectorX* g_t) const override {
    system_.CalcConstraintRate(t, q, g_t);
  }
  void CalcConstraintBias(double t, const VectorX& q, const VectorX& v,
                          VectorX* gamma) const override {
    system_.CalcConstraintBias(t, q, v, gamma);
  }
  void AddGeometricStiffness(double t, const VectorX& q, const VectorX& lambda,
                             BlockMatrix* K) const override {
    system_.AddGeometricStiffness(t, q, lambda, K);
  }
  void FindContacts(double t, const VectorX& q, double margin, ContactSet* contacts) override {
    system_.FindContacts(t, q, margin, contacts);
    if (found) found(contacts);
  }
  void UpdateContacts(double t, const VectorX& q, const VectorX& q_reference,
                      const ContactSet& reference, ContactSet* contacts) override {
    system_.UpdateContacts(t, q, q_reference, reference, contacts);
    if (after_update) after_update(contacts);
  }
  double CalcSpeedBound(const VectorX& q, const VectorX& v) const override {
    return system_.CalcSpeedBound(q, v);
  }
  Energy CalcEnergy(double t, const VectorX& q, const VectorX& v) const override {
    return system_.CalcEnergy(t, q, v);
  }
  std::string ConstraintName(int row) const override { return system_.ConstraintName(row); }
  std::string ContactName(const ContactKey& key) const override { return system_.ContactName(key); }

 private:
  MultibodySystem system_;
};

std::shared_ptr<const Model> MakeCubes(int count) {
  ModelBuilder builder;
  builder.Add(MakeMaterial(0.5, 0)).AddGroundShape(MakeFloor());
  for (int i = 0; i < count; ++i) {
    RigidBodySpec cube = MakeBody("cube" + std::to_string(i), Box{Vector3::Constant(kHalf)},
                                  {0.01 * (i % 2), 0, kHalf * (1 + 2 * i) + 1e-3 * i});
    if (i == 0) cube.velocity = Vector3(0.3, 0, 0);
    builder.Add(cube);
  }
  return builder.Build();
}

/// How far the lowest corner of the first cube lies below the floor z = 0, m.
double CalcDepth(const VectorX& q) {
  const Matrix3 R = Quaternion(q[3], q[4], q[5], q[6]).toRotationMatrix();
  return kHalf * R.row(2).cwiseAbs().sum() - q[2];
}

class Promises : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<Integrator> Make(int max_iterations = 1000,
                                   const std::string& solver = "auto") const {
    if (std::string(GetParam()) == "moreau-jean") {
      MoreauJeanOptions options;
      options.solver = solver;
      options.solver_options.max_iterations = max_iterations;
      return std::make_unique<MoreauJean>(options);
    }
    NonsmoothAlphaOptions options;
    options.solver = solver;
    options.solver_options.max_iterations = max_iterations;
    return std::make_unique<NonsmoothAlpha>(options);
  }
  /// Steps until one fails; returns how many were accepted. Accepted ones do not overlap, whether a
  /// fault was overcome or not.
  int StepUntilFailure(FaultySystem* system, int most) const {
    const std::unique_ptr<Integrator> integrator = Make();
    State state = system->MakeInitialState();
    for (int n = 0; n < most; ++n) {
      const State before = state;
      if (!integrator->Step(*system, 2e-3, &state).ok()) return n;
      EXPECT_LE(CalcDepth(state.q), 1e-8) << "step " << n;
      EXPECT_TRUE(state.q.allFinite() && state.v.allFinite());
    }
    return most;
  }
};

TEST_P(Promises, SoundSystemIsAccepted) {
  FaultySystem system(MakeCubes(1));
  EXPECT_EQ(StepUntilFailure(&system, 50), 50);
}

TEST_P(Promises, ContactsThatSeemOpenDoNotOverlap) {
  FaultySystem system(MakeCubes(1));
  system.after_update = [](ContactSet* set) {
    for (Contact& c : set->contacts) c.gap += 0.01;
  };
  StepUntilFailure(&system, 50);
}

TEST_P(Promises, RowsOfAnotherDirectionDoNotOverlap) {
  FaultySystem system(MakeCubes(1));
  system.after_update = [](ContactSet* set) {
    for (double& value : set->values) value = -value;
  };
  StepUntilFailure(&system, 50);
}

/// The first search misses two corners, the one at the end of the step does not.
TEST_P(Promises, ContactsThatTheFirstSearchMissesAreFoundAtTheEnd) {
  FaultySystem system(MakeCubes(1));
  int searches = 0;
  system.found = [&searches](ContactSet* set) {
    if (searches++ == 0 && set->contacts.size() > 2) set->contacts.resize(2);
  };
  StepUntilFailure(&system, 50);
}

TEST_P(Promises, LostContactsDoNotOverlap) {
  FaultySystem system(MakeCubes(1));
  system.after_update = [](ContactSet* set) {
    for (Contact& c : set->contacts) c.lost = true;
  };
  StepUntilFailure(&system, 50);
}

TEST_P(Promises, NaNFailsAndLeavesTheState) {
  for (const int which : {0, 1, 2}) {
    FaultySystem system(MakeCubes(1));
    if (which == 0) {
      system.force = [](VectorX* f) { (*f)[1] = kNaN; };
    } else {
      system.after_update = [which](ContactSet* set) {
        if (which == 1 && !set->contacts.empty()) set->contacts[0].gap = kNaN;
        if (which == 2 && !set->values.empty()) set->values[0] = kNaN;
      };
    }
    const std::unique_ptr<Integrator> integrator = Make();
    State state = system.MakeInitialState();
    const State before = state;
    const StepReport& report = integrator->Step(system, 2e-3, &state);
    EXPECT_FALSE(report.ok()) << which;
    EXPECT_TRUE(state.q.allFinite()) << which;
  }
}

TEST_P(Promises, UnsolvedProblemFails) {
  FaultySystem system(MakeCubes(10));
  const std::unique_ptr<Integrator> integrator = Make(1, "nsgs");
  State state = system.MakeInitialState();
  int failed = 0;
  for (int n = 0; n < 20; ++n) failed += integrator->Step(system, 5e-3, &state).ok() ? 0 : 1;
  EXPECT_GT(failed, 0);
}

INSTANTIATE_TEST_SUITE_P(Integrators, Promises, testing::Values("moreau-jean", "nonsmooth-alpha"),
                         [](const auto& test) {
                           return test.param[0] == 'm' ? std::string("MoreauJean")
                                                       : std::string("NonsmoothAlpha");
                         });

}  // namespace
}  // namespace saltus
