// The events of a run that the viewer marks on its timeline, found in the recorded contacts.
//
// With F the force of a contact (n, t1, t2 components) and μ its coefficient, a contact slips if
//   |F_t| ≥ (1 − 10⁻³) μ F_n,   F_n > 0,   μ > 0                                                (1)
// at one of its points and sticks otherwise. An event is a frame with an impact, or the first frame
// in which a contact, closed in the frame before as well, went over from one of the two to the
// other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "saltus/multibody/model.h"
#include "saltus/output/result_reader.h"

namespace saltus {

struct ViewEvent {
  long frame = 0;
  double time = 0;      // s
  std::string kind;     // "impact", "slip", "stick", "user", "failure"
  std::string subject;  // the contact with the largest impulse, the contact, the user's name
  double value = 0;     // N s, N, or the user's value
  int count = 1;        // contact points that took part
};

/// μ of a recorded contact; 0 without friction and where the model is not known (null).
double FindFriction(const Model* model, const ContactKey& key);

class ViewEvents {
 public:
  /// Frames must come in their order, each once; `rows` as ReadContacts returns them for them.
  void AddFrames(const ResultReader& reader, const Model* model, long first,
                 const ContactRows& rows);

  /// In the order of time. At most kLargestCount of each kind are kept; total() counts all.
  const std::vector<ViewEvent>& list() const { return list_; }
  long total() const { return total_; }
  /// Frames seen so far.
  long num_frames() const { return num_frames_; }
  /// The force and the impulse that nine of ten contact points stay below, over all frames seen:
  /// what the length of the arrows refers to. N, N s; 0 if there was none.
  double typical_force() const { return CalcQuantile(forces_); }
  double typical_impulse() const { return CalcQuantile(impulses_); }

  static constexpr int kLargestCount = 2000;

 private:
  enum class Mode { kStick, kSlip };
  struct Magnitudes {  // every stride-th value, so that no more than kLargestSample are kept
    std::vector<double> values;
    long stride = 1, seen = 0;
    void Add(double value);
  };
  void Add(ViewEvent event);
  static double CalcQuantile(const Magnitudes& magnitudes);

  std::vector<ViewEvent> list_;
  std::map<std::string, int> count_;
  long total_ = 0, num_frames_ = 0;
  std::map<std::uint32_t, Mode> modes_;  // of the contacts closed in the last frame, by name
  Magnitudes forces_, impulses_;
};

}  // namespace saltus
