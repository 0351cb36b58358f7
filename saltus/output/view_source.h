// ViewSource: one result (or one scene at its start) as the viewer reads it: a header in JSON and
// blocks of numbers. A page that holds everything and a server that hands it out piece by piece are
// made of the same header and blocks.
//
// Frames come in chunks of `chunk_frames`; block (stream, chunk) holds the frames
//   chunk · chunk_frames ≤ k < min((chunk + 1) · chunk_frames, num_frames)                     (1)
// of one stream (packed_block.h):
//
//   time                         exact
//   run                          single      every channel of the run: energies, ledger, step
//   bodies.position              quantised   ε = precision · size of the scene, m
//   bodies.orientation           quantised   ε = precision
//   bodies.velocity, …           quantised   ε = 2⁻¹⁶ of the largest number in the block
//   joints.…, coordinates.…, …   single      the other quantities, named after their datasets
//   contact_count                exact       contact points of each frame
//   contacts                     single      one row per contact point: name, kind, point,
//                                            normal, force and impulse in world axes, gap, μ,
//                                            adhesion
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "saltus/multibody/model.h"
#include "saltus/output/json_writer.h"
#include "saltus/output/result_reader.h"
#include "saltus/output/view_events.h"

namespace saltus {

struct ViewOptions {
  double precision = 1e-7;  // of positions relative to the size of the scene, (0, 0.01]
};

/// The mechanism behind a result. Null members: not made of bodies, or not known any more.
struct ViewModel {
  std::shared_ptr<const Model> model;
  ModelSpec spec;
};

class ViewSource {
 public:
  /// A result.
  ViewSource(const std::string& path, ViewModel model, const ViewOptions& options);
  /// A scene at its start. `name` stands for its file.
  ViewSource(ViewModel model, const std::string& name, const ViewOptions& options);

  /// Reads a result that is still growing again; chunks that were complete stay as they are.
  void Refresh();

  const std::string& title() const { return title_; }
  long num_frames() const;
  long num_chunks() const;
  const std::vector<std::string>& streams() const { return stream_names_; }
  bool growing() const;

  /// JSON; viewer/src/data/header.ts describes it.
  std::string MakeHeader();
  /// Throws InputError if there is no such stream or chunk.
  std::string MakeBlock(const std::string& stream, long chunk);

  /// The largest error of a position in the blocks made so far, m.
  double position_error() const { return position_error_; }

 private:
  struct Stream {
    std::string name;
    const Quantity* quantity = nullptr;  // null: time, run, contacts
  };
  struct Box {
    Vector3 low = Vector3::Constant(1e300), high = Vector3::Constant(-1e300);
    void Add(const Vector3& center, double radius);
    bool empty() const { return low.x() > high.x(); }
  };

  void ListStreams();
  void FindEvents();
  Box CalcExtent() const;
  Box CalcBox(long frame) const;
  std::vector<double> ReadBodies(const char* name, long first, long count) const;
  std::vector<double> ReadRun(long first, long count) const;
  std::string PackContacts(long first, long count, bool counts) const;
  std::pair<long, long> FindRange(long chunk) const;
  void AddStreams(JsonWriter* json) const;
  void AddEvents(JsonWriter* json) const;
  void AddRunFacts(JsonWriter* json) const;

  std::string path_, title_;
  ViewModel model_;
  ViewOptions options_;
  std::optional<ResultReader> reader_;  // none: a scene
  std::vector<Stream> streams_;
  std::vector<std::string> stream_names_;
  std::vector<const Quantity*> run_;
  ViewEvents events_;
  long chunk_frames_ = 1;
  double size_ = 1;  // diagonal of the scene, m
  Box extent_;
  double position_error_ = 0;
};

}  // namespace saltus
