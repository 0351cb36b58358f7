// Writing and reading back; what a kill, a full disk or a damaged file leave behind.
#include "saltus/output/result_file.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "saltus/base/error.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/test/sample_frames.h"

namespace saltus {
namespace {

constexpr double kTiny = std::numeric_limits<double>::denorm_min();

Checkpoint MakeSampleCheckpoint(long k) {
  Checkpoint checkpoint;
  State& state = checkpoint.state;
  state.time = 0.1 * static_cast<double>(k);
  state.q = VectorX::LinSpaced(21, 0.1, static_cast<double>(k) + 1.0 / 3);
  state.v = VectorX::LinSpaced(18, -kTiny, 1e300);
  for (long i = 0; i < k; ++i) {
    state.contacts.push_back(
        {{~0ULL, static_cast<std::uint64_t>(i)}, {0.1, 0.2, 1.0 / 3}, {0.3, 0.7, 1.0 / 7}});
  }
  state.internal = VectorX::Constant(3, 1.0 / 9);
  state.integrator["acceleration"] = VectorX::Constant(18, 1.0 / 7);
  state.integrator["empty"] = VectorX();
  state.integrator["previous_q"] = state.q;
  checkpoint.audit.max_penetration = 1e-7;
  checkpoint.audit.work.projection = -1.0 / 3;
  checkpoint.audit.steps = (1L << 53) - 1;
  checkpoint.audit.wall_time = 1.25;
  checkpoint.step_index = k;
  return checkpoint;
}

void ExpectEqual(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.step_index, b.step_index);
  EXPECT_EQ(a.state.time, b.state.time);
  EXPECT_EQ(a.state.q, b.state.q);
  EXPECT_EQ(a.state.v, b.state.v);
  ASSERT_EQ(a.state.contacts.size(), b.state.contacts.size());
  for (std::size_t i = 0; i < a.state.contacts.size(); ++i) {
    EXPECT_EQ(a.state.contacts[i].key, b.state.contacts[i].key);
    EXPECT_EQ(a.state.contacts[i].impulse, b.state.contacts[i].impulse);
    EXPECT_EQ(a.state.contacts[i].moment, b.state.contacts[i].moment);
  }
  EXPECT_EQ(a.state.internal, b.state.internal);
  EXPECT_EQ(a.state.integrator, b.state.integrator);
  const auto audit_a = ListEntries(a.audit), audit_b = ListEntries(b.audit);
  for (std::size_t i = 0; i < audit_a.size(); ++i) {
    EXPECT_EQ(audit_a[i].value, audit_b[i].value) << audit_a[i].key;
  }
}

void ExpectEqual(const Frame& a, const Frame& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.step_size, b.step_size);
  EXPECT_EQ(a.energy.total(), b.energy.total());
  EXPECT_EQ(a.work.projection, b.work.projection);
  EXPECT_EQ(a.closure, b.closure);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    EXPECT_EQ(a.bodies[i].position, b.bodies[i].position);
    EXPECT_EQ(a.bodies[i].orientation.coeffs(), b.bodies[i].orientation.coeffs());
    EXPECT_EQ(a.bodies[i].velocity, b.bodies[i].velocity);
    EXPECT_EQ(a.bodies[i].angular_velocity, b.bodies[i].angular_velocity);
  }
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    EXPECT_EQ(a.joints[i].coordinate, b.joints[i].coordinate);
    EXPECT_EQ(a.joints[i].force, b.joints[i].force);
    EXPECT_EQ(a.joints[i].torque, b.joints[i].torque);
  }
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  for (std::size_t i = 0; i < a.contacts.size(); ++i) {
    EXPECT_EQ(a.contacts[i].name, b.contacts[i].name);
    EXPECT_EQ(a.contacts[i].key, b.contacts[i].key);
    EXPECT_EQ(a.contacts[i].gap, b.contacts[i].gap);
    EXPECT_EQ(a.contacts[i].point, b.contacts[i].point);
    EXPECT_EQ(a.contacts[i].normal, b.contacts[i].normal);
    EXPECT_EQ(a.contacts[i].tangent, b.contacts[i].tangent);
    EXPECT_EQ(a.contacts[i].force, b.contacts[i].force);
    EXPECT_EQ(a.contacts[i].impulse, b.contacts[i].impulse);
    EXPECT_EQ(a.contacts[i].adhesion, b.contacts[i].adhesion);
    EXPECT_EQ(a.contacts[i].moment, b.contacts[i].moment);
  }
}

