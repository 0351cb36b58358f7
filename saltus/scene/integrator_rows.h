// The rows of the integrator registry that have a file of their own, and what rows share.
#pragma once

#include <string>

#include "saltus/scene/integrator_registry.h"

namespace saltus {

/// "solver": the key that every integrator with a conic solver has.
IntegratorInfo::Option MakeSolverOption();
void ReadSolver(const MapField& simulation, std::string* name, ConicSolverOptions* options);
Value MakeSolver(const std::string& name, const ConicSolverOptions& options);
/// newton_tolerance and max_newton_iterations.
void ReadNewton(const MapField& simulation, double* tolerance, int* max_iterations);

IntegratorInfo MakeNonsmoothAlphaRow();
IntegratorInfo MakeNonsmoothNewmarkRow();
IntegratorInfo MakeNonsmoothHhtRow();
IntegratorInfo MakeSchatzmanPaoliRow();
IntegratorInfo MakeGeneralizedAlphaIndex3Row();
IntegratorInfo MakeEnergyMomentumRow();
/// One row for each solver of saltus/dae.
std::vector<IntegratorInfo> MakeSmoothRows();
IntegratorInfo MakeEventDrivenRow();

}  // namespace saltus
