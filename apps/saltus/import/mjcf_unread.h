// What an MJCF file says and the importer does not read.
#pragma once

#include "apps/saltus/import/mjcf_document.h"
#include "apps/saltus/import/notes.h"

namespace saltus {

/// Adds a note for every section, element and attribute that is not read. Elements that mjcf.cc
/// decides about one by one (geoms, composites, actuators, equalities) are named there.
void NameUnread(const MjcfDocument& document, Notes* notes);

}  // namespace saltus
