#include "verification/exact_motions.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace saltus {
namespace {

/// A root of f in [a, b], f(a) > 0 ≥ f(b), by bisection to rounding.
double Bisect(const std::function<double(double)>& f, double a, double b) {
  for (int k = 0; k < 200 && a < b; ++k) {
    const double middle = 0.5 * (a + b);
    if (middle == a || middle == b) break;
    (f(middle) > 0 ? a : b) = middle;
  }
  return 0.5 * (a + b);
}

/// θ and θ̇ of θ̈ = −c cos θ by Runge–Kutta steps of order 4 that are kept as a table.
class PendulumFlight {
 public:
  PendulumFlight(double c, double angle, double rate) : c_(c) { nodes_.push_back({angle, rate}); }

  Vector2 At(double t) {
    const auto k = static_cast<std::size_t>(t / kStep);
    while (nodes_.size() <= k) nodes_.push_back(Advance(nodes_.back(), kStep));
    return Advance(nodes_[k], t - kStep * static_cast<double>(k));
  }

 private:
  static constexpr double kStep = 2e-4;  // local error (kStep)⁵ ~ 3e-19: rounding

  Vector2 Advance(const Vector2& x, double h) const {
    const auto f = [this](const Vector2& y) { return Vector2(y[1], -c_ * std::cos(y[0])); };
    const Vector2 k1 = f(x), k2 = f(x + 0.5 * h * k1), k3 = f(x + 0.5 * h * k2), k4 = f(x + h * k3);
    return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }

  double c_;
  std::vector<Vector2> nodes_;
};

/// q(t) = Σ φ_k (a_k cos ω_k t + b_k sin ω_k t), rigid modes a_k + b_k t: M q̈ + K q = 0.
class ModalMotion {
 public:
  ModalMotion(const MatrixX& M, const MatrixX& K, const VectorX& q, const VectorX& v) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> modes(K, M);
    phi_ = modes.eigenvectors();
    omega_ = modes.eigenvalues().cwiseMax(0).cwiseSqrt();
    const double largest = omega_.maxCoeff();
    for (Eigen::Index k = 0; k < omega_.size(); ++k) {
      if (omega_[k] < 1e-6 * largest) omega_[k] = 0;
    }
    a_ = phi_.transpose() * (M * q);
    b_ = phi_.transpose() * (M * v);
  }

  /// Derivative 0, 1 or 2 of q.
  VectorX Calc(double t, int derivative) const {
    VectorX x(omega_.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const double w = omega_[k], c = std::cos(w * t), s = std::sin(w * t);
      if (w == 0) {
        x[k] = derivative == 0 ? a_[k] + b_[k] * t : derivative == 1 ? b_[k] : 0;
      } else if (derivative == 0) {
        x[k] = a_[k] * c + b_[k] / w * s;
      } else {
        x[k] = derivative == 1 ? -a_[k] * w * s + b_[k] * c : -w * w * (a_[k] * c + b_[k] / w * s);
      }
    }
    return phi_ * x;
  }
  double highest_frequency() const { return omega_.maxCoeff(); }

 private:
  MatrixX phi_;
  VectorX omega_, a_, b_;
};

}  // namespace

VectorX ExactMotion::operator()(double t) const {
  auto flight = std::upper_bound(flights_.begin(), flights_.end(), t,
                                 [](double time, const Flight& f) { return time < f.begin; });
  --flight;
  return flight->q(t - flight->begin);
}

ExactMotion SolvePendulum(const BouncingPendulumData& data, double until) {
  const double c = data.mass * data.gravity * data.length /
                   (data.mass * data.length * data.length + data.inertia);
  std::vector<Flight> flights;
  double t = 0, rate = 0, angle = data.angle;
  while (t < until) {
    const auto flight = std::make_shared<PendulumFlight>(c, angle, rate);
    flights.push_back({t, [flight](double s) { return VectorX(flight->At(s).head<1>()); }});
    if (flights.size() > 1) flights.back().contact = 0;
    const auto gap = [&](double s) { return flight->At(s)[0] + M_PI / 4; };
    double s = 0.05;  // flights are longer until the sixth impact
    while (gap(s) > 0) s += 0.01;
    s = Bisect(gap, s - 0.01, s);
    t += s;
    angle = -M_PI / 4;
    rate = -data.restitution * flight->At(s)[1];
  }
  return ExactMotion(std::move(flights));
}

