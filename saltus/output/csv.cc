#include "saltus/output/csv.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/output/result_file.h"
#include "saltus/output/result_writer.h"

namespace saltus {
namespace {

void AppendExact(double value, std::string* text) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text->append(digits.data(), end);
}

}  // namespace

std::string FormatExact(double value) {
  if (std::isnan(value)) return "nan";
  std::string text;
  AppendExact(value, &text);
  return text;
}

std::string QuoteCsv(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

CsvWriter::CsvWriter(std::string path, const OutputInterval& interval)
    : path_(std::move(path)), schedule_(interval) {
  CheckWritable(path_);
}

void CsvWriter::OnStart(const StepView& view) {
  stream_.open(path_, std::ios::binary | std::ios::trunc);
  CheckStream();
  system_ = &view.system;
  catalog_ = ChannelCatalog(MakeFrameLayout(view.system), {});
  channels_ = catalog_.List();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    stream_ << (i > 0 ? "," : "") << QuoteCsv(channels_[i].name);
  }
  stream_ << '\n';
  schedule_.IsDue(view.step_index, view.state.time);
  Record(view);
}

void CsvWriter::OnStep(const StepView& view) {
  if (schedule_.IsDue(view.step_index, view.state.time)) {
    Record(view);
  } else {
    last_report_ = view.report;
  }
}

void CsvWriter::OnEnd(const Checkpoint& checkpoint, const RunOutcome&) {
  if (recorded_step_ != checkpoint.step_index) {
    Record({*system_, checkpoint.state, last_report_, checkpoint.audit,
            checkpoint.audit.final_energy, checkpoint.step_index});
  }
  stream_.close();
  CheckStream();
}

void CsvWriter::Record(const StepView& view) {
  CalcFrame(view, &frame_);
  line_.clear();
  for (const Channel& channel : channels_) {
    if (!line_.empty()) line_ += ',';
    AppendExact(CalcChannel(frame_, catalog_, channel), &line_);
  }
  line_ += '\n';
  stream_ << line_;
  CheckStream();
  recorded_step_ = view.step_index;
}

void CsvWriter::CheckStream() {
  if (stream_) return;
  throw OutputError(path_ + ": cannot write: " + std::strerror(errno) +
                    "; the rows written before can be read");
}

}  // namespace saltus
