#include "saltus/output/crash_safe_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "saltus/output/result_lock.h"

namespace saltus {
namespace {

// Superblock version 3: signature 8, version 1, sizes of offsets and lengths 1 + 1, flags 1, four
// addresses of 8 bytes, checksum 4.
constexpr std::array<unsigned char, 8> kSignature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t kVersionAt = 8, kOffsetSizeAt = 9, kFlagsAt = 11, kEndOfFileAt = 28;
constexpr std::size_t kChecksumAt = 44;
constexpr std::size_t kSuperblockSize = 48;
constexpr haddr_t kMaxAddress = (haddr_t{1} << 62) - 1;

// The file grows ahead by at least this, or by an eighth of its size.
constexpr haddr_t kLeastGrowth = haddr_t{1} << 20;

using Superblock = std::array<unsigned char, kSuperblockSize>;

struct DriverInfo {
  WriteFault* fault;
};

struct OpenFile {
  H5FD_t base;  // Must come first: HDF5 sees only this part.
  int descriptor;
  haddr_t end_of_addresses;
  haddr_t end_of_file;    // of the file on disk, at least end_of_addresses
  bool has_superblock;    // it was written at least once
  Superblock superblock;  // as it was written last
  WriteFault* fault;
  dev_t device;
  ino_t inode;
};

OpenFile* Cast(H5FD_t* file) { return reinterpret_cast<OpenFile*>(file); }
const OpenFile* Cast(const H5FD_t* file) { return reinterpret_cast<const OpenFile*>(file); }

std::uint32_t ReadLittleEndian(const unsigned char* bytes) {
  return bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

void WriteLittleEndian(std::uint64_t value, int count, unsigned char* bytes) {
  for (int i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(value >> (8 * i));
}

H5FD_t* Open(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  int mode = (flags & H5F_ACC_RDWR) ? O_RDWR : O_RDONLY;
  if (flags & H5F_ACC_TRUNC) mode |= O_TRUNC;
  if (flags & H5F_ACC_CREAT) mode |= O_CREAT;
  if (flags & H5F_ACC_EXCL) mode |= O_EXCL;
  const int descriptor = open(name, mode | O_CLOEXEC, 0666);
  struct stat status {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    info->fault->error_number = errno;
    if (descriptor >= 0) close(descriptor);
    return nullptr;
  }
  auto* file = new (std::nothrow) OpenFile{};
  if (file == nullptr || !LockFile(descriptor)) {
    delete file;
    close(descriptor);
    return nullptr;
  }
  file->descriptor = descriptor;
  file->end_of_file = static_cast<haddr_t>(status.st_size);
  file->fault = info->fault;
  file->fault->error_number = 0;  // HDF5 looks for an older file first; that attempt may fail.
  file->device = status.st_dev;
  file->inode = status.st_ino;
  return &file->base;
}

int Compare(const H5FD_t* base1, const H5FD_t* base2) {
  const OpenFile *a = Cast(base1), *b = Cast(base2);
  if (a->device != b->device) return a->device < b->device ? -1 : 1;
  if (a->inode != b->inode) return a->inode < b->inode ? -1 : 1;
  return 0;
}

herr_t Query(const H5FD_t*, unsigned long* flags) {
  // No accumulation of metadata: the superblock must reach Write on its own.
  if (flags != nullptr) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  }
  return 0;
}

haddr_t EndOfAddresses(const H5FD_t* base, H5FD_mem_t) { return Cast(base)->end_of_addresses; }

haddr_t EndOfFile(const H5FD_t* base, H5FD_mem_t) { return Cast(base)->end_of_file; }

herr_t Read(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  auto* bytes = static_cast<unsigned char*>(buffer);
  while (size > 0) {
    const ssize_t n = pread(Cast(base)->descriptor, bytes, size, static_cast<off_t>(address));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) {  // Allocated but never written: zeros, as HDF5 expects.
      std::memset(bytes, 0, size);
      return 0;
    }
    bytes += n;
    address += static_cast<haddr_t>(n);
    size -= static_cast<std::size_t>(n);
  }
  return 0;
}

herr_t WriteBytes(OpenFile* file, haddr_t address, std::size_t size, const unsigned char* bytes) {
  while (size > 0) {
    const ssize_t n = pwrite(file->descriptor, bytes, size, static_cast<off_t>(address));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      file->fault->error_number = n < 0 ? errno : EIO;
      return -1;
    }
    bytes += n;
    address += static_cast<haddr_t>(n);
    size -= static_cast<std::size_t>(n);
    file->end_of_file = std::max(file->end_of_file, address);
  }
  return 0;
}

/// Names the end of the file in the superblock on disk.
herr_t WriteEndOfFile(OpenFile* file, haddr_t end) {
  if (!file->has_superblock) return 0;
  MendSuperblock(file->superblock.data(), kSuperblockSize, end);
  return WriteBytes(file, 0, kSuperblockSize, file->superblock.data());
}

herr_t Resize(OpenFile* file, haddr_t end) {
  if (ftruncate(file->descriptor, static_cast<off_t>(end)) != 0) {
    file->fault->error_number = errno;
    return -1;
  }
  file->end_of_file = end;
  return 0;
}

// Every allocation in the file comes through here, before anything can refer to the new space.
herr_t SetEndOfAddresses(H5FD_t* base, H5FD_mem_t, haddr_t address) {
  OpenFile* file = Cast(base);
  file->end_of_addresses = address;
  if (address <= file->end_of_file || file->fault->error_number != 0) return 0;
  const haddr_t end = address + std::max(kLeastGrowth, address / 8);
  if (Resize(file, end) < 0) return -1;
  return WriteEndOfFile(file, end);
}

herr_t Write(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
             const void* buffer) {
  OpenFile* file = Cast(base);
  if (file->fault->error_number != 0) return 0;
  const auto* bytes = static_cast<const unsigned char*>(buffer);
  if (address == 0 && size >= kSuperblockSize) {
    std::copy_n(bytes, kSuperblockSize, file->superblock.begin());
    file->has_superblock =
        MendSuperblock(file->superblock.data(), kSuperblockSize, file->end_of_file);
    if (file->has_superblock) {
      if (WriteBytes(file, 0, kSuperblockSize, file->superblock.data()) < 0) return -1;
      address += kSuperblockSize;
      bytes += kSuperblockSize;
      size -= kSuperblockSize;
    }
  }
  return WriteBytes(file, address, size, bytes);
}

// The end is cut in Close, where the superblock can be told first.
herr_t Truncate(H5FD_t*, hid_t, hbool_t) { return 0; }

herr_t Close(H5FD_t* base) {
  OpenFile* file = Cast(base);
  if (file->fault->error_number == 0 && file->end_of_addresses < file->end_of_file &&
      file->has_superblock && WriteEndOfFile(file, file->end_of_addresses) == 0) {
    Resize(file, file->end_of_addresses);
  }
  if (close(file->descriptor) != 0 && file->fault->error_number == 0) {
    file->fault->error_number = errno;
  }
  delete file;
  return 0;
}

H5FD_class_t MakeDriverClass() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 0x53);
#endif
  driver.name = "saltus_crash_safe";
  driver.maxaddr = kMaxAddress;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = Open;
  driver.close = Close;
  driver.cmp = Compare;
  driver.query = Query;
  driver.get_eoa = EndOfAddresses;
  driver.set_eoa = SetEndOfAddresses;
  driver.get_eof = EndOfFile;
  driver.read = Read;
  driver.write = Write;
  driver.truncate = Truncate;
  for (H5FD_mem_t& type : driver.fl_map) type = H5FD_MEM_SUPER;  // One free list for everything.
  return driver;
}

}  // namespace

