// MJCF of MuJoCo 2: bodies, joints, geoms, equality constraints and actuators.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "saltus/base/error.h"

#include "apps/saltus/import/import.h"
#include "apps/saltus/import/link_tree.h"
#include "apps/saltus/import/mjcf_contact.h"
#include "apps/saltus/import/mjcf_document.h"
#include "apps/saltus/import/mjcf_geometry.h"
#include "apps/saltus/import/mjcf_unread.h"

namespace saltus {
namespace {

using tinyxml2::XMLElement;

class MjcfReader {
 public:
  MjcfReader(const std::string& path, const ImportOptions& options)
      : options_(options),
        document_(path),
        compiler_(ReadCompiler()),
        geometry_(document_, compiler_, &notes_) {}

  Import Read() {
    Import result;
    result.model.name = document_.model_name();
    ReadOption(&result);
    for (const XMLElement* world : document_.Sections("worldbody")) AddChildren(*world, -1, "");
    ReadActuators();
    ScaleMasses();
    const std::vector<BuiltLink> places =
        BuildTree(tree_, options_.self_contact, &result.model, &notes_);
    if (!options_.self_contact && std::any_of(tree_.links.begin(), tree_.links.end(),
                                              [](const TreeLink& l) { return l.parent >= 0; })) {
      notes_.Add("bodies of one tree do not touch each other (--self-contact lets them)");
    }
    ReadEqualities(places, &result.model);
    contact_.AddMaterials(&result.model);
    NameUnread(document_, &notes_);
    result.notes = notes_.MakeList();
    return result;
  }

 private:
  MjcfCompiler ReadCompiler() const {
    MjcfCompiler compiler;
    for (const XMLElement* section : document_.Sections("compiler")) {
      const MjcfElement e = document_.Resolve(*section, "");
      if (e.Has("angle")) compiler.degrees = e.Text("angle") != "radian";
      if (e.Text("coordinate", "local") != "local") e.Fail("global coordinates are not read");
      if (e.Has("eulerseq")) compiler.euler = e.Text("eulerseq");
      if (compiler.euler.size() != 3) e.Fail("'eulerseq' has not three letters");
      if (e.Has("inertiafromgeom")) compiler.inertia_from_geoms = e.Text("inertiafromgeom");
      if (e.Text("exactmeshinertia") == "true") compiler.exact_meshes = true;
      if (e.Has("meshdir")) compiler.mesh_folder = e.Text("meshdir");
      if (e.Has("autolimits")) compiler.auto_limits = e.Text("autolimits") == "true";
      if (e.Number("settotalmass", -1) > 0) compiler.total_mass = e.Number("settotalmass", -1);
    }
    return compiler;
  }

  void ReadOption(Import* result) const {
    for (const XMLElement* section : document_.Sections("option")) {
      const MjcfElement e = document_.Resolve(*section, "");
      if (e.Has("timestep")) result->step = e.Number("timestep", 0);
      result->model.gravity = e.Vector("gravity", result->model.gravity);
    }
    if (!result->step) result->step = 0.002;  // MuJoCo's own.
  }

  void AddChildren(const XMLElement& parent, int link, const std::string& childclass) {
    for (auto* e = parent.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string kind = e->Name();
      if (kind == "body") {
        AddBody(*e, link, childclass);
      } else if (kind == "geom") {
        AddGeom(document_.Resolve(*e, childclass), link);
      } else if (kind == "composite") {
        notes_.Add(fmt::format("<composite type=\"{}\"> is not read",
                               document_.Resolve(*e, childclass).Text("type")));
      }
    }
  }

  void AddBody(const XMLElement& body, int parent, std::string childclass) {
    if (const char* given = body.Attribute("childclass")) childclass = given;
    const MjcfElement e = document_.Resolve(body, "");
    const auto index = tree_.links.size();
    tree_.links.emplace_back();
    tree_.links[index].name = e.Text("name", fmt::format("body_{}", index + 1));
    tree_.links[index].parent = parent;
    tree_.links[index].pose = ReadMjcfPose(e, compiler_);
    if (e.Text("mocap") == "true") {
      notes_.Add("body '" + tree_.links[index].name + "' is held fixed (mocap)");
    }
    for (auto* j = body.FirstChildElement(); j != nullptr; j = j->NextSiblingElement()) {
      const std::string kind = j->Name();
      if (kind == "joint") AddJoint(document_.Resolve(*j, childclass), index);
      if (kind == "freejoint") tree_.links[index].free = true;
    }
    AddChildren(body, static_cast<int>(index), childclass);
    const XMLElement* inertial = body.FirstChildElement("inertial");
    if (inertial != nullptr && compiler_.inertia_from_geoms != "true") {
      tree_.links[index].mass = ReadInertial(document_.Resolve(*inertial, childclass));
    }
  }

