#include "saltus/output/view_page.h"

#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/output/json_writer.h"
#include "saltus/output/packed_block.h"

namespace saltus {
namespace {

constexpr std::string_view kMark = "<!--saltus-data-->";
// What the page may connect to: nothing, or the server it came from.
constexpr std::string_view kConnect = "connect-src 'none'";
constexpr std::string_view kConnectSelf = "connect-src 'self'";

std::pair<std::string, std::string> Split(const std::string& page) {
  const std::size_t mark = page.find(kMark);
  if (mark == std::string::npos) {
    throw InputError("", "the viewer's template has no place for data",
                     "build the target saltus_viewer again");
  }
  return {page.substr(0, mark), page.substr(mark + kMark.size())};
}

std::string DescribePage(const ViewPage& page, std::size_t num_results, bool embedded) {
  JsonWriter json;
  json.BeginObject().Key("embedded").Value(embedded);
  json.Key("layout").Value(page.layout == ViewLayout::kSideBySide ? "side" : "single");
  json.Key("results").Value(static_cast<long>(num_results));
  if (!page.start.empty()) json.Key("start").Raw(page.start);
  json.EndObject();
  return fmt::format("<script type=\"application/json\" id=\"saltus-page\">{}</script>\n",
                     json.text());
}

}  // namespace

void WriteEmbeddedPage(const ViewPage& page, const std::vector<ViewSource*>& sources,
                       std::ostream* stream) {
  const auto [head, tail] = Split(page.page);
  *stream << head << DescribePage(page, sources.size(), true);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ViewSource& source = *sources[i];
    for (const std::string& name : source.streams()) {
      for (long chunk = 0; chunk < source.num_chunks(); ++chunk) {
        *stream << fmt::format("<script type=\"text/plain\" id=\"saltus-block-{}-{}-{}\">", i, name,
                               chunk)
                << EncodeBase64(source.MakeBlock(name, chunk)) << "</script>\n";
      }
    }
    *stream << fmt::format("<script type=\"application/json\" id=\"saltus-header-{}\">", i)
            << source.MakeHeader() << "</script>\n";
  }
  *stream << tail;
}

std::string MakeServedPage(const ViewPage& page, std::size_t num_results) {
  auto [head, tail] = Split(page.page);
  const std::size_t policy = head.find(kConnect);
  if (policy != std::string::npos) head.replace(policy, kConnect.size(), kConnectSelf);
  return head + DescribePage(page, num_results, false) + tail;
}

}  // namespace saltus
