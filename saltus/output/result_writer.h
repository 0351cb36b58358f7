// The observer that records a run into a result file (result_file.h) as it goes.
#pragma once

#include <memory>
#include <string>

#include "saltus/base/timing.h"
#include "saltus/output/output_interval.h"
#include "saltus/output/result_file.h"
#include "saltus/simulation/frame.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

struct ResultOptions {
  OutputInterval interval;
  ResultFileOptions file;
  double flush_interval = 1;            // s of wall time: what a kill can cost at most
  std::size_t flush_bytes = 256 << 10;  // of frames: what a full disk can cost at most
  double checkpoint_interval = 30;      // s of wall time; 0: only at the end
};

/// Records the start, the frames that the interval asks for, and always the last step; audit and
/// checkpoints beside them. Throws OutputError through Simulation::Run if the disk is full.
class ResultWriter final : public Observer {
 public:
  /// Throws InputError at once if nothing can be written at this path.
  ResultWriter(std::string path, const ResultOptions& options);

  void OnStart(const StepView& view) override;
  void OnStep(const StepView& view) override;
  void OnEnd(const Checkpoint& checkpoint, const RunOutcome& outcome) override;

  /// Between OnStart and OnEnd; ignored at other times.
  void AddEvent(const RunEvent& event);

  const std::string& path() const { return path_; }
  long num_frames() const { return file_ ? file_->num_frames() : 0; }

 private:
  void Record(const StepView& view);
  void SaveProgress(const StepView& view);

  std::string path_;
  ResultOptions options_;
  OutputSchedule schedule_;
  std::unique_ptr<ResultFile> file_;
  Frame frame_;
  long recorded_step_ = -1;
  System* system_ = nullptr;
  StepReport last_report_;  // Of the last step, if it was not recorded.
  Stopwatch since_flush_, since_checkpoint_;
};

/// Throws InputError if a file cannot be made or replaced at this path. Leaves what is there.
void CheckWritable(const std::string& path);

}  // namespace saltus
