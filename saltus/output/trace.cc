#include "saltus/output/trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

bool HasPart(const std::string& name, const char* part) {
  return name.find(part) != std::string::npos;
}

std::vector<std::string> SplitCsv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

double ParseCsvNumber(const std::string& text, const std::string& path, int line) {
  double number = kUndefined;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) {
    throw InputError("", "'" + text + "' is not a number", "", {path, line, 0});
  }
  return number;
}

}  // namespace

const Trace::Column* Trace::Find(const std::string& name) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

ChannelSampler Trace::MakeSampler(const std::string& name) const {
  const Column* column = Find(name);
  SALTUS_CHECK(column != nullptr, "no column " + name);
  const std::size_t at = name.rfind(".position.");
  if (at != std::string::npos) {
    const Column* rate = Find(name.substr(0, at) + ".velocity." + name.substr(at + 10));
    if (rate != nullptr) {
      return {name, times, column->values, rate->values, Interpolation::kHermite};
    }
  }
  const bool of_the_step =
      HasPart(name, ".force.") || HasPart(name, ".torque.") || HasPart(name, ".impulse.");
  return {
      name, times, column->values, {}, of_the_step ? Interpolation::kStep : Interpolation::kLinear};
}

Trace ReadTraceCsv(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw InputError("", "cannot be read", "", {path});
  Trace trace;
  std::string line;
  int number = 0;
  while (std::getline(stream, line)) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = SplitCsv(line);
    if (trace.columns.empty()) {
      if (fields.size() < 2 || fields[0] != "time") {
        throw InputError("", "the first line is not a header that begins with 'time'",
                         "write the table with saltus run -o FILE.csv or saltus probe --csv",
                         {path, number, 0});
      }
      for (std::size_t i = 1; i < fields.size(); ++i) trace.columns.push_back({fields[i], "", {}});
      continue;
    }
    if (fields.size() != trace.columns.size() + 1) {
      throw InputError("", "has " + std::to_string(fields.size()) + " fields",
                       "the header has " + std::to_string(trace.columns.size() + 1),
                       {path, number, 0});
    }
    trace.times.push_back(ParseCsvNumber(fields[0], path, number));
    for (std::size_t i = 1; i < fields.size(); ++i) {
      trace.columns[i - 1].values.push_back(ParseCsvNumber(fields[i], path, number));
    }
    if (trace.times.size() > 1 && !(trace.times.back() >= trace.times.end()[-2])) {
      throw InputError("time", "decreases", "", {path, number, 0});
    }
  }
  if (trace.times.empty()) throw InputError("", "holds no row", "", {path});
  return trace;
}

TraceRecorder::TraceRecorder(const System& system, const TraceOptions& options)
    : options_(options), catalog_(MakeFrameLayout(system), {}) {
  for (const std::string& name : options_.channels) {
    channels_.push_back(catalog_.Find(name));
    trace_.columns.push_back({name, channels_.back().unit, {}});
  }
  if (options_.max_contacts > 0 && system.traits().has_contacts) finder_ = system.Clone();
}

void TraceRecorder::Record(const StepView& view) {
  CalcFrame(view, &frame_);
  trace_.times.push_back(frame_.time);
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    trace_.columns[i].values.push_back(CalcChannel(frame_, catalog_, channels_[i]));
  }
  if (finder_) RecordContacts(view);
}

const TraceRecorder::ContactColumns* TraceRecorder::FindContact(const std::string& name) {
  for (const ContactColumns& contact : contacts_) {
    if (contact.name == name) return &contact;
  }
  if (static_cast<int>(contacts_.size()) >= options_.max_contacts) return nullptr;
  contacts_.push_back({name, trace_.columns.size()});
  const std::string start = "contact." + name;
  const std::size_t rows = trace_.times.size();
  trace_.columns.push_back({start + ".gap", "m", std::vector<double>(rows, kUndefined)});
  trace_.columns.push_back({start + ".force.n", "N", std::vector<double>(rows, 0.0)});
  trace_.columns.push_back({start + ".impulse.n", "N s", std::vector<double>(rows, 0.0)});
  return &contacts_.back();
}

void TraceRecorder::RecordContacts(const StepView& view) {
  const std::size_t row = trace_.times.size() - 1;
  for (const ContactColumns& contact : contacts_) {
    trace_.columns[contact.first].values.push_back(kUndefined);
    trace_.columns[contact.first + 1].values.push_back(0);
    trace_.columns[contact.first + 2].values.push_back(0);
  }
  finder_->FindContacts(view.state.time, view.state.q, options_.gap_margin, &found_);
  for (const Contact& c : found_.contacts) {
    const ContactColumns* contact = FindContact(finder_->ContactName(c.key));
    if (contact == nullptr) continue;
    double& gap = trace_.columns[contact->first].values[row];
    gap = std::fmin(gap, c.gap);  // fmin ignores the NaN of a contact that was not there yet
  }
  for (const Frame::Contact& c : frame_.contacts) {
    const ContactColumns* contact = FindContact(c.name);
    if (contact == nullptr) continue;
    trace_.columns[contact->first + 1].values[row] += c.force[0];
    trace_.columns[contact->first + 2].values[row] += c.impulse[0];
  }
}

}  // namespace saltus
