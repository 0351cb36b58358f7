// Joining the results of a run and of its continuations.
#pragma once

#include <string>
#include <vector>

namespace saltus {

/// Writes the frames and events of all parts into one result, in their order; of a frame that two
/// parts share, that of the earlier one. Audit, verdict and checkpoint are those of the last part.
/// Returns the number of frames. Throws InputError if a part does not follow the one before it.
long JoinResults(const std::vector<std::string>& parts, const std::string& output, bool replace);

}  // namespace saltus
