#include "python/src/save_result.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "saltus/base/error.h"
#include "saltus/output/result_file.h"
#include "saltus/simulation/ledger.h"

#include "python/src/convert.h"

namespace saltus::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

FrameLayout ReadLayout(const py::dict& dict) {
  using Names = std::vector<std::string>;
  FrameLayout layout;
  layout.bodies = dict["bodies"].cast<Names>();
  layout.coordinates = dict["coordinates"].cast<Names>();
  layout.constraints = dict["constraints"].cast<Names>();
  const auto joints = dict["joints"].cast<Names>();
  const auto coordinates = dict["joint_coordinates"].cast<Names>();
  const auto units = dict["joint_units"].cast<Names>();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    layout.joints.push_back({joints[i], coordinates[i], units[i]});
  }
  return layout;
}

/// The rows of an array by frame (or contact point).
class Rows {
 public:
  Rows(const py::dict& dict, const char* name)
      : array_(dict[name].cast<Numbers>()),
        width_(array_.shape(0) > 0 ? array_.size() / array_.shape(0) : 0) {}
  const double* row(py::ssize_t k) const { return array_.data() + k * width_; }
  double operator()(py::ssize_t k) const { return *row(k); }
  Vector3 vector(py::ssize_t k, py::ssize_t i = 0) const {
    return Eigen::Map<const Vector3>(row(k) + 3 * i);
  }
  py::ssize_t count() const { return array_.shape(0); }
  py::ssize_t width() const { return width_; }

 private:
  Numbers array_;
  py::ssize_t width_;
};

class FrameSource {
 public:
  FrameSource(const FrameLayout& layout, const py::dict& tables, const py::object& contacts,
              const std::vector<std::string>& names)
      : layout_(layout), tables_(tables), names_(names) {
    if (!contacts.is_none()) contacts_ = contacts.cast<py::dict>();
  }
  bool has_contacts() const {
    return contacts_ && contacts_["offset"].cast<py::array>().size() > 0;
  }
  void Read(py::ssize_t k, Frame* frame) const;

 private:
  void ReadBodies(py::ssize_t k, Frame* frame) const;
  void ReadContacts(py::ssize_t k, Frame* frame) const;

  const FrameLayout& layout_;
  const py::dict& tables_;
  py::dict contacts_;
  const std::vector<std::string>& names_;
};

void FrameSource::ReadBodies(py::ssize_t k, Frame* frame) const {
  const Rows position(tables_, "bodies/position"), orientation(tables_, "bodies/orientation"),
      velocity(tables_, "bodies/velocity"), angular(tables_, "bodies/angular_velocity");
  frame->bodies.resize(layout_.bodies.size());
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    const auto b = static_cast<py::ssize_t>(i);
    const double* q = orientation.row(k) + 4 * b;
    frame->bodies[i] = {position.vector(k, b), Quaternion(q[0], q[1], q[2], q[3]),
                        velocity.vector(k, b), angular.vector(k, b)};
  }
  const Rows coordinate(tables_, "joints/coordinate"), force(tables_, "joints/force"),
      torque(tables_, "joints/torque");
  frame->joints.resize(layout_.joints.size());
  for (std::size_t i = 0; i < layout_.joints.size(); ++i) {
    const auto j = static_cast<py::ssize_t>(i);
    frame->joints[i] = {coordinate.row(k)[j], force.vector(k, j), torque.vector(k, j)};
  }
}

void FrameSource::ReadContacts(py::ssize_t k, Frame* frame) const {
  const auto offset = contacts_["offset"].cast<py::array_t<std::int64_t>>();
  const auto name = contacts_["name"].cast<py::array_t<std::uint32_t>>();
  const auto key = contacts_["key"].cast<py::array_t<std::uint64_t>>();
  const Rows gap(contacts_, "gap"), point(contacts_, "point"), normal(contacts_, "normal"),
      tangent(contacts_, "tangent"), force(contacts_, "force"), impulse(contacts_, "impulse"),
      adhesion(contacts_, "adhesion"), moment(contacts_, "moment");
  frame->contacts.clear();
  for (std::int64_t i = offset.at(k); i < offset.at(k + 1); ++i) {
    frame->contacts.push_back({names_.at(name.at(i)),
                               {key.at(i, 0), key.at(i, 1)},
                               gap(i),
                               point.vector(i),
                               normal.vector(i),
                               tangent.vector(i),
                               force.vector(i),
                               impulse.vector(i),
                               adhesion(i),
                               moment.vector(i)});
  }
}

void FrameSource::Read(py::ssize_t k, Frame* frame) const {
  const auto number = [&](const std::string& name) { return Rows(tables_, name.c_str())(k); };
  frame->time = number("time");
  frame->step_size = number("step_size");
  frame->energy = {number("energy/kinetic"), number("energy/potential"), number("energy/elastic")};
  for (const LedgerEntry& entry : kLedger) {
    frame->work.*entry.work = number(std::string("ledger/") + entry.name);
  }
  frame->closure = number("ledger/closure");
  if (!layout_.bodies.empty()) ReadBodies(k, frame);
  if (!layout_.coordinates.empty()) {
    const Rows q(tables_, "coordinates/q"), v(tables_, "coordinates/v"),
        lambda(tables_, "constraints/lambda");
    frame->q = Eigen::Map<const VectorX>(q.row(k), q.width());
    frame->v = Eigen::Map<const VectorX>(v.row(k), v.width());
    frame->lambda = Eigen::Map<const VectorX>(lambda.row(k), lambda.width());
  }
  if (has_contacts()) ReadContacts(k, frame);
}

}  // namespace

void SaveResult(const std::string& path, bool force, const std::string& title,
                const std::string& scene, const py::dict& layout, const py::dict& tables,
                const py::object& contacts, const std::vector<std::string>& contact_names,
                const py::list& events, const Checkpoint& checkpoint, const std::string& outcome,
                const std::string& verdict) {
  const FrameLayout frame_layout = ReadLayout(layout);
  const FrameSource source(frame_layout, tables, contacts, contact_names);
  ResultFile file(path, frame_layout, {title, scene, source.has_contacts(), 0, force});
  const py::ssize_t count = Rows(tables, "time").count();
  Frame frame;
  for (py::ssize_t k = 0; k < count; ++k) {
    source.Read(k, &frame);
    file.AddFrame(frame);
  }
  for (const py::handle item : events) {
    const auto event = item.cast<py::tuple>();
    file.AddEvent({event[0].cast<double>(), event[2].cast<std::string>(), event[3].cast<double>(),
                   event[1].cast<std::string>()});
  }
  file.AddCheckpoint(checkpoint);
  file.SetAudit(checkpoint.audit, outcome, verdict);
  file.Close();
}

}  // namespace saltus::python
