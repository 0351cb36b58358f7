// State: where the mechanism is. A plain value: copying is saving, assigning is going back.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "saltus/base/types.h"
#include "saltus/dynamics/contact_set.h"

namespace saltus {

/// What is remembered of a contact between steps, by key: warm start and impact/force distinction.
struct ContactMemory {
  ContactKey key;
  Vector3 impulse = Vector3::Zero();  // world axes (dry friction and limits: local components), N s
  Vector3 moment = Vector3::Zero();   // of rolling and spinning friction, world axes, N m s
};

/// From the impulses in the rows of a contact; `count` of them are there.
template <typename Rows>
ContactMemory MakeMemory(const Contact& c, const Rows& rows, int count) {
  Vector3 impulse, moment;
  SplitRows(c, rows, count, &impulse, &moment);
  return {c.key, c.frame * impulse, c.frame * moment};
}

struct State {
  double time = 0;                            // s
  VectorX q;                                  // coordinates
  VectorX v;                                  // velocity
  std::vector<ContactMemory> contacts;        // sorted by key
  VectorX internal;                           // internal variables of the System (damage of bonds)
  std::map<std::string, VectorX> integrator;  // memory of multi-stage schemes (a_n, q_{n−1}, …)
};

}  // namespace saltus
