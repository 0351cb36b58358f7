// What the commands that show results share: sources from files, and the viewer's template.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/output/view_page.h"
#include "saltus/output/view_source.h"

namespace saltus {

/// A result (HDF5) or a scene (YAML).
std::unique_ptr<ViewSource> OpenView(const std::string& path, const ViewOptions& options);

/// The text of viewer.html: from the folder ../share/saltus beside the program, or from the file
/// that the environment variable SALTUS_VIEWER names. Throws InputError if this build has none.
std::string ReadViewerTemplate();

}  // namespace saltus
