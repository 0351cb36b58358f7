// A run in memory: chosen channels at every step, and the gaps, forces and impulses of contacts.
// What comparisons of several runs are made from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "saltus/output/channel.h"
#include "saltus/output/sampler.h"
#include "saltus/simulation/frame.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

struct Trace {
  struct Column {
    std::string name, unit;
    std::vector<double> values;  // one per time; NaN: not defined
  };
  std::vector<double> times;  // s
  std::vector<Column> columns;

  const Column* Find(const std::string& name) const;  // null if there is none
  /// A column at any time: positions by cubics if their velocities are there, forces and impulses
  /// by steps, the rest linearly (sampler.h). The column must exist.
  ChannelSampler MakeSampler(const std::string& name) const;
};

/// Reads a table as `saltus run -o FILE.csv` and `saltus probe --csv` write it: a header line whose
/// first name is "time", then numbers. Units stay empty. Throws InputError with file and line.
Trace ReadTraceCsv(const std::string& path);

struct TraceOptions {
  std::vector<std::string> channels;  // of the run, bodies and joints
  /// contact.NAME.gap, .force.n, .impulse.n of the first `max_contacts` contacts that come within
  /// gap_margin [m]; gaps are those at the recorded instant, open ones too.
  int max_contacts = 0;
  double gap_margin = 1;
};

/// Records every step, and the start.
class TraceRecorder final : public Observer {
 public:
  /// Throws InputError with the nearest names if a channel is unknown. `system` is only read here.
  TraceRecorder(const System& system, const TraceOptions& options);

  void OnStart(const StepView& view) override { Record(view); }
  void OnStep(const StepView& view) override { Record(view); }

  const Trace& trace() const { return trace_; }

 private:
  struct ContactColumns {
    std::string name;
    std::size_t first = 0;  // column of the gap; force.n and impulse.n follow
  };
  void Record(const StepView& view);
  void RecordContacts(const StepView& view);
  /// The columns of a contact, made if there is room; null otherwise.
  const ContactColumns* FindContact(const std::string& name);

  TraceOptions options_;
  ChannelCatalog catalog_;
  std::vector<Channel> channels_;
  std::unique_ptr<System> finder_;  // a clone: looking for gaps must not disturb the run
  ContactSet found_;
  std::vector<ContactColumns> contacts_;
  Frame frame_;
  Trace trace_;
};

}  // namespace saltus
