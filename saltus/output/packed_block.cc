#include "saltus/output/packed_block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <zlib.h>

namespace saltus {
namespace {

static_assert(std::endian::native == std::endian::little, "blocks are written little endian");

constexpr std::uint32_t kNotFinite = 0x80000000;  // n = −2³¹
constexpr double kLargest = 1 << 30;
constexpr std::size_t kHeader = 24;
// Level 6 of zlib's nine: level 9 gains less than 1 % on motions and takes thrice the time.
constexpr int kDeflateLevel = 6;

std::uint32_t ZigZag(std::uint32_t d) { return (d << 1) ^ (0 - (d >> 31)); }  // (3)
std::uint32_t UnZigZag(std::uint32_t u) { return (u >> 1) ^ (0 - (u & 1)); }

double CalcStep(const std::vector<double>& values, double epsilon) {  // (1)
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return std::max(2 * epsilon, largest / kLargest);
}

/// Word of the element (k, c); `before` holds the last two words of the column.
std::uint32_t CalcDifference(std::uint32_t n, std::size_t k, std::uint32_t before[2]) {  // (2)
  std::uint32_t d = n;
  if (k == 1) d = n - before[0];
  if (k > 1) d = n - 2 * before[0] + before[1];
  before[1] = before[0];
  before[0] = n;
  return d;
}

/// The bytes of the words (width bytes each), all first bytes before all second ones.
template <typename Word>
void Shuffle(const std::vector<Word>& words, std::vector<unsigned char>* bytes) {
  bytes->resize(words.size() * sizeof(Word));
  for (std::size_t plane = 0; plane < sizeof(Word); ++plane) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      (*bytes)[plane * words.size() + i] = static_cast<unsigned char>(words[i] >> (8 * plane));
    }
  }
}

template <typename Word>
std::vector<Word> Unshuffle(const std::vector<unsigned char>& bytes) {
  std::vector<Word> words(bytes.size() / sizeof(Word));
  for (std::size_t plane = 0; plane < sizeof(Word); ++plane) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = static_cast<Word>(words[i] | static_cast<Word>(bytes[plane * words.size() + i])
                                                  << (8 * plane));
    }
  }
  return words;
}

std::vector<unsigned char> MakeBytes(Packing packing, const std::vector<double>& values,
                                     std::size_t columns, double step) {
  const std::size_t rows = values.size() / columns;
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> long_words;
  for (std::size_t c = 0; c < columns; ++c) {
    std::uint32_t before[2] = {0, 0};
    for (std::size_t k = 0; k < rows; ++k) {
      const double x = values[k * columns + c];
      if (packing == Packing::kExact) {
        long_words.push_back(std::bit_cast<std::uint64_t>(x));
      } else if (packing == Packing::kSingle) {
        words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(x)));
      } else {
        const std::uint32_t n =
            std::isfinite(x) ? static_cast<std::uint32_t>(std::llround(x / step)) : kNotFinite;
        words.push_back(ZigZag(CalcDifference(n, k, before)));
      }
    }
  }
  std::vector<unsigned char> bytes;
  if (packing == Packing::kExact) {
    Shuffle(long_words, &bytes);
  } else {
    Shuffle(words, &bytes);
  }
  return bytes;
}

std::uint32_t ReadWord(const std::string& block, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, block.data() + at, sizeof word);
  return word;
}

}  // namespace

std::string PackBlock(Packing packing, const std::vector<double>& values, std::size_t columns,
                      double epsilon) {
  const double step = packing == Packing::kQuantised ? CalcStep(values, epsilon) : 0;
  const std::vector<unsigned char> bytes = MakeBytes(packing, values, columns, step);
  uLongf size = compressBound(bytes.size());
  std::string block(kHeader + size, '\0');
  const std::uint32_t head[4] = {static_cast<std::uint32_t>(packing),
                                 static_cast<std::uint32_t>(values.size() / columns),
                                 static_cast<std::uint32_t>(columns), 0};
  std::memcpy(block.data(), head, sizeof head);
  std::memcpy(block.data() + sizeof head, &step, sizeof step);
  auto* target = reinterpret_cast<unsigned char*>(block.data() + kHeader);
  if (compress2(target, &size, bytes.data(), bytes.size(), kDeflateLevel) != Z_OK) {
    throw std::runtime_error("cannot compress a block of " + std::to_string(bytes.size()) +
                             " bytes");
  }
  block.resize(kHeader + size);
  return block;
}

std::vector<double> UnpackBlock(const std::string& block, std::size_t* columns) {
  if (block.size() < kHeader) throw std::runtime_error("a block is shorter than its header");
  const auto packing = static_cast<Packing>(ReadWord(block, 0));
  const std::size_t rows = ReadWord(block, 4);
  *columns = ReadWord(block, 8);
  const double step = BlockStep(block);
  const std::size_t width = packing == Packing::kExact ? 8 : 4;
  std::vector<unsigned char> bytes(rows * *columns * width);
  uLongf size = bytes.size();
  const auto* source = reinterpret_cast<const unsigned char*>(block.data() + kHeader);
  if (uncompress(bytes.data(), &size, source, block.size() - kHeader) != Z_OK ||
      size != bytes.size()) {
    throw std::runtime_error("a block is damaged");
  }
  std::vector<double> values(rows * *columns);
  const auto long_words =
      packing == Packing::kExact ? Unshuffle<std::uint64_t>(bytes) : std::vector<std::uint64_t>();
  const auto words =
      packing == Packing::kExact ? std::vector<std::uint32_t>() : Unshuffle<std::uint32_t>(bytes);
  for (std::size_t c = 0, i = 0; c < *columns; ++c) {
    std::uint32_t before[2] = {0, 0};
    for (std::size_t k = 0; k < rows; ++k, ++i) {
      double& x = values[k * *columns + c];
      if (packing == Packing::kExact) {
        x = std::bit_cast<double>(long_words[i]);
      } else if (packing == Packing::kSingle) {
        x = static_cast<double>(std::bit_cast<float>(words[i]));
      } else {
        const std::uint32_t d = UnZigZag(words[i]);
        const std::uint32_t n = k == 0 ? d : k == 1 ? d + before[0] : d + 2 * before[0] - before[1];
        before[1] = before[0];
        before[0] = n;
        x = n == kNotFinite ? std::numeric_limits<double>::quiet_NaN()
                            : step * static_cast<std::int32_t>(n);
      }
    }
  }
  return values;
}

double BlockStep(const std::string& block) {
  double step = 0;
  std::memcpy(&step, block.data() + 16, sizeof step);
  return step;
}

std::string EncodeBase64(const std::string& bytes) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u;
    };
    const unsigned word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kAlphabet[word >> 18];
    text += kAlphabet[word >> 12 & 63];
    text += i + 1 < bytes.size() ? kAlphabet[word >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kAlphabet[word & 63] : '=';
  }
  return text;
}

}  // namespace saltus
