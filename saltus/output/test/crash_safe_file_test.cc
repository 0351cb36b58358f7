#include "saltus/output/crash_safe_file.h"

#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

namespace saltus {
namespace {

std::uint32_t Checksum(const std::string& text) {
  return CalcMetadataChecksum(reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

// The values that the author of lookup3 publishes with it.
TEST(MetadataChecksum, AgreesWithPublishedValues) {
  EXPECT_EQ(Checksum(""), 0xdeadbeefU);
  EXPECT_EQ(Checksum("Four score and seven years ago"), 0x17770551U);
}

std::array<unsigned char, 48> MakeSuperblock(unsigned char version, unsigned char flags) {
  std::array<unsigned char, 48> block{0x89, 'H',  'D',     'F', '\r', '\n',
                                      0x1a, '\n', version, 8,   8,    flags};
  for (std::size_t i = 12; i < 44; ++i) block[i] = static_cast<unsigned char>(3 * i);
  return block;
}

TEST(MendSuperblock, ClearsTheMarksAndNamesTheEnd) {
  auto block = MakeSuperblock(3, 5), clean = MakeSuperblock(3, 0);
  ASSERT_TRUE(MendSuperblock(block.data(), block.size(), 0x123456789abcULL));
  const std::array<unsigned char, 8> end{0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0};
  std::copy(end.begin(), end.end(), clean.begin() + 28);
  EXPECT_TRUE(std::equal(clean.begin(), clean.begin() + 44, block.begin()));
  const std::uint32_t checksum = CalcMetadataChecksum(block.data(), 44);
  const std::uint32_t stored = block[44] | static_cast<std::uint32_t>(block[45]) << 8 |
                               static_cast<std::uint32_t>(block[46]) << 16 |
                               static_cast<std::uint32_t>(block[47]) << 24;
  EXPECT_EQ(stored, checksum);
}

TEST(MendSuperblock, LeavesEverythingElseAlone) {
  auto old_version = MakeSuperblock(2, 5);
  const auto before = old_version;
  EXPECT_FALSE(MendSuperblock(old_version.data(), old_version.size(), 4096));
  EXPECT_EQ(old_version, before);
  std::array<unsigned char, 48> data{};
  EXPECT_FALSE(MendSuperblock(data.data(), data.size(), 4096));
  auto short_block = MakeSuperblock(3, 5);
  EXPECT_FALSE(MendSuperblock(short_block.data(), 40, 4096));
}

}  // namespace
}  // namespace saltus
