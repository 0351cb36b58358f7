#include "saltus/output/result_lock.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "saltus/base/error.h"

namespace saltus {
namespace {

constexpr char kBusy[] = "another run is writing it";

/// An open file that is closed, and with it unlocked, at the end of the scope.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

bool IsSameFile(int descriptor, const std::string& path) {
  struct stat open_file {
  }, named{};
  return fstat(descriptor, &open_file) == 0 && stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

bool Exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

/// rename() that fails with EEXIST instead of replacing.
int RenameWithoutReplacing(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str());
  if (errno == EEXIST) return -1;
  return rename(from.c_str(), to.c_str());  // the file system knows neither
}

}  // namespace

std::string MakeTemporaryName(const std::string& path) {
  static std::atomic<long> count{0};
  return path + ".part-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}

bool LockFile(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void CheckReplaceable(const std::string& path, bool replace) {
  if (!Exists(path)) return;
  const OpenFile file(path);
  if (file.descriptor() >= 0 && !LockFile(file.descriptor())) {
    throw InputError("result file '" + path + "'", kBusy, "choose another name with -o");
  }
  if (replace) return;
  throw InputError("result file '" + path + "'", "it exists",
                   "choose another name with -o, or replace it with --force");
}

std::string TakeName(const std::string& temporary, const std::string& path, bool replace) {
  for (int turn = 0; turn < 100; ++turn) {
    if (!Exists(path)) {
      if (RenameWithoutReplacing(temporary, path) == 0) return "";
      if (errno != EEXIST) return std::strerror(errno);
      continue;  // someone was quicker
    }
    if (!replace) return "it exists";
    const OpenFile older(path);
    if (older.descriptor() < 0) {
      if (errno == ENOENT) continue;
      return std::strerror(errno);
    }
    if (!LockFile(older.descriptor())) return kBusy;
    if (!IsSameFile(older.descriptor(), path)) continue;  // replaced in between
    return rename(temporary.c_str(), path.c_str()) == 0 ? "" : std::strerror(errno);
  }
  return kBusy;
}

}  // namespace saltus
