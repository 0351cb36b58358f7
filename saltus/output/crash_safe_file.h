// A file driver of HDF5 that keeps a result readable at every instant: also after SIGKILL, a crash
// or a full disk, and for plain readers (h5py, h5dump, a second saltus) while the run goes on.
//
// 1. In SWMR mode (single writer, multiple readers) HDF5 orders its writes such that the file is
//    consistent after each of them: an index entry follows the chunk it points to, a parent follows
//    its children. Two things in the superblock still make plain readers refuse the file of a
//    killed writer, and this driver writes the superblock without them (with the checksum that then
//    belongs to it, lookup3 by B. Jenkins):
//      - the mark "open for writing": cleared;
//      - the end of the file as of the last flush, beyond which nothing may be referred to: the
//        file grows ahead in large steps, as a hole that costs no space, and the superblock names
//        the new end before anything lies there. Closing the file cuts it to its true length.
// 2. After the first write that fails, for instance because the disk is full, nothing more reaches
//    the file: it stays as a writer killed at that moment would have left it. The reason is kept in
//    a WriteFault for the message, and HDF5 can close the file in peace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <hdf5.h>

namespace saltus {

/// The first write that failed; error_number is an errno value, 0 while all is well.
struct WriteFault {
  int error_number = 0;
};

/// Registers the driver and puts it into the file access property list `access`. `fault` must
/// outlive the file. Returns the driver's id, to be released with H5Idec_ref; negative on failure.
hid_t UseCrashSafeDriver(hid_t access, WriteFault* fault);

/// The checksum of HDF5 metadata: lookup3 with initial value 0.
std::uint32_t CalcMetadataChecksum(const unsigned char* bytes, std::size_t count);

/// If `bytes` is a superblock of version 3, clears its "open for writing" marks, writes
/// `end_of_file` into it and corrects the checksum. Returns false, changing nothing, for anything
/// else.
bool MendSuperblock(unsigned char* bytes, std::size_t count, std::uint64_t end_of_file);

}  // namespace saltus
