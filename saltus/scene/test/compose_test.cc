#include "saltus/scene/compose.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

Composition Compose(const std::string& text, const std::vector<std::string>& overrides = {},
                    const std::string& base_dir = "") {
  return ComposeScene(text, "test.yaml", base_dir, overrides, SceneLimits{});
}

const Value& At(const Value& tree, const std::vector<std::string>& path) {
  const Value* value = &tree;
  for (const std::string& key : path) {
    const Value::Entry* entry = value->Find(key);
    if (entry == nullptr) {
      ADD_FAILURE() << "no key " << key;
      return tree;
    }
    value = &entry->value;
  }
  return *value;
}

TEST(Parameters, MayDependOnEachOtherInAnyOrder) {
  const Composition c = Compose("parameters: {a: '${2*b}', b: '${c + 1}', c: 3}\nx: '${a}'\n");
  ASSERT_EQ(c.parameters.size(), 3U);
  EXPECT_EQ(c.parameters[0], (std::pair<std::string, double>("a", 8)));
  EXPECT_EQ(At(c.tree, {"x"}).text, "8");
}

TEST(Parameters, BecomeNumbersNamesAndPartsOfFormulas) {
  const Composition c = Compose(
      "parameters: {n: 3, r: 0.1, s: -2}\n"
      "name_${n}: '${2*r + 0.1}'\n"
      "big: '${1e6}'\n"
      "drive: '${r}*sin(${n}*t) - ${s} + ${s}^2'\n");
  EXPECT_EQ(At(c.tree, {"name_3"}).text, "0.30000000000000004");
  EXPECT_EQ(At(c.tree, {"big"}).text, "1000000");
  EXPECT_EQ(At(c.tree, {"drive"}).text, "0.1*sin(3*t) - (-2) + (-2)^2");
}

TEST(Repeat, FirstIndexIsSlowest) {
  const Composition c = Compose(
      "parameters: {n: 2}\n"
      "bodies:\n"
      "  a: {x: 0}\n"
      "  b_${i}_${j}: {repeat: {i: '${n}', j: [1, 3]}, x: '${10*i + j}'}\n");
  const Value& bodies = At(c.tree, {"bodies"});
  ASSERT_EQ(bodies.entries.size(), 7U);
  EXPECT_EQ(bodies.entries[1].key, "b_0_1");
  EXPECT_EQ(bodies.entries[2].key, "b_0_2");
  EXPECT_EQ(bodies.entries[4].key, "b_1_1");
  EXPECT_EQ(At(bodies, {"b_1_3", "x"}).text, "13");
  EXPECT_EQ(bodies.entries[6].value.Find("repeat"), nullptr);
  EXPECT_EQ(bodies.entries[6].place.line, 4);
}

TEST(Repeat, WorksInListsAndNested) {
  const Composition c = Compose(
      "bodies:\n"
      "  b_${i}:\n"
      "    repeat: {i: 2}\n"
      "    shapes:\n"
      "      - {repeat: {k: [0, '${i}']}, at: ['${i}', '${k}']}\n"
      "      - {repeat: {k: 0}, at: never}\n");
  EXPECT_EQ(At(c.tree, {"bodies", "b_0", "shapes"}).items.size(), 1U);
  const Value& shapes = At(c.tree, {"bodies", "b_1", "shapes"});
  ASSERT_EQ(shapes.items.size(), 2U);
  EXPECT_EQ(At(shapes.items[1], {"at"}).items[1].text, "1");
}