std::uint32_t CalcMetadataChecksum(const unsigned char* bytes, std::size_t count) {
  std::uint32_t a = 0xdeadbeefU + static_cast<std::uint32_t>(count), b = a, c = a;
  if (count == 0) return c;
  for (; count > 12; count -= 12, bytes += 12) {
    a += ReadLittleEndian(bytes);
    b += ReadLittleEndian(bytes + 4);
    c += ReadLittleEndian(bytes + 8);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  std::array<unsigned char, 12> tail{};
  std::copy_n(bytes, count, tail.begin());
  a += ReadLittleEndian(tail.data());
  b += ReadLittleEndian(tail.data() + 4);
  c += ReadLittleEndian(tail.data() + 8);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

bool MendSuperblock(unsigned char* bytes, std::size_t count, std::uint64_t end_of_file) {
  if (count < kSuperblockSize || !std::equal(kSignature.begin(), kSignature.end(), bytes) ||
      bytes[kVersionAt] != 3 || bytes[kOffsetSizeAt] != 8) {
    return false;
  }
  bytes[kFlagsAt] = 0;
  WriteLittleEndian(end_of_file, 8, bytes + kEndOfFileAt);
  WriteLittleEndian(CalcMetadataChecksum(bytes, kChecksumAt), 4, bytes + kChecksumAt);
  return true;
}

hid_t UseCrashSafeDriver(hid_t access, WriteFault* fault) {
  const H5FD_class_t driver = MakeDriverClass();
  const hid_t id = H5FDregister(&driver);
  if (id < 0) return id;
  const DriverInfo info{fault};
  if (H5Pset_driver(access, id, &info) < 0) {
    H5Idec_ref(id);
    return -1;
  }
  return id;
}

}  // namespace saltus
