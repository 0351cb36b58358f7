// Going on with a run that was interrupted or killed.
#pragma once

#include <string>

#include "saltus/scene/scene.h"

namespace saltus {

/// Equal but for the end time, the limits of the audit and what is recorded.
bool IsSameRun(const Scene& a, const Scene& b);

/// Throws InputError if the last checkpoint of the result does not fit.
void RestoreCheckpoint(const std::string& file, Simulation* simulation);

}  // namespace saltus
