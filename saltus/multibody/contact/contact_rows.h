// The rows of H of contacts, joint limits and dry frictions; equations in contact_finder.h.
#pragma once

#include <vector>

#include "saltus/dynamics/contact_set.h"
#include "saltus/multibody/contact/contact_finder.h"
#include "saltus/multibody/model.h"

namespace saltus {

/// Appends the rows (2), (3) of the contact added last, between body_a and body_b.
void AddBlocksOf(const std::vector<ContactBody>& bodies, int body_a, int body_b,
                 ContactSet* contacts);

/// Appends limit number `index` if its gap is below the margin; an infinite margin: wherever it is.
/// @param turns  remembered values of the angles in space, see Coordinate
void AddLimit(const Model& model, std::size_t index, const VectorX& q, const VectorX& turns,
              double margin, ContactSet* contacts);

/// Sets the dry frictions of all joints.
void AddFrictions(const Model& model, const VectorX& q, ContactSet* contacts);

/// Gap and points of a witness.
void SetWitness(double gap, const Vector3& point_A, const Vector3& point_B, Contact* contact);

}  // namespace saltus
