// The viewer's page for results and scenes, and a result in memory as a file.
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "saltus/base/error.h"
#include "saltus/output/result_file.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/view_page.h"
#include "saltus/output/view_source.h"
#include "saltus/scene/scene.h"

#include "python/src/bindings.h"
#include "python/src/convert.h"

namespace saltus::python {
namespace {

using Names = std::vector<std::string>;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

ViewModel MakeViewModel(const Scene& scene) { return {BuildModel(scene), scene.model}; }

std::unique_ptr<ViewSource> OpenSource(const std::string& path, const ViewOptions& options) {
  if (!LooksLikeResult(path)) {
    return std::make_unique<ViewSource>(MakeViewModel(ReadScene(path)), path, options);
  }
  const ResultReader reader(path);
  ViewModel model;
  if (!reader.scene().empty() && !reader.layout().bodies.empty()) {
    try {
      model = MakeViewModel(ReadSceneText(reader.scene(), path));
    } catch (const InputError&) {  // Of another version: shown without shapes.
    }
  }
  return std::make_unique<ViewSource>(path, std::move(model), options);
}

py::bytes MakePage(const std::string& page, const Names& files, bool tabs, double precision,
                   const std::string& start) {
  std::vector<std::unique_ptr<ViewSource>> owned;
  std::vector<ViewSource*> sources;
  for (const std::string& file : files) {
    owned.push_back(OpenSource(file, {.precision = precision}));
    sources.push_back(owned.back().get());
  }
  std::ostringstream stream;
  WriteEmbeddedPage({page, tabs ? ViewLayout::kOneAtATime : ViewLayout::kSideBySide, start},
                    sources, &stream);
  return py::bytes(stream.str());
}

FrameLayout ReadLayout(const py::dict& layout) {
  FrameLayout result;
  result.bodies = layout["bodies"].cast<Names>();
  result.coordinates = layout["coordinates"].cast<Names>();
  result.constraints = layout["constraints"].cast<Names>();
  const auto joints = layout["joints"].cast<Names>();
  const auto coordinates = layout["joint_coordinates"].cast<Names>();
  const auto units = layout["joint_units"].cast<Names>();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    result.joints.push_back({joints[i], coordinates[i], units[i]});
  }
  return result;
}

/// A row of a table in memory.
class Rows {
 public:
  Rows(const py::dict& tables, const char* name)
      : array_(tables.contains(name) ? tables[name].cast<Numbers>() : Numbers()) {
    const py::ssize_t rows = array_.ndim() > 0 ? array_.shape(0) : 0;
    width_ = rows > 0 ? array_.size() / rows : 0;
  }
  double operator()(long row, py::ssize_t column = 0) const {
    return column < width_ ? array_.data()[row * width_ + column] : 0;
  }
  Vector3 vector(long row, py::ssize_t item = 0) const {
    return {(*this)(row, 3 * item), (*this)(row, 3 * item + 1), (*this)(row, 3 * item + 2)};
  }
  VectorX all(long row) const {
    return Eigen::Map<const VectorX>(array_.data() + row * width_, width_);
  }

 private:
  Numbers array_;
  py::ssize_t width_ = 0;
};

void ReadBodies(const py::dict& tables, std::size_t count, long k, Frame* frame) {
  const Rows p(tables, "bodies/position"), q(tables, "bodies/orientation"),
      v(tables, "bodies/velocity"), w(tables, "bodies/angular_velocity");
  for (py::ssize_t b = 0; b < static_cast<py::ssize_t>(count); ++b) {
    frame->bodies.push_back({p.vector(k, b),
                             {q(k, 4 * b), q(k, 4 * b + 1), q(k, 4 * b + 2), q(k, 4 * b + 3)},
                             v.vector(k, b),
                             w.vector(k, b)});
  }
}

void ReadJoints(const py::dict& tables, std::size_t count, long k, Frame* frame) {
  const Rows x(tables, "joints/coordinate"), f(tables, "joints/force"), m(tables, "joints/torque");
  for (py::ssize_t j = 0; j < static_cast<py::ssize_t>(count); ++j) {
    frame->joints.push_back({x(k, j), f.vector(k, j), m.vector(k, j)});
  }
}

void ReadContacts(const py::dict& contacts, const Names& names, long k, Frame* frame) {
  const Rows offset(contacts, "offset"), name(contacts, "name"), gap(contacts, "gap"),
      point(contacts, "point"), normal(contacts, "normal"), tangent(contacts, "tangent"),
      force(contacts, "force"), impulse(contacts, "impulse"), adhesion(contacts, "adhesion"),
      moment(contacts, "moment");
  const auto key = contacts["key"].cast<py::array_t<std::uint64_t, py::array::c_style>>();
  for (auto i = static_cast<long>(offset(k)); i < static_cast<long>(offset(k + 1)); ++i) {
    frame->contacts.push_back({names.at(static_cast<std::size_t>(name(i))),
                               {key.data()[2 * i], key.data()[2 * i + 1]},
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

void ReadLedger(const py::dict& tables, long k, Frame* frame) {
  const auto one = [&](const char* name) { return Rows(tables, name)(k); };
  frame->time = one("time");
  frame->step_size = one("step_size");
  frame->energy = {one("energy/kinetic"), one("energy/potential"), one("energy/elastic")};
  frame->work.loads = one("ledger/loads");
  frame->work.drives = one("ledger/drives");
  frame->work.impact_loss = one("ledger/impact_loss");
  frame->work.friction_loss = one("ledger/friction_loss");
  frame->work.joint_friction_loss = one("ledger/joint_friction_loss");
  frame->work.contact_loss = one("ledger/contact_loss");
  frame->work.decohesion_loss = one("ledger/decohesion_loss");
  frame->work.projection = one("ledger/projection");
  frame->closure = one("ledger/closure");
}

/// @param contacts  empty: recorded without
void WriteResult(const std::string& path, const std::string& title, const std::string& scene,
                 const py::dict& layout, const py::dict& tables, const py::dict& contacts,
                 const Names& contact_names, const Checkpoint& checkpoint,
                 const std::string& outcome) {
  const FrameLayout names = ReadLayout(layout);
  ResultFile file(path, names, {title, scene, !contacts.empty(), 0});
  const auto num_frames = static_cast<long>(tables["time"].cast<Numbers>().size());
  for (long k = 0; k < num_frames; ++k) {
    Frame frame;
    ReadLedger(tables, k, &frame);
    ReadBodies(tables, names.bodies.size(), k, &frame);
    ReadJoints(tables, names.joints.size(), k, &frame);
    if (!contacts.empty()) ReadContacts(contacts, contact_names, k, &frame);
    if (!names.coordinates.empty()) {
      frame.q = Rows(tables, "coordinates/q").all(k);
      frame.v = Rows(tables, "coordinates/v").all(k);
      frame.lambda = Rows(tables, "constraints/lambda").all(k);
    }
    file.AddFrame(frame);
  }
  file.AddCheckpoint(checkpoint);
  file.SetAudit(checkpoint.audit, outcome);
  file.Close();
}

}  // namespace

void BindView(py::module_& m) {
  m.def("make_view_page", &MakePage);
  m.def("write_result", &WriteResult);
}

}  // namespace saltus::python
