// Writing a result file: frames, checkpoints and the audit, in the layout of docs/results.md.
//
// The file can be read at every instant, also by others and also if this process is killed: see
// crash_safe_file.h. It is prepared under a temporary name and takes its own when it is complete
// enough to be opened, so an older result is replaced only then. As long as it is open it is locked
// (result_lock.h): a second run that wants the same name is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "saltus/simulation/audit.h"
#include "saltus/simulation/frame.h"
#include "saltus/simulation/simulation.h"

namespace saltus {

struct WriteFault;

/// The format of the files, in their attribute `format_version`.
inline constexpr int kResultFormat = 3;

/// Output could not be written any further (disk full, file system gone). What was flushed before
/// stays readable.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The version of the library, "0.1.0".
std::string LibraryVersion();

struct ResultFileOptions {
  std::string title;     // name of the scene
  std::string scene;     // its text, embedded
  bool contacts = true;  // record contact points
  int compression = 0;   // gzip level 1…9; 0: none, for fast and in-place appends
  bool replace = true;   // an older result of that name; one that is being written never is
};

/// An impact, or something that whoever runs the simulation wants to have in the result.
struct RunEvent {
  double time = 0;   // s
  std::string name;  // of the contact or of the event; room for every contact, at least 64 bytes
  double value = 0;  // impact: normal impulse, N s
  std::string kind = "event";  // or "impact"; up to 16 bytes
};

class ResultFile {
 public:
  /// Makes the file. Throws InputError if it cannot be made at this path.
  ResultFile(const std::string& path, const FrameLayout& layout, const ResultFileOptions& options);
  /// Closes the file; errors at this point are lost, so call Close() first.
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  const std::string& path() const { return path_; }
  long num_frames() const { return num_frames_; }
  bool is_open() const { return impl_ != nullptr; }
  /// Bytes added since the last flush: what a full disk or a kill can cost.
  std::size_t unflushed_bytes() const;

  // Each of these throws OutputError if the file cannot take it.
  void AddFrame(const Frame& frame);
  void AddEvent(const RunEvent& event);
  void AddCheckpoint(const Checkpoint& checkpoint);
  /// @param outcome  "running", "finished", "interrupted at …" or why it failed
  /// @param verdict  "good" or "look at: …"; empty while the run goes on
  void SetAudit(const Audit& audit, const std::string& outcome, const std::string& verdict = "");
  /// Makes everything added so far visible to readers and safe from a kill.
  void Flush();
  /// Flush and end. Nothing may be added afterwards.
  void Close();

 private:
  struct Impl;
  template <typename Action>
  void Guard(Action action);
  [[noreturn]] void ThrowFault();

  std::string path_;
  long num_frames_ = 0;
  std::unique_ptr<WriteFault> fault_;  // Outlives impl_, whose file driver reports to it.
  std::unique_ptr<Impl> impl_;
};

}  // namespace saltus
