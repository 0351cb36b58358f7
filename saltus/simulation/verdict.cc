#include "saltus/simulation/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <utility>

namespace saltus {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kPenetration = 1e-4;  // of the smallest shape, (1)
constexpr double kStepsLate = 2;       // (2)
constexpr double kJoint = 1e-6;        // of the size, (3)
constexpr double kJointDrift = 1e-3;   // the same where positions are not held
constexpr double kEnergy = 1e-3;       // of the turnover, (4)
constexpr std::size_t kShown = 3;      // violations in the line

__attribute__((format(printf, 1, 2))) std::string Format(const char* format, ...) {
  std::array<char, 400> text{};
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return text.data();
}

std::string FormatTime(const AuditPlace& place) { return Format(", t = %.6g s", place.time); }

/// "ball-ground" as it is; a limit or friction names its joint by itself.
std::string DescribeContact(const System& system, const AuditPlace& place) {
  if (place.key == ContactKey{}) return "";
  return " at " + system.ContactName(place.key);
}

std::string DescribeJoint(const System& system, const AuditPlace& place) {
  const auto row = static_cast<int>(place.key.pair);
  if (row >= system.traits().num_constraints) return "";
  return " at joint '" + system.ConstraintName(row) + "'";
}

/// Exceeded? A NaN value is.
bool IsAbove(double value, double limit) { return !(value <= limit); }

class Judge {
 public:
  Judge(const Audit& audit, const AuditLimits& limits, const VerdictBasis& basis,
        const System& system, Verdict* verdict)
      : audit_(audit), limits_(limits), basis_(basis), system_(system), verdict_(verdict) {}

  void Contacts() const {
    if (IsAbove(audit_.max_penetration, *limits_.max_penetration)) {
      const double ratio = audit_.max_penetration / basis_.scale.smallest_shape;
      Add("max_penetration", audit_.max_penetration, *limits_.max_penetration, "m",
          "penetration " + FormatLength(audit_.max_penetration) +
              DescribeContact(system_, audit_.penetration_at) + FormatTime(audit_.penetration_at) +
              Format(" (%.2g × the smallest shape)", ratio));
    }
    if (IsAbove(static_cast<double>(audit_.tunnelled), *limits_.tunnelled)) {
      Add("tunnelled", static_cast<double>(audit_.tunnelled), *limits_.tunnelled, "",
          Format("%ld pairs passed through each other", audit_.tunnelled));
    }
    if (IsAbove(audit_.max_creep, *limits_.max_creep)) {
      Add("max_creep", audit_.max_creep, *limits_.max_creep, "m",
          "creep of " + FormatLength(audit_.max_creep) + DescribeContact(system_, audit_.creep_at) +
              FormatTime(audit_.creep_at));
    }
    if (IsAbove(audit_.max_solver_error, *limits_.max_solver_error)) {
      Add("max_solver_error", audit_.max_solver_error, *limits_.max_solver_error, "m/s",
          Format("contact laws missed by %.2g m/s", audit_.max_solver_error) +
              FormatTime(audit_.solver_error_at));
    }
  }

  void Joints() const {
    if (IsAbove(audit_.max_constraint, *limits_.max_constraint)) {
      Add("max_constraint", audit_.max_constraint, *limits_.max_constraint, "m or rad",
          Format("joint error %.2g m or rad", audit_.max_constraint) +
              DescribeJoint(system_, audit_.constraint_at) + FormatTime(audit_.constraint_at));
    }
    Simple("max_constraint_rate", audit_.max_constraint_rate, *limits_.max_constraint_rate,
           "m/s or rad/s", "joint velocity error");
    Simple("max_complementarity", audit_.max_complementarity, *limits_.max_complementarity, "J",
           "complementarity error");
  }

