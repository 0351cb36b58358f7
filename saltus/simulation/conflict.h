// Why no motion satisfies the joints, drives and contacts of an instant.
//
// A velocity must satisfy   G v = −g_t,   H_N v + b_N ≥ 0 (closed contacts and limits).         (1)
// By Farkas' lemma (1) has no solution if and only if there are Λ and P ≥ 0 with
//   GᵀΛ + H_NᵀP = 0   and   −Λ·g_t − P·b_N = 1.                                               (2)
// The drives and contacts that carry this certificate are those that work against each other: Λ and
// P are the directions in which their impulses grow without end. (2) is a problem of nonnegative
// least squares, solved as in @cite LawsonHanson1974, ch. 23.
//
// A position is singular if equations of joints become dependent that are not so at the start.
#pragma once

#include <string>
#include <vector>

#include "saltus/dynamics/system.h"

namespace saltus {

struct Conflict {
  std::vector<std::string> drives;    // joints whose prescribed motion takes part
  std::vector<std::string> joints;    // other joints that take part
  std::vector<std::string> contacts;  // contacts and limits ("hinge.limit") that take part
  bool empty() const { return drives.empty(); }
};

/// @param margin  contacts with a smaller gap count as closed, m
/// Empty if (1) has a solution, or if the system is too large for the search.
Conflict FindConflict(System& system, const State& state, double margin);
/// "drive 'slide' works against contacts ram-box and box-ground".
std::string DescribeConflict(const Conflict& conflict);

/// Joints whose equations are nearly dependent at `state` and independent at `start`.
std::vector<std::string> FindSingularJoints(const System& system, const State& start,
                                            const State& state);

/// min |A x − b| over x ≥ 0; returns the residual norm.
double SolveNonnegative(const MatrixX& A, const VectorX& b, VectorX* x);

/// "'a'", "'a' and 'b'", "'a', 'b' and 'c'"; quotes only if asked for.
std::string JoinNames(const std::vector<std::string>& names, bool quoted);

}  // namespace saltus
