#include "saltus/cones/fclib.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "saltus/base/error.h"
#include "saltus/cones/fclib_hdf5.h"
#include "saltus/cones/solvers/nsgs.h"
#include "saltus/cones/test/box_stack.h"
#include "saltus/cones/test/brick_wall.h"
#include "saltus/cones/test/random_problems.h"

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
TEST_F(ReferenceTest, AutoFindsTheExactAnswersToo) {
  ConicSolverOptions options;
  options.tolerance = 1e-14;
  const auto solver = MakeConicSolver("auto", options);
  const auto solve = [&](const char* name) {
    const FclibProblem fclib = ReadFclib((FindReference() / name).string());
    VectorX r;
    EXPECT_TRUE(solver->Solve(fclib.problem, &r).ok()) << name;
    return r;
  };
  EXPECT_LT((solve("FrictionContact3D_1c.h5") -
             Vector3(0.0656956828977, -0.0036786149068, -0.0054430708136))
                .norm(),
            1e-12);
  EXPECT_LT(
      (solve("Rover11035.h5") - Vector3(3.8555649261285, 1.0750793188766, 2.4755284484174)).norm(),
      1e-12);
}

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
  const std::string path_ =
      (fs::temp_directory_path() / ("saltus_fclib_" + std::to_string(getpid()) + ".h5")).string();
};

TEST_F(FileTest, RoundTrip) {
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBoxStack({}, &A, &problem);
  WriteFclib(problem, path_);
  const FclibProblem read = ReadFclib(path_);
  EXPECT_EQ(read.problem.b, problem.b);
  // Blocks are written as products of their rows, columns as products with A: rounding apart.
  EXPECT_TRUE(MakeDense(*read.A).isApprox(MakeDense(A), 1e-14));
  ASSERT_EQ(read.problem.cones.size(), problem.cones.size());
  EXPECT_EQ(read.problem.cones[1].friction, problem.cones[1].friction);
  EXPECT_EQ(read.problem.cones[1].offset, 3);
}

// A wall keeps its bodies in a file: M = I, and the same A.
TEST_F(FileTest, BodiesRoundTrip) {
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBrickWall({.num_columns = 4, .num_courses = 4}, &A, &problem);
  const VectorX r = VectorX::LinSpaced(problem.size(), 0, 1);
  WriteFclib(problem, path_, {{}, r}, FclibForm::kBodies);
  const FclibProblem read = ReadFclib(path_);
  EXPECT_NE(read.problem.A->body_form(), nullptr);
  EXPECT_EQ(read.problem.b, problem.b);
  EXPECT_TRUE(MakeDense(*read.A).isApprox(MakeDense(A), 1e-14));
  const FclibSolution solution = ReadFclibSolution(path_, problem.size());
  EXPECT_EQ(solution.r, r);
  EXPECT_TRUE(solution.v.isApprox(MakeFclibSolution(read, r).v, 1e-14));
}

TEST_F(FileTest, BlocksOfSeveralDimensionsAreFilledUp) {
  test::Random random(4);
  test::MechanismOptions options;
  options.dimensions = {3, 1, 2};
  test::Mechanism mechanism;
  MakeMechanism(options, &random, &mechanism);
  ConicProblem problem;
  problem.A = &mechanism.body;
  problem.cones = test::MakeCones(options.dimensions, 0.4);
  problem.b = random.Matrix(6, 1);
  VectorX r;
  const SolveReport report = NsgsSolver(NsgsOptions{}).Solve(problem, &r);
  ASSERT_TRUE(report.ok());
  WriteFclib(problem, path_, {VectorX::Zero(6), r});
  const FclibProblem read = ReadFclib(path_);
  ASSERT_EQ(read.problem.size(), 9);
  const VectorX padded = ReadFclibSolution(path_, 9).r;
  // The same point solves the file's problem; ρ differs by at most the factor of filling up, 3.
  EXPECT_LE(CalcNaturalMapResidual(read.problem, padded).relative, 3e-9);
  EXPECT_EQ(ReadFclibGuesses(path_, 9).size(), 1u);
}

