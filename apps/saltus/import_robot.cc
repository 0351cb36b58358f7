#include "apps/saltus/import_robot.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "saltus/base/error.h"
#include "saltus/output/result_writer.h"
#include "saltus/scene/scene.h"

#include "apps/saltus/commands.h"
#include "apps/saltus/import/import.h"
#include "apps/saltus/report.h"
#include "apps/saltus/scene_files.h"

namespace saltus {
namespace {

constexpr char kExamples[] = R"(
Examples:
  saltus import robot.urdf                   writes robot.yaml and says what it leaves out
  saltus import humanoid.xml -o falls.yaml   MuJoCo's format
  saltus import arm.urdf --fixed-base        the root link is held fixed
  saltus run robot.urdf                      imports and runs at once)";

struct ImportArguments {
  std::string file, output;
  ImportOptions options;
};

double CalcTotalMass(const ModelSpec& model) {
  double mass = 0;
  for (const RigidBodySpec& body : model.rigid_bodies) mass += body.mass.value_or(0);
  return mass;
}

void ImportFile(const ImportArguments& arguments) {
  const Import result = ImportRobot(arguments.file, arguments.options);
  const Scene scene = MakeScene(result);
  BuildModel(scene);  // Throws if something of it makes no sense.
  const std::string output = arguments.output.empty()
                                 ? std::filesystem::path(arguments.file).stem().string() + ".yaml"
                                 : arguments.output;
  CheckWritable(output);
  std::ofstream stream(output, std::ios::binary | std::ios::trunc);
  stream << "# Imported from " << std::filesystem::path(arguments.file).filename().string() << '\n';
  for (const std::string& note : result.notes) stream << "# " << note << '\n';
  stream << WriteScene(scene);
  stream.close();
  if (!stream) throw OutputError(output + ": cannot write: " + std::strerror(errno));
  const ModelSpec& model = result.model;
  fmt::print("{}: {}, {}, {:.6g} kg\n", output,
             FormatNumberOf(model.rigid_bodies.size(), "body", "bodies"),
             FormatNumberOf(model.joints.size(), "joint", "joints"), CalcTotalMass(model));
  for (const std::string& note : result.notes) fmt::print("  {}\n", note);
}

}  // namespace

void AddImportCommand(CLI::App* app, int* exit_code) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = app->add_subcommand("import", "Turn URDF or MJCF robots into scenes");
  command->footer(kExamples);
  command->add_option("FILE", arguments->file, "URDF or MJCF (XML)")->required();
  command->add_option("-o,--output", arguments->output, "scene (default: FILE.yaml here)");
  command->add_flag("--fixed-base", arguments->options.fixed_base,
                    "URDF: hold the root link fixed");
  command->add_flag("--self-contact", arguments->options.self_contact,
                    "let the bodies of one tree touch each other");
  command->callback([arguments, exit_code] {
    ImportFile(*arguments);
    *exit_code = kExitGood;
  });
}

}  // namespace saltus
