#include "saltus/output/join_results.h"

#include <optional>

#include "saltus/base/error.h"
#include "saltus/output/result_file.h"
#include "saltus/output/result_reader.h"

namespace saltus {
namespace {

void CheckFollows(const ResultReader& first, const ResultReader& part, double end) {
  const FrameLayout &a = first.layout(), &b = part.layout();
  const auto fail = [&part](const std::string& what, const std::string& suggestion) {
    throw InputError("", what, suggestion, {part.path()});
  };
  bool same = a.bodies == b.bodies && a.coordinates == b.coordinates &&
              a.joints.size() == b.joints.size() && first.has_contacts() == part.has_contacts();
  for (std::size_t j = 0; same && j < a.joints.size(); ++j) {
    same = a.joints[j].name == b.joints[j].name;
  }
  if (!same) fail("is of another mechanism, or records other things", "join parts of one run");
  if (part.num_frames() == 0) fail("holds no frame", "leave it out");
  if (part.times().front() > end || part.times().back() <= end) {
    fail("begins at t = " + std::to_string(part.times().front()) +
             " s and the part before ends at " + std::to_string(end) + " s",
         "give the parts in the order of time, without a hole");
  }
}

}  // namespace

long JoinResults(const std::vector<std::string>& parts, const std::string& output, bool replace) {
  if (parts.empty()) throw InputError("join", "no part is given", "name at least one result");
  const ResultReader first(parts.front());
  std::optional<ResultFile> file;
  file.emplace(output, first.layout(),
               ResultFileOptions{first.title(), first.scene(), first.has_contacts(), 0, replace});
  double end = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ResultReader part(parts[p]);
    if (p > 0) CheckFollows(first, part, end);
    for (long k = 0; k < part.num_frames(); ++k) {
      const double time = part.times()[static_cast<std::size_t>(k)];
      if (p > 0 && time <= end) continue;
      file->AddFrame(part.ReadFrame(k));
    }
    // Events of the earlier part beyond its last checkpoint happen again in the later one.
    for (const RunEvent& event : part.ReadEvents()) {
      if (p == 0 || event.time > end) file->AddEvent(event);
    }
    end = part.times().back();
    if (p + 1 < parts.size()) continue;
    if (part.has_checkpoint()) {
      const Checkpoint checkpoint = part.ReadCheckpoint();
      file->AddCheckpoint(checkpoint);
      file->SetAudit(checkpoint.audit, part.outcome(), part.verdict());
    }
  }
  file->Close();
  return file->num_frames();
}

}  // namespace saltus
