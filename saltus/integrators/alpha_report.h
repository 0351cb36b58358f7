// What a step of nonsmooth_alpha.h reports and remembers: contacts, work, the cause of a failure.
// @cite BrulsAcaryCardona2014
#pragma once

#include <string>

#include "saltus/integrators/alpha_contacts.h"
#include "saltus/integrators/alpha_levels.h"

namespace saltus {

void ResetReport(double h, StepReport* report);
/// Active contacts; ν_N of them in the same order.
void ReportContacts(System& system, const AlphaStart& start, const AlphaIterate& x,
                    const AlphaContacts& contacts, StepReport* report, VectorX* nu);
/// Impulses do work on the mean of v_n and v, along the rows that they act by; what U did to the
/// potential energy, compared with the motion h (v_n + v)/2, is the entry of the projection.
void ReportWork(System& system, const AlphaStart& start, const AlphaTerms& terms,
                const AlphaIterate& x, const AlphaContacts& contacts, StepReport* report);
/// Impulses for the next warm start, in world axes; contacts without impulse are forgotten.
void RememberContacts(const AlphaContacts& contacts, State* state);
/// What failed, and what to try.
std::string DescribeFailure(const System& system, const AlphaStart& start, const AlphaTerms& terms,
                            const VectorX& q, const AlphaContacts& contacts,
                            const LevelOutcome& velocities, const StepReport& report);

}  // namespace saltus
