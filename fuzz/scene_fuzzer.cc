// libFuzzer target of the scene reader: any bytes give a scene, which builds and writes back, or an
// InputError. Files are out of reach (no base folder). Run: ./do fuzz
//
// The limit on values is lower than in production, so that the fuzzer spends its time on many small
// inputs; the production limit has tests of its own.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "saltus/base/error.h"
#include "saltus/scene/scene.h"

namespace {

saltus::SceneLimits MakeLimits() {
  saltus::SceneLimits limits;
  limits.max_values = 5000;
  return limits;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const saltus::Scene scene = saltus::ReadSceneText(text, "fuzz.yaml", {}, "", MakeLimits());
    const std::string written = saltus::WriteScene(scene);
    try {
      saltus::BuildModel(scene);
    } catch (const saltus::InputError& error) {
      if (error.location().line <= 0) std::abort();  // Every fault must have a place.
    }
    // A scene that was read can be written and read again, to the same text. What is written may
    // exceed the small limit (defaults are written out), hence the full one here.
    const saltus::Scene again = saltus::ReadSceneText(written, "again.yaml");
    if (saltus::WriteScene(again) != written) std::abort();
  } catch (const saltus::InputError& error) {
    if (std::string(error.what()).empty()) std::abort();
  }
  return 0;
}