  TreeMass ReadInertial(const MjcfElement& e) const {
    const Pose pose = ReadMjcfPose(e, compiler_);
    Matrix3 inertia = Matrix3::Zero();
    if (e.Has("fullinertia")) {
      const std::vector<double> m = e.Numbers("fullinertia");
      if (m.size() != 6) e.Fail("'fullinertia' has not six numbers");
      inertia << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
    } else {
      inertia = e.Vector("diaginertia", Vector3::Zero()).asDiagonal();
    }
    const Matrix3 R = pose.R.toRotationMatrix();
    return {e.Number("mass", 0), pose.p, R * inertia * R.transpose()};
  }

  void AddGeom(const MjcfElement& e, int link) {
    const std::optional<MjcfGeom> geom = geometry_.ReadGeom(e);
    if (!geom) return;
    if (link >= 0 && compiler_.inertia_from_geoms != "false") {
      std::optional<TreeMass>& mass = tree_.links[static_cast<std::size_t>(link)].mass;
      if (!mass) mass.emplace();
      AddMass(geom->mass, Pose(), &*mass);
    }
    if (!geom->touches) {
      notes_.Add("a geom touches nothing (contype and conaffinity 0): it counts for the mass only");
      return;
    }
    ShapeSpec shape;
    shape.shape = geom->shape;
    shape.pose = geom->pose;
    shape.material = contact_.FindMaterial(e, &notes_);
    (link < 0 ? tree_.ground_shapes : tree_.links[static_cast<std::size_t>(link)].shapes)
        .push_back(shape);
  }

  void AddJoint(const MjcfElement& e, std::size_t link) {
    const std::string type = e.Text("type", "hinge");
    if (type == "free") {
      tree_.links[link].free = true;
      return;
    }
    TreeJoint joint;
    joint.name = e.Text("name", tree_.links[link].name + "_" + type);
    joint.at = e.Vector("pos", Vector3::Zero());
    joint.axis = e.Vector("axis", Vector3::UnitZ());
    if (!(joint.axis.norm() > 0)) e.Fail("'axis' is zero");
    if (type != "hinge" && type != "slide" && type != "ball") e.Fail("unknown type '" + type + "'");
    joint.type = type == "hinge"   ? JointType::kRevolute
                 : type == "slide" ? JointType::kPrismatic
                                   : JointType::kSpherical;
    const bool turns = type == "hinge";
    const auto value = [&](double x) { return turns ? ToRadians(compiler_, x) : x; };
    joint.drawn = value(e.Number("ref", 0));
    joint.stiffness = e.Number("stiffness", 0);
    joint.rest = value(e.Number("springref", 0));
    joint.damping = e.Number("damping", 0);
    joint.friction = e.Number("frictionloss", 0);
    const bool limited =
        e.Text("limited", "auto") == "true" ||
        (e.Text("limited", "auto") == "auto" && compiler_.auto_limits && e.Has("range"));
    if (limited) AddLimits(e, type, value, &joint);
    joint_link_[joint.name] = {link, tree_.links[link].joints.size()};
    tree_.links[link].joints.push_back(joint);
  }

  template <typename Convert>
  void AddLimits(const MjcfElement& e, const std::string& type, Convert value, TreeJoint* joint) {
    const std::vector<double> range = e.Numbers("range");
    if (range.size() != 2 || !(range[0] < range[1])) e.Fail("'range' is not two rising numbers");
    const double lower = value(range[0]), upper = value(range[1]);
    if (type == "ball") {
      notes_.Add("joint '" + joint->name + "': the limit of a ball joint is not read");
    } else if (type == "hinge" && upper - lower >= 2 * std::numbers::pi) {
      notes_.Add(fmt::format("joint '{}' has no limits: {:.4g} to {:.4g} rad is a turn or more",
                             joint->name, lower, upper));
    } else {
      joint->limits = JointLimits{lower, upper};
    }
  }