  void Energies() const {
    const auto judge = [this](const char* key, double energy, double limit, const char* words) {
      const double value = audit_.CalcRelative(energy);
      if (!IsAbove(value, limit)) return;
      Add(key, value, limit, "of the turnover",
          Format("%.2g %% of the energy turnover %s", 100 * value, words));
    };
    const StepWork& work = audit_.work;
    if (IsAbove(audit_.RelativeClosure(), *limits_.energy_closure)) {
      Add("energy_closure", audit_.RelativeClosure(), *limits_.energy_closure, "of the turnover",
          Format("%.2g %% of the energy turnover is unexplained, most of it in one step at "
                 "t = %.6g s",
                 100 * audit_.RelativeClosure(), audit_.worst_step_time));
    }
    judge("projection_relative", work.projection, *limits_.projection,
          work.projection > 0 ? "added by position projection" : "taken by position projection");
    judge("lasting_relative", work.lasting, *limits_.lasting,
          work.lasting > 0 ? "added by normal forces without impact"
                           : "taken by normal forces without impact");
  }

  void Steps() const {
    if (audit_.flagged == 0 || !limits_.defaults) return;
    Add("flagged", static_cast<double>(audit_.flagged), 0, "",
        Format("%ld of %ld steps failed and were accepted by on_failure: flag", audit_.flagged,
               audit_.steps));
  }

 private:
  void Simple(const char* key, double value, double limit, const char* unit,
              const char* words) const {
    if (IsAbove(value, limit))
      Add(key, value, limit, unit, Format("%s %.2g %s", words, value, unit));
  }
  void Add(const char* key, double value, double limit, const char* unit,
           std::string phrase) const {
    const char* space = *unit == '\0' ? "" : " ";
    verdict_->violations.push_back({key,
                                    Format("%s = %.3e%s%s exceeds its limit %.3e%s%s", key, value,
                                           space, unit, limit, space, unit),
                                    std::move(phrase)});
  }

  const Audit& audit_;
  const AuditLimits& limits_;
  const VerdictBasis& basis_;
  const System& system_;
  Verdict* verdict_;
};

}  // namespace

std::string FormatLength(double length) {
  const double size = std::abs(length);
  if (size >= 1 || size == 0) return Format("%.3g m", length);
  if (size >= 1e-3) return Format("%.3g mm", 1e3 * length);
  if (size >= 1e-6) return Format("%.3g µm", 1e6 * length);
  return Format("%.2g m", length);
}

std::string Verdict::line() const {
  if (good()) return "good";
  std::string text = "look at: ";
  for (std::size_t i = 0; i < std::min(kShown, violations.size()); ++i) {
    text += (i == 0 ? "" : "; ") + violations[i].phrase;
  }
  const std::size_t more = violations.size() - std::min(kShown, violations.size());
  return more == 0 ? text : text + Format("; and %zu more", more);
}

AuditLimits FillLimits(const AuditLimits& given, const Audit& audit, const VerdictBasis& basis) {
  AuditLimits limits = given;
  const auto fill = [&](std::optional<double> AuditLimits::*limit, double value) {
    if (!(limits.*limit)) limits.*limit = given.defaults ? value : kNoLimit;
  };
  const double late = kStepsLate * basis.step * audit.max_speed;
  const double deep = kPenetration * basis.scale.smallest_shape;
  fill(&AuditLimits::max_penetration, basis.holds_positions ? deep : std::max(deep, late));
  fill(&AuditLimits::max_constraint,
       (basis.holds_positions ? kJoint : kJointDrift) * basis.scale.size);
  fill(&AuditLimits::tunnelled, 0);
  for (auto limit :
       {&AuditLimits::energy_closure, &AuditLimits::projection, &AuditLimits::lasting}) {
    fill(limit, kEnergy);
  }
  for (auto limit : {&AuditLimits::max_constraint_rate, &AuditLimits::max_complementarity,
                     &AuditLimits::max_creep, &AuditLimits::max_solver_error}) {
    fill(limit, kNoLimit);
  }
  return limits;
}

Verdict MakeVerdict(const Audit& audit, const AuditLimits& given, const VerdictBasis& basis,
                    const System& system) {
  Verdict verdict;
  const AuditLimits limits = FillLimits(given, audit, basis);
  const Judge judge(audit, limits, basis, system, &verdict);
  judge.Contacts();
  judge.Joints();
  judge.Steps();
  judge.Energies();
  return verdict;
}

}  // namespace saltus
