#include "saltus/output/result_writer.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <unistd.h>

#include "saltus/base/error.h"
#include "saltus/output/result_lock.h"

namespace saltus {

void CheckWritable(const std::string& path) {
  const std::filesystem::path target(path);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  const auto fail = [&](const std::string& reason, const std::string& suggestion) {
    throw InputError("result file '" + path + "'", "cannot be made: " + reason, suggestion);
  };
  std::error_code ignored;
  if (!target.has_filename()) fail("the name of the file is missing", "give a path to a file");
  if (std::filesystem::is_directory(target, ignored)) fail("it is a folder", "add a file name");
  if (!std::filesystem::is_directory(folder, ignored)) {
    fail("there is no folder '" + folder.string() + "'", "make it first");
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    fail(std::strerror(errno), "choose another place with -o");
  }
}

ResultWriter::ResultWriter(std::string path, const ResultOptions& options)
    : path_(std::move(path)), options_(options), schedule_(options.interval) {
  CheckWritable(path_);
  CheckReplaceable(path_, options_.file.replace);
}

void ResultWriter::OnStart(const StepView& view) {
  file_ = std::make_unique<ResultFile>(path_, MakeFrameLayout(view.system), options_.file);
  system_ = &view.system;
  schedule_.IsDue(view.step_index, view.state.time);
  Record(view);
  file_->SetAudit(view.audit, "running");
  file_->Flush();
  since_flush_.Restart();
  since_checkpoint_.Restart();
}

void ResultWriter::OnStep(const StepView& view) {
  if (schedule_.IsDue(view.step_index, view.state.time)) {
    Record(view);
  } else {
    last_report_ = view.report;
  }
  for (const ImpactEvent& impact : view.impacts) {
    file_->AddEvent({impact.time, view.system.ContactName(impact.key), impact.impulse, "impact"});
  }
  if (since_flush_.seconds() >= options_.flush_interval ||
      file_->unflushed_bytes() >= options_.flush_bytes) {
    SaveProgress(view);
  }
}

void ResultWriter::OnEnd(const Checkpoint& checkpoint, const RunOutcome& outcome) {
  if (file_ == nullptr || !file_->is_open()) return;  // It failed before: the disk is full.
  if (recorded_step_ != checkpoint.step_index) {
    Record({*system_, checkpoint.state, last_report_, checkpoint.audit,
            checkpoint.audit.final_energy, checkpoint.step_index});
  }
  file_->AddCheckpoint(checkpoint);
  file_->SetAudit(checkpoint.audit, outcome.text(), outcome.verdict);
  file_->Close();
}

void ResultWriter::AddEvent(const RunEvent& event) {
  if (file_ != nullptr && file_->is_open()) file_->AddEvent(event);
}

void ResultWriter::Record(const StepView& view) {
  CalcFrame(view, &frame_);
  file_->AddFrame(frame_);
  recorded_step_ = view.step_index;
}

void ResultWriter::SaveProgress(const StepView& view) {
  if (options_.checkpoint_interval > 0 &&
      since_checkpoint_.seconds() >= options_.checkpoint_interval) {
    file_->AddCheckpoint({view.state, view.audit, view.step_index});
    since_checkpoint_.Restart();
  }
  file_->SetAudit(view.audit, "running");
  file_->Flush();
  since_flush_.Restart();
}

}  // namespace saltus