void WriteSample(const std::string& path, long num_frames, const ResultFileOptions& options) {
  ResultFile file(path, MakeSampleLayout(), options);
  for (long k = 0; k < num_frames; ++k) {
    file.AddFrame(MakeSampleFrame(k));
    if (k % 100 == 0) file.Flush();
  }
  file.AddCheckpoint(MakeSampleCheckpoint(3));
  file.AddCheckpoint(MakeSampleCheckpoint(5));
  Audit audit;
  audit.max_penetration = 2.5e-8;
  audit.steps = num_frames;
  file.SetAudit(audit, "finished");
  file.Close();
}

class RoundTrip : public testing::TestWithParam<int> {};

// 3000 frames span several chunks of every column.
TEST_P(RoundTrip, GivesBackEveryNumber) {
  const ScratchFile scratch("run.h5");
  ResultFileOptions options{"Ball", "saltus: 1\nname: Ball µ\n", true, GetParam()};
  WriteSample(scratch.path(), 3000, options);
  EXPECT_FALSE(std::filesystem::exists(scratch.path() + ".part"));

  const ResultReader reader(scratch.path());
  EXPECT_EQ(reader.title(), "Ball");
  EXPECT_EQ(reader.scene(), options.scene);
  EXPECT_EQ(reader.saltus_version(), LibraryVersion());
  EXPECT_EQ(reader.outcome(), "finished");
  EXPECT_EQ(reader.layout().bodies, MakeSampleLayout().bodies);
  EXPECT_EQ(reader.layout().joints[2].coordinate, "displacement");
  EXPECT_EQ(reader.catalog().contacts(), (std::vector<std::string>{"ball-ground", "hinge.limit"}));
  ASSERT_EQ(reader.num_frames(), 3000);
  for (const long k : {0L, 1L, 2L, 1023L, 1024L, 2998L, 2999L}) {
    ExpectEqual(reader.ReadFrame(k), MakeSampleFrame(k));
  }
  for (const Channel& channel : reader.catalog().List()) {
    const std::vector<double> values = reader.ReadChannel(channel);
    ASSERT_EQ(values.size(), 3000U);
    for (long k = 0; k < 3000; k += 7) {
      const double expected = CalcChannel(MakeSampleFrame(k), reader.catalog(), channel);
      const double value = values[static_cast<std::size_t>(k)];
      EXPECT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected)))
          << channel.name << " " << k;
    }
  }
  ASSERT_EQ(reader.audit().size(), ListEntries({}).size());
  EXPECT_EQ(reader.audit()[0].key, "max_penetration");
  EXPECT_EQ(reader.audit()[0].value, 2.5e-8);
  EXPECT_EQ(reader.audit()[0].unit, "m");
  ASSERT_TRUE(reader.has_checkpoint());
  ExpectEqual(reader.ReadCheckpoint(), MakeSampleCheckpoint(5));
}

INSTANTIATE_TEST_SUITE_P(Compression, RoundTrip, testing::Values(0, 1, 4));

TEST(ResultFile, WithoutBodiesJointsAndContacts) {
  const ScratchFile scratch("run.h5");
  {
    ResultFile file(scratch.path(), {}, {"", "", false, 0});
    for (long k = 0; k < 10; ++k) {
      Frame frame;
      frame.time = static_cast<double>(k);
      file.AddFrame(frame);
    }
    file.Close();
  }
  const ResultReader reader(scratch.path());
  EXPECT_EQ(reader.num_frames(), 10);
  EXPECT_FALSE(reader.has_contacts());
  EXPECT_FALSE(reader.has_checkpoint());
  EXPECT_THROW(reader.ReadCheckpoint(), InputError);
  EXPECT_EQ(reader.ReadChannel("time")[9], 9);
  EXPECT_EQ(reader.ReadFrame(3).time, 3);
}