ExactMotion SolveBlock(const RockingBlockData& data, double until) {
  const Vector3 mass(data.mass, data.mass,
                     data.mass * (data.width * data.width + data.height * data.height) / 12);
  const Equations equations = MakeRockingBlock(data);
  Vector3 q(0, data.altitude, data.angle), v = Vector3::Zero();
  std::vector<Flight> flights;
  double t = 0;
  Flight flight;
  while (true) {
    flight.begin = t;
    flight.q = [q, v, g = data.gravity](double s) {
      return VectorX(q + s * v - Vector3(0, 0.5 * g * s * s, 0));
    };
    flights.push_back(flight);
    if (t >= until) return ExactMotion(std::move(flights));
    // The first corner to hit. Right after an impact its gap is open again.
    double first = 1e300;
    for (int i = 0; i < 2; ++i) {
      Vector3 row;
      const auto gap = [&](double s) { return equations.contacts[i].gap(flight.q(s), row.data()); };
      const double scan = 1e-5;
      double s = scan;
      while (gap(s) > 0 && s < first) s += scan;
      if (s >= first) continue;
      first = Bisect(gap, s - scan, s);
      flight.contact = i;
    }
    t += first;
    v -= Vector3(0, data.gravity * first, 0);
    q = flight.q(first);
    Vector3 row;
    equations.contacts[flight.contact].gap(q, row.data());
    flight.contact_speed = row.dot(v);
    flight.impulse =
        -(1 + data.restitution) * flight.contact_speed / row.dot(row.cwiseQuotient(mass));
    v += flight.impulse * row.cwiseQuotient(mass);
  }
}

ExactMotion SolveBar(const ElasticBarData& data, double until) {
  EquationSystem bar(MakeElasticBar(data));
  const int n = bar.traits().num_velocities;
  BlockMatrix blocks(bar.pattern()), unused(bar.pattern());
  VectorX q = bar.equations().q0, v = bar.equations().v0;
  bar.CalcMass(q, &blocks);
  const MatrixX M = blocks.ToDense();
  bar.CalcTangents(0, q, v, TangentKind::kExact, &blocks, &unused);
  const MatrixX K = blocks.ToDense();
  const MatrixX M_held = M.bottomRightCorner(n - 1, n - 1);
  const MatrixX K_held = K.bottomRightCorner(n - 1, n - 1);
  // Held: displacements relative to the wall, q = −gap everywhere being free of force.
  const VectorX at_wall = VectorX::Constant(n, -data.gap);
  std::vector<Flight> flights;
  double t = 0;
  for (bool held = false; t < until; held = !held) {
    if (held) {
      // Impact with e = 0: M Δv = e₀ p, v₀ = 0.
      const VectorX response = M.llt().solve(VectorX::Unit(n, 0));
      v -= response * (v[0] / response[0]);
    }
    const VectorX x = q - at_wall;
    const auto motion =
        held ? std::make_shared<ModalMotion>(M_held, K_held, x.tail(n - 1), v.tail(n - 1))
             : std::make_shared<ModalMotion>(M, K, x, v);
    flights.push_back(
        {t, [held, motion, gap = data.gap](double s) {
           return VectorX::Constant(1, held ? -gap : motion->Calc(s, 0)[0] - gap).eval();
         }});
    // Force on node 0 while held, gap while free; both begin at or above zero.
    const auto law = [&](double s) {
      const VectorX y = motion->Calc(s, 0);
      if (!held) return y[0];
      return M.row(0).tail(n - 1).dot(motion->Calc(s, 2)) + K.row(0).tail(n - 1).dot(y);
    };
    const double scan = 0.02 / motion->highest_frequency();
    double s = scan;
    while (law(s) > 0 && t + s < until + scan) s += scan;
    s = Bisect(law, s - scan, s);
    t += s;
    VectorX y = VectorX::Zero(n), w = VectorX::Zero(n);
    y.tail(held ? n - 1 : n) = motion->Calc(s, 0);
    w.tail(held ? n - 1 : n) = motion->Calc(s, 1);
    q = y + at_wall;
    v = w;
  }
  return ExactMotion(std::move(flights));
}

}  // namespace saltus
