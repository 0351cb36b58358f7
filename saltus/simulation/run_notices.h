// What a user should know before a run: what the model says by itself (System::MakeNotices), and
// what follows from the step and the end time.
#pragma once

#include <string>
#include <vector>

#include "saltus/base/notice.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

/// Two bodies that overlap at the start.
struct StartOverlap {
  std::string contact;  // "a-b"
  double depth = 0;     // m
};
/// One entry per pair, deepest first; what rounding of given numbers explains is left out.
std::vector<StartOverlap> FindStartOverlaps(System& system);
/// "a-b by 100 mm, c-d by 3 mm and 2 more".
std::string DescribeOverlaps(const std::vector<StartOverlap>& overlaps);

/// Velocities that the joints leave free at the start; −1 if the system is too large to search.
int CountMobility(const System& system);

/// Contacts of a state whose forces are not unique: their rows, and those of the joints, depend on
/// each other. Names them once; empty if there is none.
std::vector<std::string> FindHyperstaticContacts(System& system, const State& state);

/// All notices of a run: overlap at the start, bodies that move more than their size in a step,
/// springs with a period below four steps, drives that leave the limits of their joint, and those
/// of the model.
Notices MakeRunNotices(Simulation& simulation);

}  // namespace saltus