TEST(ResultFile, KeepsEventsInTheOrderOfAddition) {
  const ScratchFile scratch("run.h5");
  {
    ResultFile file(scratch.path(), {}, {});
    file.AddFrame({});
    for (int i = 0; i < 200; ++i)
      file.AddEvent({0.1 * i, "apex " + std::to_string(i), 1.0 / (i + 1)});
    file.AddEvent({1, std::string(100, 'x'), 2});
    file.Close();
  }
  const std::vector<RunEvent> events = ResultReader(scratch.path()).ReadEvents();
  ASSERT_EQ(events.size(), 201U);
  EXPECT_EQ(events[7].time, 0.1 * 7);
  EXPECT_EQ(events[7].name, "apex 7");
  EXPECT_EQ(events[7].value, 1.0 / 8);
  EXPECT_EQ(events[200].name, std::string(64, 'x'));
}

TEST(ResultFile, LongContactNamesStayDistinct) {
  const ScratchFile scratch("run.h5");
  {
    ResultFile file(scratch.path(), {}, {});
    Frame frame;
    for (const char* end : {"a", "b"}) {
      Frame::Contact contact{};
      contact.name = std::string(500, 'x') + end;
      frame.contacts.push_back(contact);
    }
    file.AddFrame(frame);
    file.Close();
  }
  const ResultReader reader(scratch.path());
  ASSERT_EQ(reader.catalog().contacts().size(), 2U);
  EXPECT_NE(reader.catalog().contacts()[0], reader.catalog().contacts()[1]);
}

TEST(ResultFile, CanBeReadWhileItIsWritten) {
  const ScratchFile scratch("run.h5");
  ResultFile file(scratch.path(), MakeSampleLayout(), {});
  EXPECT_EQ(ResultReader(scratch.path()).num_frames(), 0);
  for (long k = 0; k < 50; ++k) file.AddFrame(MakeSampleFrame(k));
  file.Flush();
  const ResultReader reader(scratch.path());
  EXPECT_EQ(reader.outcome(), "running");
  ASSERT_EQ(reader.num_frames(), 50);
  ExpectEqual(reader.ReadFrame(49), MakeSampleFrame(49));
}

TEST(ResultFile, ImpossiblePathsAreBadInput) {
  const ScratchFile scratch("run.h5");
  EXPECT_THROW(ResultFile("/nonexistent/folder/run.h5", {}, {}), InputError);
  EXPECT_THROW(ResultFile(scratch.folder().string(), {}, {}), InputError);
  EXPECT_FALSE(std::filesystem::exists(scratch.folder().string() + ".part"));
}

// Runs `action` in a child process and returns its id.
template <typename Action>
pid_t Fork(Action action) {
  const pid_t child = fork();
  if (child == 0) {
    action();
    _exit(0);
  }
  return child;
}

// The writer flushes without pause, so that most kills hit it in the middle of writing. 40 kills at
// random times keep the test short; thousands were tried once without a loss.
TEST(ResultFile, IsReadableAfterKill) {
  const ScratchFile scratch("run.h5");
  std::mt19937 random(1);
  for (int trial = 0; trial < 40; ++trial) {
    std::filesystem::remove(scratch.path());
    const pid_t child = Fork([&] {
      ResultFile file(scratch.path(), MakeSampleLayout(), {});
      for (long k = 0;; ++k) {
        file.AddFrame(MakeSampleFrame(k));
        if (k % 50 == 0) file.AddCheckpoint(MakeSampleCheckpoint(k / 50));
        file.SetAudit({}, "running");
        file.Flush();
      }
    });
    while (!std::filesystem::exists(scratch.path())) usleep(1000);
    usleep(std::uniform_int_distribution<unsigned>(0, 60000)(random));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);

    const ResultReader reader(scratch.path());
    EXPECT_EQ(reader.outcome(), "running");
    for (long k = 0; k < reader.num_frames(); k += 5) {
      ExpectEqual(reader.ReadFrame(k), MakeSampleFrame(k));
    }
    if (reader.has_checkpoint()) {
      const Checkpoint checkpoint = reader.ReadCheckpoint();
      ExpectEqual(checkpoint, MakeSampleCheckpoint(checkpoint.step_index));
    }
    if (HasFailure()) break;
  }
}

