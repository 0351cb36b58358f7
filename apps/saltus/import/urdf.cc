// URDF by urdfdom's parser. What that parser leaves out in silence is found in the XML itself.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <tinyxml2.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include "saltus/base/error.h"

#include "apps/saltus/import/import.h"
#include "apps/saltus/import/link_tree.h"
#include "apps/saltus/import/mesh_file.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

Vector3 ToVector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }
Pose ToPose(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {ToVector(pose.position), Quaternion(r.w, r.x, r.y, r.z).normalized()};
}

/// Keeps the complaints of urdfdom instead of printing them.
class Complaints : public console_bridge::OutputHandler {
 public:
  Complaints() { console_bridge::useOutputHandler(this); }
  ~Complaints() override { console_bridge::restorePreviousOutputHandler(); }
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) all_.push_back(text);
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

/// Elements that mean something to a scene, with the attributes that are read.
const std::map<std::string, std::set<std::string>>& KnownElements() {
  static const std::map<std::string, std::set<std::string>> known = {
      {"robot", {"name", "version"}},
      {"link", {"name"}},
      {"inertial", {}},
      {"mass", {"value"}},
      {"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}},
      {"origin", {"xyz", "rpy"}},
      {"collision", {"name"}},
      {"geometry", {}},
      {"box", {"size"}},
      {"sphere", {"radius"}},
      {"cylinder", {"radius", "length"}},
      {"mesh", {"filename", "scale"}},
      {"joint", {"name", "type"}},
      {"parent", {"link"}},
      {"child", {"link"}},
      {"axis", {"xyz"}},
      {"limit", {"lower", "upper"}},
      {"dynamics", {"damping", "friction"}},
  };
  return known;
}

class UrdfReader {
 public:
  UrdfReader(const std::string& path, const ImportOptions& options)
      : path_(path), options_(options) {}

  Import Read() {
    std::ifstream stream(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.good() && text.empty()) Fail("the file cannot be read");
    Complaints complaints;
    urdf_ = urdf::parseURDF(text);
    if (!urdf_ || !urdf_->getRoot()) {
      Fail(complaints.all().empty() ? "it is not a URDF model" : complaints.all().front());
    }
    if (urdf_->getRoot()->name.empty()) Fail("a link has no name");
    for (const std::string& complaint : complaints.all()) notes_.Add("urdfdom: " + complaint);
    FindUnread(text);
    AddLink(*urdf_->getRoot(), -1);
    Import result;
    result.model.name = urdf_->getName().empty() ? "robot" : urdf_->getName();
    BuildTree(tree_, options_.self_contact, &result.model, &notes_);
    if (!options_.self_contact && urdf_->links_.size() > 1) {
      notes_.Add("links of the robot do not touch each other (--self-contact lets them)");
    }
    result.notes = notes_.MakeList();
    return result;
  }

 private:
  void AddLink(const urdf::Link& link, int parent) {
    TreeLink result;
    result.name = link.name;
    result.parent = parent;
    if (link.inertial) result.mass = ReadMass(*link.inertial);
    for (const urdf::CollisionSharedPtr& collision : link.collision_array) {
      if (collision && collision->geometry) AddShape(*collision, link.name, &result);
    }
    if (link.collision_array.empty() && !link.visual_array.empty()) {
      notes_.Add("a link has pictures but no collision shape: nothing of it is seen or touches");
    }
    if (parent < 0) {
      result.free = FloatsFree(link);
    } else {
      AddJoint(*link.parent_joint, &result);
    }
    tree_.links.push_back(result);
    const int index = static_cast<int>(tree_.links.size()) - 1;
    for (const urdf::LinkSharedPtr& child : link.child_links) AddLink(*child, index);
  }

  /// A root that has a mass floats. One without is the ground by another name.
  bool FloatsFree(const urdf::Link& root) {
    const bool massive = root.inertial && root.inertial->mass > 0;
    const bool alone = root.child_links.empty() && !root.collision_array.empty();
    if (options_.fixed_base || root.name == "world" || (!massive && !alone)) {
      if (root.name != "world") {
        notes_.Add("the root link '" + root.name + "' is held fixed" +
                   (options_.fixed_base ? "" : ": it has no mass"));
      }
      if (massive) notes_.Add("the mass of the fixed root link does not count");
      return false;
    }
    return true;
  }

  static TreeMass ReadMass(const urdf::Inertial& inertial) {
    const Pose pose = ToPose(inertial.origin);
    Matrix3 inertia;
    inertia << inertial.ixx, inertial.ixy, inertial.ixz,  //
        inertial.ixy, inertial.iyy, inertial.iyz,         //
        inertial.ixz, inertial.iyz, inertial.izz;
    const Matrix3 R = pose.R.toRotationMatrix();
    return {inertial.mass, pose.p, R * inertia * R.transpose()};
  }

  void AddShape(const urdf::Collision& collision, const std::string& link, TreeLink* result) {
    ShapeSpec shape;
    shape.pose = ToPose(collision.origin);
    const urdf::Geometry& geometry = *collision.geometry;
    if (geometry.type == urdf::Geometry::BOX) {
      shape.shape = Box{0.5 * ToVector(static_cast<const urdf::Box&>(geometry).dim)};
    } else if (geometry.type == urdf::Geometry::SPHERE) {
      shape.shape = Sphere{static_cast<const urdf::Sphere&>(geometry).radius};
    } else if (geometry.type == urdf::Geometry::CYLINDER) {
      const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
      shape.shape = Cylinder{cylinder.radius, 0.5 * cylinder.length};
    } else {
      const auto& mesh = static_cast<const urdf::Mesh&>(geometry);
      try {
        MeshData data = ReadMeshFile(FindMesh(mesh.filename));
        for (Vector3& p : data.vertices) p = p.cwiseProduct(ToVector(mesh.scale));
        shape.shape = MakeMeshHull(data, mesh.filename, &notes_);
        notes_.Add("meshes touch as their convex hulls");
      } catch (const InputError& error) {
        notes_.Add("link '" + link + "' lacks the shape of mesh '" + mesh.filename +
                   "': " + error.message());
        return;
      }
    }
    result->shapes.push_back(shape);
  }

  /// package://NAME/REST is looked for beside and above the file, since there is no ROS here.
  std::string FindMesh(const std::string& name) const {
    const fs::path folder = fs::absolute(path_).parent_path();
    std::string rest = name;
    for (const std::string& scheme : {std::string("package://"), std::string("file://")}) {
      if (rest.starts_with(scheme)) rest = rest.substr(scheme.size());
    }
    const fs::path inside = fs::path(rest).lexically_relative(*fs::path(rest).begin());
    for (fs::path place = folder; !place.empty(); place = place.parent_path()) {
      for (const fs::path& tried : {place / rest, place / inside}) {
        if (fs::is_regular_file(tried)) return tried.string();
      }
      if (place == place.root_path()) break;
    }
    return rest;
  }

  void AddJoint(const urdf::Joint& joint, TreeLink* link) {
    link->pose = ToPose(joint.parent_to_joint_origin_transform);
    if (joint.mimic) {
      notes_.Add(fmt::format("joint '{}' moves on its own: it should follow '{}' (mimic)",
                             joint.name, joint.mimic->joint_name));
    }
    if (joint.type == urdf::Joint::FIXED) return;
    if (joint.type == urdf::Joint::FLOATING) {
      link->free = true;
      return;
    }
    TreeJoint result;
    result.name = joint.name;
    result.axis = ToVector(joint.axis);
    if (!(result.axis.norm() > 0)) Fail("joint '" + joint.name + "' has no axis");
    result.type = joint.type == urdf::Joint::PRISMATIC ? JointType::kPrismatic
                  : joint.type == urdf::Joint::PLANAR  ? JointType::kPlanar
                                                       : JointType::kRevolute;
    if (joint.dynamics) {
      result.damping = joint.dynamics->damping;
      result.friction = joint.dynamics->friction;
    }
    if (result.type == JointType::kPlanar && result.damping > 0) {
      notes_.Add("joint '" + joint.name + "': a planar joint has no damping here");
      result.damping = 0;
    }
    const bool limited =
        joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::PRISMATIC;
    if (limited && joint.limits) AddLimits(joint, &result);
    link->joints.push_back(result);
  }

  void AddLimits(const urdf::Joint& joint, TreeJoint* result) {
    const double lower = joint.limits->lower, upper = joint.limits->upper;
    constexpr double kTurn = 2 * std::numbers::pi;
    if (!(lower < upper)) {
      notes_.Add(fmt::format("joint '{}' has no limits: {:g} to {:g} is no range", joint.name,
                             lower, upper));
    } else if (result->type == JointType::kRevolute && upper - lower >= kTurn) {
      notes_.Add(fmt::format("joint '{}' has no limits: {:.4g} to {:.4g} rad is a turn or more",
                             joint.name, lower, upper));
    } else {
      result->limits = JointLimits{lower, upper};
    }
  }

  void FindUnread(const std::string& text) {
    tinyxml2::XMLDocument document;
    document.Parse(text.data(), text.size());
    if (!document.Error() && document.RootElement() != nullptr) FindUnread(*document.RootElement());
  }

  void FindUnread(const tinyxml2::XMLElement& element) {
    const std::string name = element.Name();
    static const std::set<std::string> display = {"visual", "material"};
    if (display.contains(name)) {
      notes_.Add("<" + name + "> is for display and not read");
      return;
    }
    const auto known = KnownElements().find(name);
    if (known == KnownElements().end()) {
      notes_.Add("<" + name + "> is not read");
      return;  // With everything inside it.
    }
    for (auto* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
      const std::string key = a->Name();
      if (!known->second.contains(key) && !key.starts_with("xmlns")) {
        notes_.Add("'" + key + "' of <" + name + "> is not read");
      }
    }
    for (auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      FindUnread(*e);
    }
  }

  [[noreturn]] void Fail(const std::string& message) const {
    throw InputError("", message, "", {path_});
  }

  std::string path_;
  ImportOptions options_;
  urdf::ModelInterfaceSharedPtr urdf_;
  LinkTree tree_;
  Notes notes_;
};

}  // namespace

Import ImportUrdf(const std::string& path, const ImportOptions& options) {
  return UrdfReader(path, options).Read();
}

}  // namespace saltus
