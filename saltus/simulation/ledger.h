// The ledger as a table: every kind of energy that a step reports, once. Closure, audit, channels,
// checkpoints and Python are loops over it.
//
//   E(t) − E(0) = Σ_k sign_k work_k + closure                                                 (1)
#pragma once

#include <array>

#include "saltus/integrators/integrator.h"

namespace saltus {

struct LedgerEntry {
  const char* name;        // of the channel "ledger.NAME" and of the dataset
  const char* audit_key;   // of the sum over the run
  double StepWork::*work;  // J
  double sign;             // in (1): +1 enters, −1 leaves
  const char* meaning;
};

inline constexpr std::array<LedgerEntry, 9> kLedger = {{
    {"loads", "work_loads", &StepWork::loads, 1, "work of loads, dampers and torques"},
    {"drives", "work_drives", &StepWork::drives, 1, "work of prescribed motions"},
    {"impact_loss", "loss_impact", &StepWork::impact_loss, -1, "lost in normal impacts"},
    {"friction_loss", "loss_friction", &StepWork::friction_loss, -1, "lost in contact friction"},
    {"joint_friction_loss", "loss_joint_friction", &StepWork::joint_friction_loss, -1,
     "lost in joint friction"},
    {"contact_loss", "loss_contact", &StepWork::contact_loss, -1,
     "lost in dampers and friction of compliant contacts"},
    {"decohesion_loss", "loss_decohesion", &StepWork::decohesion_loss, -1,
     "spent on breaking bonds"},
    {"lasting", "energy_lasting", &StepWork::lasting, 1,
     "work of normal forces without impact: a numerical error"},
    {"projection", "energy_projection", &StepWork::projection, 1,
     "changed by position projection: a numerical error"},
}};
static_assert(sizeof(StepWork) == kLedger.size() * sizeof(double), "every entry has its row");

}  // namespace saltus
