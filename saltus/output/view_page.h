// The page that plays results: the viewer's template with the data put in.
//
// The template (built in viewer/) holds one mark, <!--saltus-data-->. It is replaced with a
// description of the whole,
//   <script type="application/json" id="saltus-page">{"embedded": …, "layout": …, "results": n}
// and, for an embedded page, for each result i a header (id "saltus-header-i") and its blocks
// (id "saltus-block-i-STREAM-CHUNK", base64). Nothing in it is executed: the policy in the template
// admits the viewer's own script only, by its hash.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "saltus/output/view_source.h"

namespace saltus {

enum class ViewLayout { kSideBySide, kOneAtATime };

struct ViewPage {
  std::string page;  // the template
  ViewLayout layout = ViewLayout::kSideBySide;
  std::string start;  // JSON: camera and time to begin with; empty: the viewer's own choice
};

/// Writes a page that needs nothing else. Throws InputError if the template has no mark.
void WriteEmbeddedPage(const ViewPage& page, const std::vector<ViewSource*>& sources,
                       std::ostream* stream);

/// The page of a server: the data comes from it as /header/i and /block/i/STREAM/CHUNK.
std::string MakeServedPage(const ViewPage& page, std::size_t num_results);

}  // namespace saltus
