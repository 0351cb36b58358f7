// The impulses that a State remembers, by contact.
#pragma once

#include <algorithm>
#include <vector>

#include "saltus/dynamics/state.h"

namespace saltus {

/// Null if the contact carried nothing in the last step. `memory` is sorted by key.
inline const ContactMemory* FindMemory(const std::vector<ContactMemory>& memory,
                                       const ContactKey& key) {
  const auto it =
      std::lower_bound(memory.begin(), memory.end(), key,
                       [](const ContactMemory& m, const ContactKey& k) { return m.key < k; });
  return it != memory.end() && it->key == key ? &*it : nullptr;
}

}  // namespace saltus