  TreeJoint* FindJoint(const std::string& name) {
    const auto found = joint_link_.find(name);
    if (found == joint_link_.end()) return nullptr;
    return &tree_.links[found->second.first].joints[found->second.second];
  }

  /// With every control at zero, as a model begins: motors rest, position and velocity actuators
  /// are springs and dampers.
  void ReadActuators() {
    for (const XMLElement* section : document_.Sections("actuator")) {
      for (auto* a = section->FirstChildElement(); a != nullptr; a = a->NextSiblingElement()) {
        const MjcfElement e = document_.Resolve(*a, "");
        TreeJoint* joint = FindJoint(e.Text("joint"));
        const bool scalar = joint != nullptr && joint->type != JointType::kSpherical;
        const double gear = e.Number("gear", 1);
        if (!scalar || (e.kind() != "motor" && e.kind() != "position" && e.kind() != "velocity")) {
          notes_.Add(fmt::format("<{}{}> is not read", e.kind(),
                                 joint == nullptr ? " without a joint" : ""));
        } else if (e.kind() == "motor") {
          joint->motor = 0;
        } else if (e.kind() == "velocity") {
          joint->damping += gear * gear * e.Number("kv", 1);
        } else {  // kp (0 − gear q) gear, added to the spring of the joint.
          const double kp = gear * gear * e.Number("kp", 1);
          const double sum = joint->stiffness + kp;
          joint->rest = joint->stiffness * joint->rest / sum;
          joint->stiffness = sum;
        }
      }
    }
  }

  void ScaleMasses() {
    if (!compiler_.total_mass) return;
    double sum = 0;
    for (const TreeLink& link : tree_.links) sum += link.mass ? link.mass->mass : 0;
    for (TreeLink& link : tree_.links) {
      if (!link.mass || !(sum > 0)) continue;
      link.mass->mass *= *compiler_.total_mass / sum;
      link.mass->inertia *= *compiler_.total_mass / sum;
    }
  }

  void ReadEqualities(const std::vector<BuiltLink>& places, ModelSpec* model) {
    int count = 0;
    for (const XMLElement* section : document_.Sections("equality")) {
      for (auto* q = section->FirstChildElement(); q != nullptr; q = q->NextSiblingElement()) {
        const MjcfElement e = document_.Resolve(*q, "");
        const bool connect = e.kind() == "connect", weld = e.kind() == "weld";
        if ((!connect && !weld) || e.Text("active", "true") == "false") {
          notes_.Add("<equality><" + e.kind() + "> is not read");
          continue;
        }
        const BuiltLink& a = FindPlace(e, "body1", places);
        const BuiltLink ground{kGroundName, Pose()};
        const BuiltLink& b = e.Has("body2") ? FindPlace(e, "body2", places) : ground;
        JointSpec joint;
        joint.name = fmt::format("equality_{}", ++count);
        joint.type = connect ? JointType::kSpherical : JointType::kFixed;
        joint.body_a = b.body;
        joint.body_b = a.body;
        joint.at = a.pose * e.Vector("anchor", Vector3::Zero());
        if (weld && e.Has("relpose")) notes_.Add("'relpose' of <weld> is not read: as drawn");
        model->joints.push_back(joint);
      }
    }
  }

  const BuiltLink& FindPlace(const MjcfElement& e, const std::string& key,
                             const std::vector<BuiltLink>& places) const {
    for (std::size_t i = 0; i < tree_.links.size(); ++i) {
      if (tree_.links[i].name == e.Text(key)) return places[i];
    }
    e.Fail("there is no body '" + e.Text(key) + "'");
  }

  ImportOptions options_;
  Notes notes_;
  MjcfDocument document_;
  MjcfCompiler compiler_;
  MjcfGeometry geometry_;
  MjcfContact contact_;
  LinkTree tree_;
  std::map<std::string, std::pair<std::size_t, std::size_t>> joint_link_;  // name → link, number
};

}  // namespace

Import ImportMjcf(const std::string& path, const ImportOptions& options) {
  return MjcfReader(path, options).Read();
}

}  // namespace saltus
