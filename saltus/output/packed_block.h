// PackedBlock: a table of numbers made small for the page that shows a result.
//
// A block is a table x(k, c) of rows k (frames, or contact points) and columns c. Three kinds:
//
//   quantised   n(k, c) = round(x / s),  |x − s n| ≤ s/2,  s = max(2 ε, max|x| / 2³⁰)           (1)
//               stored as the second difference in k, modulo 2³²:
//               d(0) = n(0), d(1) = n(1) − n(0), d(k) = n(k) − 2 n(k−1) + n(k−2)               (2)
//               zigzag: u = 2d for d ≥ 0, −2d − 1 for d < 0                                    (3)
//   single      x in 32-bit floating point: relative error 2⁻²⁴
//   exact       x as it is
//
// A smooth motion has second differences of a few units, so three of the four bytes of (3) vanish.
// Bytes of equal weight stand together (all first bytes, all second bytes, …), column after column,
// and are deflated (zlib). What is not finite becomes NaN: n = −2³¹ in (1).
//
// Layout, little endian: u32 kind (0, 1, 2), u32 rows, u32 columns, u32 0, f64 s; then the zlib
// stream.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace saltus {

enum class Packing { kQuantised = 0, kSingle = 1, kExact = 2 };

/// @param values   rows × columns, row after row
/// @param columns  ≥ 1
/// @param epsilon  largest error wanted of kQuantised, in the unit of the values, > 0
std::string PackBlock(Packing packing, const std::vector<double>& values, std::size_t columns,
                      double epsilon = 0);

/// The inverse; for tests. Sets *columns. Throws std::runtime_error for what is not a block.
std::vector<double> UnpackBlock(const std::string& block, std::size_t* columns);

/// s of (1) in a block of kind kQuantised; the error is at most half of it.
double BlockStep(const std::string& block);

/// The alphabet of RFC 4648 with padding.
std::string EncodeBase64(const std::string& bytes);

}  // namespace saltus
