// Result files: every dataset as an array.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "saltus/base/error.h"
#include "saltus/output/channel.h"
#include "saltus/output/join_results.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/sampler.h"

#include "python/src/bindings.h"
#include "python/src/convert.h"
#include "python/src/save_result.h"
#include "python/src/simulation.h"

namespace saltus::python {
namespace {

py::array ReadDataset(const ResultReader& reader, const std::string& dataset) {
  for (const Quantity& quantity : ListQuantities()) {
    if (quantity.dataset != dataset) continue;
    std::vector<py::ssize_t> shape = {reader.num_frames()};
    if (quantity.owner != ChannelOwner::kRun) {
      shape.push_back(static_cast<py::ssize_t>(CountItems(quantity.owner, reader.layout())));
    }
    if (!quantity.components.empty()) {
      shape.push_back(static_cast<py::ssize_t>(quantity.components.size()));
    }
    return MakeArray(reader.ReadQuantity(quantity), shape);
  }
  throw InputError("dataset '" + dataset + "'", "there is no such dataset in a result");
}

py::list ListQuantityRows() {
  const char* owners[] = {"run", "body", "joint", "contact", "coordinate", "constraint"};
  py::list rows;
  for (const Quantity& q : ListQuantities()) {
    rows.append(py::make_tuple(owners[static_cast<int>(q.owner)], q.name, q.dataset, q.unit,
                               q.meaning, q.components));
  }
  return rows;
}

/// Resolves channels of a result that is in memory: (owner, dataset, item, component, unit).
py::tuple FindChannel(const ChannelCatalog& catalog, const std::string& name) {
  const Channel channel = catalog.Find(name);
  const bool single = channel.quantity->components.empty();
  return py::make_tuple(static_cast<int>(channel.quantity->owner), channel.quantity->dataset,
                        channel.item, single ? -1 : channel.component, channel.unit,
                        channel.quantity->meaning);
}

ChannelCatalog MakeCatalog(const py::dict& layout, const std::vector<std::string>& contacts) {
  FrameLayout frame_layout;
  using Names = std::vector<std::string>;
  frame_layout.bodies = layout["bodies"].cast<Names>();
  frame_layout.coordinates = layout["coordinates"].cast<Names>();
  frame_layout.constraints = layout["constraints"].cast<Names>();
  const auto joints = layout["joints"].cast<Names>();
  const auto coordinates = layout["joint_coordinates"].cast<Names>();
  const auto units = layout["joint_units"].cast<Names>();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    frame_layout.joints.push_back({joints[i], coordinates[i], units[i]});
  }
  return ChannelCatalog(std::move(frame_layout), contacts);
}

}  // namespace

void BindResults(py::module_& m) {
  m.def("join_results", &JoinResults, py::call_guard<py::gil_scoped_release>());
  m.def("save_result", &SaveResult);
  m.def("list_quantities", &ListQuantityRows);
  py::class_<ChannelCatalog>(m, "ChannelCatalog")
      .def(py::init(&MakeCatalog))
      .def("find", &FindChannel)
      .def("list", [](const ChannelCatalog& self) {
        std::vector<std::pair<std::string, std::string>> rows;
        for (const Channel& channel : self.List()) rows.emplace_back(channel.name, channel.unit);
        return rows;
      });
  py::class_<ResultReader>(m, "ResultReader")
      .def(py::init<const std::string&>())
      .def_property_readonly("path", &ResultReader::path)
      .def_property_readonly("title", &ResultReader::title)
      .def_property_readonly("scene", &ResultReader::scene)
      .def_property_readonly("version", &ResultReader::saltus_version)
      .def_property_readonly("outcome", &ResultReader::outcome)
      .def_property_readonly("verdict", &ResultReader::verdict)
      .def_property_readonly("has_contacts", &ResultReader::has_contacts)
      .def_property_readonly("has_impacts", &ResultReader::has_impacts)
      .def_property_readonly("has_checkpoint", &ResultReader::has_checkpoint)
      .def_property_readonly("layout", [](const ResultReader& r) { return MakeLayout(r.layout()); })
      .def_property_readonly("contact_names",
                             [](const ResultReader& r) { return r.catalog().contacts(); })
      .def_property_readonly("audit",
                             [](const ResultReader& r) {
                               py::list entries;
                               for (const AuditEntry& e : r.audit()) {
                                 entries.append(py::make_tuple(e.key, e.value, e.unit, e.meaning));
                               }
                               return entries;
                             })
      .def("dataset", &ReadDataset)
      .def("contacts", [](const ResultReader& r) { return MakeContactArrays(r.ReadContacts()); })
      .def("events",
           [](const ResultReader& r) {
             py::list events;
             for (const RunEvent& e : r.ReadEvents()) {
               events.append(py::make_tuple(e.time, e.kind, e.name, e.value));
             }
             return events;
           })
      .def("checkpoint", &ResultReader::ReadCheckpoint);
}

}  // namespace saltus::python
