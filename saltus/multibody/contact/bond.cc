#include "saltus/multibody/contact/bond.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace saltus {
namespace {

/// u, C, β and φ of one bond at a configuration.
struct BondState {
  std::array<ScalarJet, 3> jets;
  Vector3 u = Vector3::Zero();  // u_N⁺, u_T1, u_T2
  Vector3 C = Vector3::Zero();  // c_N (0 in compression), c_T, c_T
  double e = 0;                 // e(u)
  double beta = 1;
  double share = 1;  // φ
  double slope = 0;  // dφ/de
};

/// (3)
void CalcFremond(const CohesionSpec& law, double beta_start, double h, BondState* s) {
  s->beta = beta_start;
  double slope = 0;  // dβ/de
  const bool breaks = beta_start * s->e > law.energy;
  if (breaks && law.viscosity > 0 && h > 0) {
    const double below = law.viscosity + h * s->e;
    s->beta = (law.viscosity * beta_start + h * law.energy) / below;
    slope = -h * s->beta / below;
  } else if (breaks && law.viscosity == 0) {
    s->beta = law.energy / s->e;
    slope = -s->beta / s->e;
  }
  s->share = s->beta * s->beta;
  s->slope = 2 * s->beta * slope;
}

/// u₀ and u_f of the triangular law.
struct Opening {
  double onset, end;
};
Opening CalcOpening(const CohesionSpec& law) {
  return {law.strength / law.normal_stiffness, 2 * law.energy / law.strength};
}

/// (6)
void CalcTriangular(const CohesionSpec& law, double beta_start, BondState* s) {
  const auto [onset, end] = CalcOpening(law);
  const double u = std::sqrt(s->e / law.normal_stiffness);
  s->beta = beta_start;
  s->slope = 0;
  const double line = onset * (end - u) / (u * (end - onset));
  if (u > onset && line < beta_start) {
    s->beta = std::max(0.0, line);
    // dβ/du = −u₀ u_f / (u² (u_f − u₀)), du/de = 1/(2 c_N u)
    if (line > 0) {
      s->slope = -onset * end / (2 * law.normal_stiffness * u * u * u * (end - onset));
    }
  }
  s->share = s->beta;
}

void CalcBond(const Bond& bond, double beta_start, double elapsed, const std::vector<Body>& bodies,
              const VectorX& q, JetOrder order, BondState* s) {
  const auto [A, B] = CalcPlacements(bond.pair, bodies, q);
  for (int i = 0; i < 3; ++i) {
    CalcMeasure({MeasureKind::kOffset, i, 0}, bond.pair.frames, A, B, order, &s->jets[i]);
    s->u[i] = s->jets[i].value;
  }
  const CohesionSpec& law = bond.law;
  s->C = {s->u[0] > 0 ? law.normal_stiffness : 0.0, law.tangential_stiffness,
          law.tangential_stiffness};
  s->u[0] = std::max(0.0, s->u[0]);
  s->e = s->C.dot(s->u.cwiseAbs2());
  if (law.law == CohesionLaw::kTriangular) {
    CalcTriangular(law, beta_start, s);
  } else {
    CalcFremond(law, beta_start, std::max(0.0, elapsed), s);
  }
}

/// The energy per area that it takes from β₀ to β within h: (4), (7).
double CalcSpent(const CohesionSpec& law, double beta_start, double beta, double h) {
  const double change = beta_start - beta;
  if (change == 0) return 0;
  if (law.law == CohesionLaw::kTriangular) {
    const auto [onset, end] = CalcOpening(law);
    const auto spent = [&, onset = onset, end = end](double b) {
      return law.energy * onset * (1 - b) / (onset + b * (end - onset));
    };
    return spent(beta) - spent(beta_start);
  }
  return law.energy * change + law.viscosity * change * change / h;
}

double Start(const BondMemory& memory, std::size_t i) {
  return memory.adhesion[static_cast<Eigen::Index>(i)];
}

}  // namespace