TEST_F(FileTest, SolutionsAndGuesses) {
  BodyDelassus A;
  ConicProblem problem;
  test::MakeBoxStack({}, &A, &problem);
  WriteFclib(problem, path_);
  const int n = problem.size();
  EXPECT_EQ(ReadFclibSolution(path_, n).r.size(), 0);
  EXPECT_TRUE(ReadFclibGuesses(path_, n).empty());
  const FclibProblem read = ReadFclib(path_);
  const FclibSolution solution = MakeFclibSolution(read, VectorX::LinSpaced(n, 0, 1));
  WriteFclibSolution(MakeFclibSolution(read, VectorX::Ones(n)), path_);
  WriteFclibSolution(solution, path_);  // replaces
  WriteFclibGuesses({solution, MakeFclibSolution(read, VectorX::Ones(n))}, path_);
  EXPECT_EQ(ReadFclibSolution(path_, n).r, solution.r);
  EXPECT_EQ(ReadFclibSolution(path_, n).u, solution.u);
  const std::vector<FclibSolution> guesses = ReadFclibGuesses(path_, n);
  ASSERT_EQ(guesses.size(), 2u);
  EXPECT_EQ(guesses[1].r, VectorX::Ones(n));
  EXPECT_THROW(ReadFclibSolution(path_, n + 3), InputError);
  EXPECT_EQ(ReadFclib(path_).problem.b, problem.b);  // The problem is still there.
}

// A global problem with a bilateral row, against the Schur complement formed by hand:
// M = diag(2, 4, 1, 1), G = e₃, H = [I₃; 0] rotated into the first three velocities.
TEST_F(FileTest, GlobalProblem) {
  const auto write_matrix = [](fclib::Writer* writer, const std::string& name, const MatrixX& A) {
    std::vector<int> p, i;
    std::vector<double> x;
    for (int row = 0; row < A.rows(); ++row) {
      for (int column = 0; column < A.cols(); ++column) {
        if (A(row, column) == 0) continue;
        i.push_back(row);
        p.push_back(column);
        x.push_back(A(row, column));
      }
    }
    writer->Write(name + "/m", std::vector<int>{static_cast<int>(A.rows())});
    writer->Write(name + "/n", std::vector<int>{static_cast<int>(A.cols())});
    writer->Write(name + "/nz", std::vector<int>{static_cast<int>(x.size())});
    writer->Write(name + "/p", p);
    writer->Write(name + "/i", i);
    writer->Write(name + "/x", x);
  };
  MatrixX M = Vector4(2, 4, 1, 1).asDiagonal();
  MatrixX H = MatrixX::Zero(4, 3), G = MatrixX::Zero(4, 1);
  H(0, 0) = H(1, 1) = H(2, 2) = 1;
  H(3, 2) = 1;
  G(2, 0) = 1;
  const Vector4 f(-4, 2, 3, 1);
  const Vector3 w(0.1, 0.2, 0.3);
  {
    fclib::Writer writer(path_, fclib::Writer::Mode::kReplace);
    write_matrix(&writer, "/fclib_global/M", M);
    write_matrix(&writer, "/fclib_global/H", H);
    write_matrix(&writer, "/fclib_global/G", G);
    writer.Write("/fclib_global/spacedim", std::vector<int>{3});
    writer.Write("/fclib_global/vectors/f", std::vector<double>(f.begin(), f.end()));
    writer.Write("/fclib_global/vectors/w", std::vector<double>(w.begin(), w.end()));
    writer.Write("/fclib_global/vectors/b", std::vector<double>{0.5});
    writer.Write("/fclib_global/vectors/mu", std::vector<double>{0.4});
  }
  const FclibProblem read = ReadFclib(path_);
  // v₃ = −0.5 is held by λ: A = diag(1/2, 1/4, 1), b = (−2 + 0.1, 0.5 + 0.2, −0.5 + 1 + 0.3).
  EXPECT_LT((MakeDense(*read.A) - MatrixX(Vector3(0.5, 0.25, 1).asDiagonal())).norm(), 1e-15);
  EXPECT_LT((read.problem.b - Vector3(-1.9, 0.7, 0.8)).norm(), 1e-15);
  const VectorX r = Vector3(1, 2, 3);
  const FclibSolution solution = MakeFclibSolution(read, r);
  EXPECT_LT((M * solution.v - H * r - G * solution.l - f).norm(), 1e-14);
  EXPECT_NEAR(solution.v[2], -0.5, 1e-15);
  EXPECT_LT((H.transpose() * solution.v + w - solution.u).norm(), 1e-14);
  WriteFclibSolution(solution, path_);
  EXPECT_EQ(ReadFclibSolution(path_, 3).l, solution.l);
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