// The limit on the file size stands for a full disk: write() fails in the same way.
TEST(ResultFile, FullDiskIsSaidAndLosesNothingThatWasFlushed) {
  for (const rlim_t limit : {40000UL, 1200000UL, 2600000UL, 4000001UL}) {
    const ScratchFile scratch("run.h5");
    const pid_t child = Fork([&] {
      signal(SIGXFSZ, SIG_IGN);
      const rlimit size{limit, limit};
      setrlimit(RLIMIT_FSIZE, &size);
      try {
        ResultFile file(scratch.path(), MakeSampleLayout(), {});
        for (long k = 0; k < 100000; ++k) {
          file.AddFrame(MakeSampleFrame(k));
          if (k % 10 == 0) file.Flush();
        }
      } catch (const OutputError& error) {
        _exit(std::string(error.what()).find("File too large") != std::string::npos ? 10 : 11);
      } catch (const InputError&) {
        _exit(12);
      }
    });
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "limit " << limit;
    if (WEXITSTATUS(status) == 12) {  // Too small even for the empty file: nothing is left behind.
      EXPECT_TRUE(std::filesystem::is_empty(scratch.folder()));
      continue;
    }
    EXPECT_EQ(WEXITSTATUS(status), 10);
    const ResultReader reader(scratch.path());
    EXPECT_GT(reader.num_frames(), 0) << "limit " << limit;
    if (reader.num_frames() == 0) continue;
    ExpectEqual(reader.ReadFrame(reader.num_frames() - 1),
                MakeSampleFrame(reader.num_frames() - 1));
  }
}

TEST(ResultReader, SaysWhatIsWrongWithOtherFiles) {
  const ScratchFile scratch("run.h5");
  EXPECT_THROW(ResultReader("/nonexistent/run.h5"), InputError);
  EXPECT_THROW(ResultReader(scratch.folder().string()), InputError);
  std::ofstream(scratch.path()) << "name: a scene, not a result\n";
  EXPECT_FALSE(LooksLikeResult(scratch.path()));
  try {
    const ResultReader reader(scratch.path());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(scratch.path()));
  }
}

TEST(ResultReader, TruncatedFilesAreBadInput) {
  const ScratchFile scratch("run.h5"), copy("copy.h5");
  WriteSample(scratch.path(), 200, {});
  EXPECT_TRUE(LooksLikeResult(scratch.path()));
  const auto size = std::filesystem::file_size(scratch.path());
  for (std::uintmax_t keep = 0; keep < size; keep += 1 + size / 40) {
    std::filesystem::copy_file(scratch.path(), copy.path(),
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(copy.path(), keep);
    EXPECT_THROW(ResultReader{copy.path()}, InputError) << keep;
  }
}

// Reads everything there is, in a child process; true if it ended well or with an InputError.
bool SurvivesReading(const std::string& path) {
  const pid_t child = Fork([&] {
    try {
      const ResultReader reader(path);
      for (const Channel& channel : reader.catalog().List()) reader.ReadChannel(channel);
      if (reader.num_frames() > 0) reader.ReadFrame(reader.num_frames() - 1);
      if (reader.has_checkpoint()) reader.ReadCheckpoint();
    } catch (const InputError&) {
    }
  });
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Damaged bytes give wrong numbers or an InputError, never a crash. Metadata lies in the first part
// of the file, so most places are chosen there.
TEST(ResultReader, DamagedFilesDoNotCrash) {
  const ScratchFile scratch("run.h5");
  WriteSample(scratch.path(), 20, {});
  const auto size = static_cast<std::size_t>(std::filesystem::file_size(scratch.path()));
  std::mt19937 random(2);
  int crashes = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const std::size_t range = trial % 3 == 0 ? size : std::min<std::size_t>(size, 65536);
    const auto place = std::uniform_int_distribution<std::size_t>(0, range - 1)(random);
    std::fstream file(scratch.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(place));
    const auto old = static_cast<char>(file.get());
    const auto write = [&](char byte) {
      file.seekp(static_cast<std::streamoff>(place));
      file.put(byte).flush();
    };
    write(static_cast<char>(old ^ (1 << std::uniform_int_distribution<int>(0, 7)(random))));
    if (!SurvivesReading(scratch.path())) ++crashes;
    write(old);
  }
  // HDF5 1.10 itself does not survive every flipped bit of its metadata.
  EXPECT_LE(crashes, 3);
  EXPECT_EQ(ResultReader(scratch.path()).num_frames(), 20);
}

}  // namespace
}  // namespace saltus
