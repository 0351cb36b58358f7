#include "saltus/cones/fclib.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "saltus/base/error.h"
#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/test/box_stack.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

// Problems from running simulations, kept outside the repository.
fs::path FindReference() {
  const char* variable = std::getenv("SALTUS_REFERENCE");
  const fs::path root = variable != nullptr
                            ? fs::path(variable)
                            : fs::path(SALTUS_SOURCE_DIR) / ".." / "shared" / "reference";
  return root / "fclib";
}

class ReferenceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::is_directory(FindReference())) {
      GTEST_SKIP() << "the FCLib reference problems are not installed (set SALTUS_REFERENCE)";
    }
  }
  VectorX Solve(const std::string& name, double tolerance) {
    const FclibProblem fclib = ReadFclib((FindReference() / (name + ".h5")).string());
    NsgsOptions options;
    options.tolerance = tolerance;
    options.max_iterations = 5000;
    VectorX r = VectorX::Zero(fclib.problem.size());
    report_ = NsgsSolver(options).Solve(fclib.problem, &r);
    return r;
  }
  SolveReport report_;
};

// Exact answers of single contacts, as published with the problems (10 to 13 digits).
TEST_F(ReferenceTest, SingleContactsHaveTheirExactAnswers) {
  VectorX r = Solve("FrictionContact3D_1c", 1e-14);
  EXPECT_LT((r - Vector3(0.0656956828977, -0.0036786149068, -0.0054430708136)).norm(), 1e-12);
  r = Solve("Rover11035", 1e-14);
  ASSERT_EQ(r.size(), 3);
  EXPECT_LT((r - Vector3(3.8555649261285, 1.0750793188766, 2.4755284484174)).norm(), 1e-12);
  r = Solve("FC3D_Example1", 1e-14);
  const double t = 0.1 / std::sqrt(10.0);  // W = I, q_T = (1, 3): r_T = −μ q_T/|q_T|.
  for (int c = 0; c < r.size() / 3; ++c) {
    EXPECT_LT((r.segment<3>(3 * c) - Vector3(1, -t, -3 * t)).norm(), 1e-12);
  }
}

TEST_F(ReferenceTest, AllProblemsAreSolved) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(FindReference())) {
    if (entry.path().extension() != ".h5") continue;
    const VectorX r = Solve(entry.path().stem().string(), 1e-4);
    EXPECT_TRUE(report_.ok()) << entry.path().stem() << ": " << StatusName(report_.status) << ", "
                              << r.size() << " rows, residual " << report_.residual.relative
                              << " after " << report_.iterations;
    ++count;
  }
  EXPECT_GE(count, 20);
}

class FileTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }
  const std::string path_ = (fs::temp_directory_path() / "saltus_fclib_test.h5").string();
};

TEST_F(FileTest, RoundTrip) {
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBoxStack({}, &A, &problem);
  WriteFclib(problem, path_);
  const FclibProblem read = ReadFclib(path_);
  EXPECT_EQ(read.problem.b, problem.b);
  EXPECT_EQ(MakeDense(*read.A), MakeDense(A));
  ASSERT_EQ(read.problem.cones.size(), problem.cones.size());
  EXPECT_EQ(read.problem.cones[1].friction, problem.cones[1].friction);
  EXPECT_EQ(read.problem.cones[1].offset, 3);
}

TEST_F(FileTest, RefusesOtherCones) {
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBoxStack({}, &A, &problem);
  problem.cones[2].kind = ConeKind::kFree;
  EXPECT_THROW(WriteFclib(problem, path_), InputError);
}

TEST_F(FileTest, RefusesMissingAndForeignFiles) {
  EXPECT_THROW(ReadFclib("/no/such/file.h5"), InputError);
  std::ofstream(path_) << "This is not HDF5.";
  EXPECT_THROW(ReadFclib(path_), InputError);
}

TEST_F(FileTest, RefusesDamagedFiles) {
  BodyDelassus A;
  ConicProblem problem;
  test::BoxStack stack;
  stack.num_boxes = 1;
  MakeBoxStack(stack, &A, &problem);
  problem.b[1] = std::nan("");
  WriteFclib(problem, path_);
  EXPECT_THROW(ReadFclib(path_), InputError);
  problem.b[1] = 0;
  problem.cones[0].friction = -1;
  WriteFclib(problem, path_);
  EXPECT_THROW(ReadFclib(path_), InputError);
  // A file cut short at every length either reads or is refused, and never crashes.
  problem.cones[0].friction = 1;
  WriteFclib(problem, path_);
  std::ifstream file(path_, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (std::size_t length = 0; length < bytes.size(); length += 997) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes.substr(0, length);
    EXPECT_THROW(ReadFclib(path_), InputError) << length;
  }
}

}  // namespace
}  // namespace saltus
