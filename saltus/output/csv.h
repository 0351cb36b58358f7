// Comma separated values: one row per frame, one column per channel, numbers that read back
// exactly.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "saltus/output/channel.h"
#include "saltus/output/output_interval.h"
#include "saltus/simulation/frame.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

/// The shortest text that reads back as exactly this double; "nan" and "inf" as such.
std::string FormatExact(double value);
/// A field as RFC 4180 wants it: quoted if it contains a comma, a quote or a line break.
std::string QuoteCsv(const std::string& field);

/// Streams a run into a CSV file: time, step, energies, ledger, bodies and joints. Which contacts
/// will occur is not known when the header is written, so they need a result file (.h5).
class CsvWriter final : public Observer {
 public:
  /// Throws InputError at once if nothing can be written at this path.
  CsvWriter(std::string path, const OutputInterval& interval);

  // These throw OutputError if the disk is full.
  void OnStart(const StepView& view) override;
  void OnStep(const StepView& view) override;
  void OnEnd(const Checkpoint& checkpoint, const RunOutcome& outcome) override;

 private:
  void Record(const StepView& view);
  void CheckStream();

  std::string path_;
  OutputSchedule schedule_;
  std::ofstream stream_;
  ChannelCatalog catalog_;
  std::vector<Channel> channels_;
  Frame frame_;
  std::string line_;
  System* system_ = nullptr;
  long recorded_step_ = -1;
  StepReport last_report_;  // Of the last step, if it was not recorded.
};

}  // namespace saltus