TEST(Override, ParametersPathsAndPositions) {
  const std::string text =
      "parameters: {r: 0.1}\n"
      "bodies: {ball: {mass: 1, x: '${r}'}}\n"
      "ground: {shapes: [{material: a}, {material: b}]}\n";
  const Composition c = Compose(text, {"r=0.2", "bodies.ball.mass=${3*r}", "simulation.step=0.01",
                                       "ground.shapes.1.material=ice", "gravity=[0, 0, -1]"});
  EXPECT_EQ(At(c.tree, {"bodies", "ball", "x"}).text, "0.2");
  EXPECT_EQ(At(c.tree, {"bodies", "ball", "mass"}).text, "0.6000000000000001");
  EXPECT_EQ(At(c.tree, {"simulation", "step"}).text, "0.01");
  EXPECT_EQ(At(At(c.tree, {"ground", "shapes"}).items[1], {"material"}).text, "ice");
  EXPECT_EQ(At(c.tree, {"gravity"}).items.size(), 3U);
  // Settings may be given by their path even if the scene says nothing of their section.
  const Composition d = Compose(text, {"simulation.solver.tolerance=1e-6"});
  EXPECT_EQ(At(d.tree, {"simulation", "solver", "tolerance"}).text, "1e-6");
  // The source stands for the file and the overrides.
  EXPECT_EQ(At(Compose(c.source).tree, {"bodies", "ball", "x"}).text, "0.2");
}

TEST(Override, FaultsNameTheNearest) {
  const std::string text = "parameters: {radius: 0.1}\nbodies: {ball: {mass: 1}}\n";
  for (const auto& [assignment, words] : std::vector<std::pair<std::string, std::string>>{
           {"radus=1", "did you mean 'radius'?"},
           {"bodies.bal.mass=1", "did you mean 'ball'?"},
           {"bodies.ball.mass.x=1", "nothing below"},
           {"nonsense", "key=value"},
           {"=1", "key=value"},
           {"radius=", "the file is empty"}}) {
    try {
      Compose(text, {assignment});
      ADD_FAILURE() << "accepted " << assignment;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("--set " + assignment), std::string::npos);
    }
  }
}

class IncludeTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        fs::temp_directory_path() / ("saltus_include_" + std::to_string(getpid()) + test->name());
    fs::create_directories(folder_ / "sub");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  fs::path folder_;
};

TEST_F(IncludeTest, MergesByTheRules) {
  Write("sub/base.yaml",
        "include: more.yaml\nparameters: {a: 1, b: 2}\nname: base\nmaterials: {steel: {x: 1}}\n"
        "simulation: {step: 1, until: 2}\nground: {shapes: [{mesh: {file: m.obj}}]}\n");
  Write("sub/more.yaml", "pairs: [p]\nbodies: {first: {x: '${a}'}}\n");
  const Composition c = Compose(
      "include: [sub/base.yaml, sub/more.yaml]\nparameters: {a: 5}\nname: own\npairs: [q]\n"
      "bodies: {second: 1}\nsimulation: {step: 3}\nground: {shapes: [own]}\n",
      {}, folder_.string());
  EXPECT_EQ(At(c.tree, {"name"}).text, "own");
  EXPECT_EQ(At(c.tree, {"bodies", "first", "x"}).text, "5");
  EXPECT_EQ(At(c.tree, {"bodies"}).entries.size(), 2U);
  EXPECT_EQ(At(c.tree, {"simulation", "step"}).text, "3");
  EXPECT_EQ(At(c.tree, {"simulation", "until"}).text, "2");
  EXPECT_EQ(At(c.tree, {"pairs"}).items.size(), 2U);
  const Value& shapes = At(c.tree, {"ground", "shapes"});
  ASSERT_EQ(shapes.items.size(), 2U);
  EXPECT_EQ(At(shapes.items[0], {"mesh", "file"}).text, "sub/m.obj");
  EXPECT_EQ(c.tree.Find("include"), nullptr);
  // The source needs no other file.
  EXPECT_EQ(At(Compose(c.source).tree, {"bodies", "first", "x"}).text, "5");
}

TEST_F(IncludeTest, DepthIsLimited) {
  for (int i = 0; i < 30; ++i) {
    Write("f" + std::to_string(i) + ".yaml", "include: f" + std::to_string(i + 1) + ".yaml\n");
  }
  Write("f30.yaml", "name: end\n");
  EXPECT_THROW(Compose("include: f0.yaml\n", {}, folder_.string()), InputError);
}

TEST(Include, IsRefusedWithoutFolder) {
  EXPECT_THROW(Compose("include: /etc/hostname\n"), InputError);
}

}  // namespace
}  // namespace saltus
