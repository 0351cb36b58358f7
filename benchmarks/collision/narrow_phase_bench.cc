// Convex pairs near contact: time, accuracy and manifold size of our narrow phase, FCL's, Bullet's.
//
// Judge: for any unit n the separation s(n) = min n·b − max n·a is a lower bound of the signed
// distance; the largest s(n) over the normals of all engines and a direct search is the reference.
// Columns: ns per query, |distance − reference|, reference − s(normal) (both largest over the
// queries), mean number of contact points, queries nearer than the margin without an answer.
#include <cstdio>
#include <string>

#include "saltus/collision/test/reference.h"

#include "benchmarks/collision/narrow_phase.h"

namespace saltus::bench {
namespace {

using test::PlacedTestShape;
using test::Random;

constexpr double kMargin = 0.01;

Outcome RunSaltus(const std::vector<Query>& queries, int rounds) {
  Outcome outcome;
  double seconds = 0;
  for (const Query& q : queries) {
    CollisionWorld world;
    world.Add({q.a, {}, 0, 0});
    world.Add({q.b, {}, 1, 0});
    const std::vector<Pose> poses = {q.pose_a, q.pose_b};
    std::vector<Witness> witnesses;
    world.Find(poses, kMargin, &witnesses);
    const double start = CpuSeconds();
    for (int r = 0; r < rounds; ++r) world.Find(poses, kMargin, &witnesses);
    seconds += CpuSeconds() - start;
    Answer answer;
    answer.found = !witnesses.empty();
    answer.points = static_cast<int>(witnesses.size());
    answer.distance = test::CalcLeastGap(witnesses);
    if (answer.found) answer.normal = witnesses[0].normal;
    outcome.answers.push_back(answer);
  }
  outcome.seconds = seconds / (rounds * static_cast<double>(queries.size()));
  return outcome;
}

// Random turns, moved along the line of centres to the wanted separation.
std::vector<Query> MakeQueries(const Shape& a, const Shape& b, double wanted, bool aligned) {
  Random random(17);
  std::vector<Query> queries;
  for (int i = 0; i < 60; ++i) {
    PlacedTestShape pa{a, {}}, pb{b, {}};
    if (!aligned) {
      pa.pose.R = random.Rotation();
      pb.pose.R = random.Rotation();
    }
    const Vector3 d = aligned ? Vector3(0.1, 0.2, 1).normalized() : random.Direction();
    double low = 0, high = 4;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      pb.pose.p = middle * d;
      (test::CalcSignedDistance(pa, pb) < wanted ? low : high) = middle;
    }
    queries.push_back({a, b, pa.pose, pb.pose});
  }
  return queries;
}

void Print(const char* engine, const Outcome& outcome, const std::vector<Query>& queries,
           const std::vector<double>& reference) {
  double distance_error = 0, normal_error = 0, points = 0;
  int missing = 0, answered = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Answer& answer = outcome.answers[i];
    if (!answer.found) {
      missing += reference[i] < kMargin ? 1 : 0;
      continue;
    }
    const double s = test::CalcSeparationValue({queries[i].a, queries[i].pose_a},
                                               {queries[i].b, queries[i].pose_b}, answer.normal);
    distance_error = std::max(distance_error, std::abs(answer.distance - reference[i]));
    normal_error = std::max(normal_error, reference[i] - s);
    points += answer.points;
    ++answered;
  }
  std::printf("|  | %s | %.0f | %.1e | %.1e | %.1f | %d |\n", engine, 1e9 * outcome.seconds,
              distance_error, normal_error, answered > 0 ? points / answered : 0.0, missing);
}

void Compare(const std::string& name, const std::vector<Query>& queries) {
  constexpr int kRounds = 200;
  std::vector<std::pair<const char*, Outcome>> outcomes;
  outcomes.emplace_back("Saltus", RunSaltus(queries, kRounds));
#ifdef SALTUS_HAS_FCL
  outcomes.emplace_back("FCL", RunFcl(queries, kRounds));
#endif
#ifdef SALTUS_HAS_BULLET
  outcomes.emplace_back("Bullet", RunBullet(queries, kMargin, kRounds));
#endif
  std::vector<double> reference;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const PlacedTestShape a{queries[i].a, queries[i].pose_a}, b{queries[i].b, queries[i].pose_b};
    double best = test::CalcSignedDistance(a, b);
    for (const auto& [engine, outcome] : outcomes) {
      if (!outcome.answers[i].found) continue;
      best = std::max(best, test::CalcSeparationValue(a, b, outcome.answers[i].normal));
    }
    reference.push_back(best);
  }
  std::printf("| %s | | | | | | |\n", name.c_str());
  for (const auto& [engine, outcome] : outcomes) Print(engine, outcome, queries, reference);
}

int Run() {
  Random random(5);
  const Box box{Vector3(0.5, 0.4, 0.3)};
  const ConvexHull hull = test::MakeRandomHull(&random, 16);
  const ConvexHull large = test::MakeRandomHull(&random, 100);
  const Cylinder cylinder{0.4, 0.3};
  struct Case {
    const char* name;
    Shape a, b;
  };
  const std::vector<Case> cases = {{"box–box", box, box},
                                   {"hull–hull (16 points)", hull, hull},
                                   {"hull–hull (100 points)", large, large},
                                   {"box–hull (16 points)", box, hull},
                                   {"cylinder–box", cylinder, box},
                                   {"cylinder–cylinder", cylinder, cylinder}};
  std::printf("| pair | engine | ns | distance error | normal error | points | missing |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const Case& c : cases) {
    Compare(std::string(c.name) + ", gap 1 mm", MakeQueries(c.a, c.b, 1e-3, false));
    Compare(std::string(c.name) + ", overlap 1 mm", MakeQueries(c.a, c.b, -1e-3, false));
    Compare(std::string(c.name) + ", overlap 0.1 m", MakeQueries(c.a, c.b, -0.1, false));
  }
  Compare("box on box, gap 1 µm", MakeQueries(box, box, 1e-6, true));
  Compare("box on box, overlap 1 µm", MakeQueries(box, box, -1e-6, true));
  Compare("cylinder on box, overlap 1 µm", MakeQueries(cylinder, box, -1e-6, true));
  return 0;
}

}  // namespace
}  // namespace saltus::bench

int main() { return saltus::bench::Run(); }
