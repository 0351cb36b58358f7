// The observer that keeps a run in memory, in the layout of the result files (docs/results.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "saltus/output/channel.h"
#include "saltus/output/output_interval.h"
#include "saltus/output/result_reader.h"
#include "saltus/simulation/frame.h"
#include "saltus/simulation/simulation.h"

namespace saltus::python {

/// Numbers of all frames, one row after the other.
struct Table {
  std::vector<long> row_shape;  // {} for one number per frame, {num_bodies, 3}, …
  std::vector<double> values;
};

class Recorder final : public Observer {
 public:
  Recorder(const OutputInterval& interval, bool with_contacts)
      : schedule_(interval), with_contacts_(with_contacts) {
    if (with_contacts) contacts.offset.push_back(0);
  }

  void OnStart(const StepView& view) override;
  void OnStep(const StepView& view) override;
  void OnEnd(const Checkpoint& checkpoint, const RunOutcome& outcome) override;

  /// Empty again, ready for another run.
  void Reset();

  FrameLayout layout;
  std::map<std::string, Table> tables;     // by the name of the dataset: "bodies/position"
  std::vector<std::string> contact_names;  // in order of appearance
  ContactRows contacts;
  std::vector<RunEvent> impacts;  // all of them, whatever the interval
  std::string outcome = "running";

 private:
  void Record(const StepView& view);
  void AddBodies();
  void AddState(const StepView& view);
  void AddContacts();
  std::vector<double>* AddTable(const std::string& dataset, std::vector<long> row_shape);
  void MakeTables(const StepView& view);

  OutputSchedule schedule_;
  bool with_contacts_;
  Frame frame_;
  // Into `tables`, whose entries stay where they are.
  std::vector<std::pair<const Quantity*, std::vector<double>*>> run_;
  using Rows = std::vector<double>*;
  Rows position_ = nullptr, orientation_ = nullptr, velocity_ = nullptr,
       angular_velocity_ = nullptr;
  Rows joint_coordinate_ = nullptr, joint_force_ = nullptr, joint_torque_ = nullptr;
  Rows q_ = nullptr, v_ = nullptr, lambda_ = nullptr;
  long recorded_step_ = -1;
  System* system_ = nullptr;
  StepReport last_report_;  // of the last step, if it was not recorded
  std::unordered_map<std::string, std::uint32_t> name_index_;
};

}  // namespace saltus::python
