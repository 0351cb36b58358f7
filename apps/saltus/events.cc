// saltus events: impacts and other events of a result, all of them, in order of time.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "saltus/output/result_reader.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/report.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus events bouncing_ball.h5
  saltus events bouncing_ball.h5 --json
Every impact is listed, whatever the output interval of the scene; its value is the normal impulse
[N s]. Events that Python's Event watched are listed with the value of their function.)";

struct EventsArguments {
  std::string file;
  bool json = false;
};

void ShowEvents(const EventsArguments& arguments) {
  const ResultReader reader(arguments.file);
  std::vector<RunEvent> events = reader.ReadEvents();
  std::stable_sort(events.begin(), events.end(),
                   [](const RunEvent& a, const RunEvent& b) { return a.time < b.time; });
  if (!reader.has_impacts()) {
    fmt::print(stderr, "saltus: note: {}: written by an older version, without impacts\n",
               arguments.file);
  }
  if (!arguments.json) {
    fmt::print("{:>14}  {:<8}  {:>14}  name\n", "time [s]", "kind", "value");
    for (const RunEvent& event : events) {
      fmt::print("{:>14.9g}  {:<8}  {:>14.6g}  {}\n", event.time, event.kind, event.value,
                 event.name);
    }
    return;
  }
  fmt::print("[");
  for (std::size_t i = 0; i < events.size(); ++i) {
    const RunEvent& event = events[i];
    fmt::print("{}\n  {{\"time\": {}, \"kind\": {}, \"name\": {}, \"value\": {}}}",
               i == 0 ? "" : ",", FormatJson(event.time), FormatJson(event.kind),
               FormatJson(event.name), FormatJson(event.value));
  }
  fmt::print("\n]\n");
}

}  // namespace

void AddEventsCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<EventsArguments>();
  CLI::App* events = app->add_subcommand("events", "List the impacts and other events of a result");
  events->footer(kExamples);
  events->add_option("RESULT", arguments->file, "result (HDF5)")->required();
  events->add_flag("--json", arguments->json, "as JSON");
  events->callback([arguments, exit_code] {
    ShowEvents(*arguments);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
