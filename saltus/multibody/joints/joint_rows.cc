// The catalogue of joints: what each type holds, in terms of measures (measures/measure.h).
//
//   d    from the joint point of A to that of B    x, y, z   axes carried by A (z: the axis)
//   x′…  axes carried by B                         w         world axes
//
//   fixed          d·w = 0 (3),  skew(C) = 0 (3)           everything held
//   revolute       d·w = 0 (3),  x·z′ = y·z′ = 0           turns about z
//   prismatic      d·x = d·y = 0, skew(C) = 0 (3)          slides along z
//   cylindrical    d·x = d·y = 0, x·z′ = y·z′ = 0          turns about and slides along z
//   universal      d·w = 0 (3),  z·x′ = 0                  turns about z (of A) and x′ (of B)
//   spherical      d·w = 0 (3)                             turns freely
//   planar         d·z = 0,      x·z′ = y·z′ = 0           slides in a plane, turns about z
//   distance       |d| − l = 0                             everything else
//   point-on-line  d·x = d·y = 0                           slides along z, turns freely
#include "saltus/multibody/joints/joint.h"

namespace saltus {
namespace {

struct TypeEntry {
  JointType type;
  const char* name;
  const char* summary;
  const char* coordinate;
  const char* unit;
};

constexpr TypeEntry kTypes[kNumJointTypes] = {
    {JointType::kFixed, "fixed", "welds two bodies together", "", ""},
    {JointType::kRevolute, "revolute", "hinge: turns about an axis", "angle", "rad"},
    {JointType::kPrismatic, "prismatic", "slide: moves along an axis, no rotation", "displacement",
     "m"},
    {JointType::kCylindrical, "cylindrical", "turns about and moves along an axis", "displacement",
     "m"},
    {JointType::kUniversal, "universal", "cross: turns about two perpendicular axes", "", ""},
    {JointType::kSpherical, "spherical", "ball joint: turns freely about a point", "", ""},
    {JointType::kPlanar, "planar", "moves in a plane and turns about its normal", "", ""},
    {JointType::kDistance, "distance", "keeps (or bounds: rope) the distance of two points",
     "length", "m"},
    {JointType::kPointOnLine, "point-on-line", "a point of one body stays on a line of the other",
     "displacement", "m"},
};

const TypeEntry& Entry(JointType type) { return kTypes[static_cast<int>(type)]; }

void AddTranslation(MeasureKind kind, std::initializer_list<int> axes,
                    std::vector<JointRow>* rows) {
  for (const int i : axes) rows->push_back({.measure = {kind, i, 0}, .shift = 0, .target = 0.0});
}

void AddSkew(std::vector<JointRow>* rows) {
  for (const int i : {0, 1, 2}) {
    rows->push_back({.measure = {MeasureKind::kSkew, i, 0}, .target = 0.0, .translational = false});
  }
}

void AddAlignment(int i, int j, std::vector<JointRow>* rows) {
  rows->push_back(
      {.measure = {MeasureKind::kAlignment, i, j}, .target = 0.0, .translational = false});
}

}  // namespace

const char* JointTypeName(JointType type) { return Entry(type).name; }
const char* JointTypeSummary(JointType type) { return Entry(type).summary; }
const char* CoordinateName(JointType type) { return Entry(type).coordinate; }
const char* CoordinateUnit(JointType type) { return Entry(type).unit; }

std::optional<JointType> FindJointType(const std::string& name) {
  for (const TypeEntry& entry : kTypes) {
    if (name == entry.name) return entry.type;
  }
  return std::nullopt;
}

std::vector<JointRow> MakeHoldingRows(JointType type) {
  std::vector<JointRow> rows;
  switch (type) {
    case JointType::kFixed:
      AddTranslation(MeasureKind::kWorldOffset, {0, 1, 2}, &rows);
      AddSkew(&rows);
      break;
    case JointType::kRevolute:
      AddTranslation(MeasureKind::kWorldOffset, {0, 1, 2}, &rows);
      AddAlignment(0, 2, &rows);
      AddAlignment(1, 2, &rows);
      break;
    case JointType::kPrismatic:
      AddTranslation(MeasureKind::kOffset, {0, 1}, &rows);
      AddSkew(&rows);
      break;
    case JointType::kCylindrical:
      AddTranslation(MeasureKind::kOffset, {0, 1}, &rows);
      AddAlignment(0, 2, &rows);
      AddAlignment(1, 2, &rows);
      break;
    case JointType::kUniversal:
      AddTranslation(MeasureKind::kWorldOffset, {0, 1, 2}, &rows);
      AddAlignment(2, 0, &rows);
      break;
    case JointType::kSpherical:
      AddTranslation(MeasureKind::kWorldOffset, {0, 1, 2}, &rows);
      break;
    case JointType::kPlanar:
      AddTranslation(MeasureKind::kOffset, {2}, &rows);
      AddAlignment(0, 2, &rows);
      AddAlignment(1, 2, &rows);
      break;
    case JointType::kDistance:
      AddTranslation(MeasureKind::kDistance, {0}, &rows);
      break;
    case JointType::kPointOnLine:
      AddTranslation(MeasureKind::kOffset, {0, 1}, &rows);
      break;
  }
  return rows;
}

}  // namespace saltus