void AddBondForces(const std::vector<Bond>& bonds, const BondMemory& memory,
                   const std::vector<Body>& bodies, double t, const VectorX& q, VectorX* f) {
  BondState s;
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    if (Start(memory, i) == 0) continue;
    CalcBond(bonds[i], Start(memory, i), t - memory.time, bodies, q, JetOrder::kGradient, &s);
    const double scale = *bonds[i].law.area * s.share;
    for (int k = 0; k < 3; ++k) {  // (1)
      AddRow(bonds[i].pair, bodies, s.jets[k].gradient, -scale * s.C[k] * s.u[k], f);
    }
  }
}

void AddBondTangents(const std::vector<Bond>& bonds, const BondMemory& memory,
                     const std::vector<Body>& bodies, double t, const VectorX& q, TangentKind kind,
                     BlockMatrix* K) {
  const bool exact = kind == TangentKind::kExact;
  BondState s;
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    if (Start(memory, i) == 0) continue;
    CalcBond(bonds[i], Start(memory, i), t - memory.time, bodies, q,
             exact ? JetOrder::kHessian : JetOrder::kGradient, &s);
    const double area = *bonds[i].law.area;
    Matrix12 stiffness = Matrix12::Zero();
    Vector12 along = Vector12::Zero();  // Σ C_k u_k ∇u_k = ½ ∇e
    for (int k = 0; k < 3; ++k) {
      const Vector12& gradient = s.jets[k].gradient;
      stiffness.noalias() += (area * s.share * s.C[k]) * gradient * gradient.transpose();
      if (!exact) continue;
      along += s.C[k] * s.u[k] * gradient;
      stiffness += (area * s.share * s.C[k] * s.u[k]) * s.jets[k].hessian;
    }
    // (5): ∂φ = slope ∂e, ∂e = 2 Σ C_k u_k ∂u_k
    if (exact) {
      stiffness.noalias() += (2 * area * s.slope) * along * along.transpose();
    }
    AddBlocks(bonds[i].pair, bodies, stiffness, K);
  }
}

double CalcBondEnergy(const std::vector<Bond>& bonds, const BondMemory& memory,
                      const std::vector<Body>& bodies, double t, const VectorX& q) {
  double energy = 0;
  BondState s;
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    CalcBond(bonds[i], Start(memory, i), t - memory.time, bodies, q, JetOrder::kValue, &s);
    energy += 0.5 * *bonds[i].law.area * s.share * s.e;
  }
  return energy;
}

double UpdateBonds(const std::vector<Bond>& bonds, const std::vector<Body>& bodies, State* state,
                   BondMemory* memory) {
  double spent = 0;
  BondState s;
  const double h = state->time - memory->time;
  state->internal = memory->adhesion;
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    const double start = Start(*memory, i);
    CalcBond(bonds[i], start, h, bodies, state->q, JetOrder::kValue, &s);
    spent += *bonds[i].law.area * CalcSpent(bonds[i].law, start, s.beta, h);
    state->internal[static_cast<Eigen::Index>(i)] = s.beta;
  }
  memory->Load(*state);
  return spent;
}

std::vector<BondReport> MakeBondReports(const std::vector<Bond>& bonds, const BondMemory& memory,
                                        const std::vector<Body>& bodies, const VectorX& q) {
  std::vector<BondReport> reports;
  BondState s;
  for (std::size_t begin = 0; begin < bonds.size();) {
    std::size_t end = begin;
    while (end < bonds.size() && bonds[end].key.pair == bonds[begin].key.pair) ++end;
    BondReport& report = reports.emplace_back();
    report.key = bonds[begin].key;
    const double share = 1 / static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      CalcBond(bonds[i], Start(memory, i), 0, bodies, q, JetOrder::kValue, &s);
      const auto [A, B] = CalcPlacements(bonds[i].pair, bodies, q);
      if (i == begin) report.frame = A.R * bonds[i].pair.frames.F_A;
      report.adhesion += share * s.beta;
      report.opening = std::max(report.opening, s.jets[0].value);
      report.point += share * (B * bonds[i].pair.frames.b);
      report.force -= *bonds[i].law.area * s.share * s.C.cwiseProduct(s.u);
    }
    begin = end;
  }
  return reports;
}

}  // namespace saltus
