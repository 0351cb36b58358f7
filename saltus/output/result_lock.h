// Who may write a result of a given name. A result is locked (flock) from its making to its close,
// and takes its name in one step, so that
//   - a run never replaces a file that another run is writing;
//   - of several runs that start at once with one name, one gets it and the others are refused;
//   - a finished result is replaced only if that was asked for.
// File systems without locks (some network ones) are trusted.
#pragma once

#include <string>

namespace saltus {

/// A name beside `path` that no other run uses.
std::string MakeTemporaryName(const std::string& path);

/// Throws InputError if there is a file at `path` that may not be replaced: any if not `replace`,
/// one that is being written in every case.
void CheckReplaceable(const std::string& path, bool replace);

/// Locks an open file; false if someone else has it.
bool LockFile(int descriptor);

/// Gives a file its name. Returns why not, or an empty text.
std::string TakeName(const std::string& temporary, const std::string& path, bool replace);

}  // namespace saltus
