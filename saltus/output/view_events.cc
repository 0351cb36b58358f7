#include "saltus/output/view_events.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saltus {
namespace {

constexpr double kSlipMargin = 1e-3;
constexpr std::size_t kLargestSample = 1 << 16;
constexpr double kQuantile = 0.9;

Vector3 ReadVector(const std::vector<double>& rows, std::size_t i) {
  return {rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]};
}

}  // namespace

double FindFriction(const Model* model, const ContactKey& key) {
  if (model == nullptr) return 0;
  const std::uint64_t number = ContactNumber(key);
  switch (FindContactKind(key)) {
    case ContactKind::kColliders: {
      const std::uint64_t a = number >> 32, b = number & 0xffffffff;
      const std::size_t count = model->contact.collider_body.size();
      if (a >= count || b >= count) return 0;
      return model->contact.law(static_cast<int>(a), static_cast<int>(b)).friction;
    }
    case ContactKind::kNamed:
      return number < model->contact.named.size() ? model->contact.named[number].law.friction : 0;
    default:
      return 0;
  }
}

void ViewEvents::AddFrames(const ResultReader& reader, const Model* model, long first,
                           const ContactRows& rows) {
  for (std::size_t k = 0; k + 1 < rows.offset.size(); ++k) {
    const long frame = first + static_cast<long>(k);
    const double time = reader.times()[static_cast<std::size_t>(frame)];
    ViewEvent impact{frame, time, "impact", "", 0, 0};
    std::map<std::uint32_t, std::pair<Mode, double>> modes;
    for (auto i = static_cast<std::size_t>(rows.offset[k]);
         i < static_cast<std::size_t>(rows.offset[k + 1]); ++i) {
      const Vector3 force = ReadVector(rows.force, i), impulse = ReadVector(rows.impulse, i);
      const std::string& name = reader.catalog().contacts()[rows.name[i]];
      if (impulse.squaredNorm() > 0) {
        impulses_.Add(impulse.norm());
        ++impact.count;
        if (impulse.norm() >= impact.value) {
          impact.value = impulse.norm();
          impact.subject = name;
        }
      }
      const double friction = FindFriction(model, {rows.key[2 * i], rows.key[2 * i + 1]});
      if (force[0] > 0) forces_.Add(force.norm());
      if (friction <= 0 || force[0] <= 0) continue;
      const double tangential = std::hypot(force[1], force[2]);
      const bool slips = tangential >= (1 - kSlipMargin) * friction * force[0];  // (1)
      auto& [mode, load] = modes.emplace(rows.name[i], std::pair(Mode::kStick, 0.0)).first->second;
      if (slips) mode = Mode::kSlip;
      load += tangential;
    }
    if (impact.count > 0) Add(std::move(impact));
    std::map<std::uint32_t, Mode> now;
    for (const auto& [name, entry] : modes) {
      const auto before = modes_.find(name);
      now.emplace(name, entry.first);
      if (before == modes_.end() || before->second == entry.first) continue;
      Add({frame, time, entry.first == Mode::kSlip ? "slip" : "stick",
           reader.catalog().contacts()[name], entry.second});
    }
    modes_ = std::move(now);
    ++num_frames_;
  }
}

void ViewEvents::Add(ViewEvent event) {
  ++total_;
  if (++count_[event.kind] <= kLargestCount) list_.push_back(std::move(event));
}

void ViewEvents::Magnitudes::Add(double value) {
  if (seen++ % stride == 0) values.push_back(value);
  if (values.size() < kLargestSample) return;
  for (std::size_t i = 0; i < values.size() / 2; ++i) values[i] = values[2 * i];
  values.resize(values.size() / 2);
  stride *= 2;
}

double ViewEvents::CalcQuantile(const Magnitudes& magnitudes) {
  if (magnitudes.values.empty()) return 0;
  std::vector<double> sorted = magnitudes.values;
  const auto place =
      sorted.begin() + static_cast<long>(kQuantile * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), place, sorted.end());
  return *place;
}

}  // namespace saltus
