#include <cmath>

#include "saltus/cones/fclib.h"
#include "saltus/cones/fclib_hdf5.h"

namespace saltus {
namespace {

VectorX ReadVector(const fclib::Reader& reader, const std::string& name, int size) {
  if (!reader.Exists(name)) return {};
  const std::vector<double> values = reader.ReadReals(name);
  if (size >= 0 && values.size() != static_cast<std::size_t>(size)) {
    reader.Fail(name, "holds " + std::to_string(values.size()) + " numbers, must be " +
                          std::to_string(size));
  }
  const VectorX x =
      Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size()));
  if (!x.allFinite()) reader.Fail(name, "holds a number that is not finite");
  return x;
}

FclibSolution ReadSolution(const fclib::Reader& reader, const std::string& group, int size) {
  return {ReadVector(reader, group + "/v", -1), ReadVector(reader, group + "/u", size),
          ReadVector(reader, group + "/r", size), ReadVector(reader, group + "/l", -1)};
}

void WriteSolution(const FclibSolution& solution, const std::string& group, fclib::Writer* writer) {
  const auto write = [&](const char* name, const VectorX& x) {
    if (x.size() > 0) writer->Write(group + name, std::vector<double>(x.begin(), x.end()));
  };
  write("/v", solution.v);
  write("/u", solution.u);
  write("/r", solution.r);
  write("/l", solution.l);
}

std::string NameGuess(int index) { return "/guesses/" + std::to_string(index + 1); }

}  // namespace

FclibSolution MakeFclibSolution(const FclibProblem& problem, const VectorX& r) {
  FclibSolution solution;
  solution.r = r;
  CalcVelocity(problem.problem, r, &solution.u);
  if (problem.v.constant.size() > 0) solution.v = problem.v(r);
  if (problem.l.constant.size() > 0) solution.l = problem.l(r);
  return solution;
}

FclibSolution ReadFclibSolution(const std::string& path, int size) {
  return ReadSolution(fclib::Reader(path), "/solution", size);
}

std::vector<FclibSolution> ReadFclibGuesses(const std::string& path, int size) {
  const fclib::Reader reader(path);
  std::vector<FclibSolution> guesses;
  if (!reader.Exists("/guesses/number_of_guesses")) return guesses;
  const int count = reader.ReadInteger("/guesses/number_of_guesses");
  for (int k = 0; k < count; ++k) {
    if (!reader.Exists(NameGuess(k))) reader.Fail(NameGuess(k), "is missing");
    guesses.push_back(ReadSolution(reader, NameGuess(k), size));
  }
  return guesses;
}

void WriteFclibSolution(const FclibSolution& solution, const std::string& path) {
  fclib::Writer writer(path, fclib::Writer::Mode::kAdd);
  writer.Remove("/solution");
  WriteSolution(solution, "/solution", &writer);
}

void WriteFclibGuesses(const std::vector<FclibSolution>& guesses, const std::string& path) {
  fclib::Writer writer(path, fclib::Writer::Mode::kAdd);
  writer.Remove("/guesses");
  writer.Write("/guesses/number_of_guesses", std::vector<int>{static_cast<int>(guesses.size())});
  for (std::size_t k = 0; k < guesses.size(); ++k) {
    WriteSolution(guesses[k], NameGuess(static_cast<int>(k)), &writer);
  }
}

}  // namespace saltus
