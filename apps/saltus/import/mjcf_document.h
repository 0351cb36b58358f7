// MjcfDocument: the elements of an MJCF file with its includes worked in and its default classes
// applied, so that a reader asks an element for an attribute and gets the value that counts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tinyxml2.h>

#include "saltus/base/types.h"

#include "apps/saltus/import/notes.h"

namespace saltus {

/// An element with the attributes that count for it: its own, else those of its class.
class MjcfElement {
 public:
  using Attributes = std::map<std::string, std::string>;
  MjcfElement(std::string kind, Attributes attributes, std::string file)
      : kind_(std::move(kind)), attributes_(std::move(attributes)), file_(std::move(file)) {}

  const std::string& kind() const { return kind_; }
  const Attributes& attributes() const { return attributes_; }
  bool Has(const std::string& key) const { return attributes_.contains(key); }
  std::string Text(const std::string& key, const std::string& otherwise = "") const;
  double Number(const std::string& key, double otherwise) const;
  Vector3 Vector(const std::string& key, const Vector3& otherwise) const;
  /// All numbers of an attribute; throws InputError if one of its words is no number.
  std::vector<double> Numbers(const std::string& key) const;
  [[noreturn]] void Fail(const std::string& message) const;

 private:
  std::string kind_;
  Attributes attributes_;
  std::string file_;
};

class MjcfDocument {
 public:
  /// Throws InputError if the file or one that it includes cannot be read.
  explicit MjcfDocument(const std::string& path);

  const std::string& path() const { return path_; }
  const std::string& model_name() const { return model_name_; }
  /// All elements <section> below <mujoco>, in order.
  std::vector<const tinyxml2::XMLElement*> Sections(const std::string& section) const;
  /// Every section's name that occurs.
  std::set<std::string> SectionNames() const;

  /// `childclass`: the default class of the bodies around the element; empty: the main one.
  MjcfElement Resolve(const tinyxml2::XMLElement& element, const std::string& childclass) const;

 private:
  void Load(const std::string& path, int depth);
  void Include(tinyxml2::XMLElement* parent, const std::string& folder, int depth);
  void ReadDefaults(const tinyxml2::XMLElement& element, const std::string& parent);

  std::string path_, model_name_;
  std::vector<std::unique_ptr<tinyxml2::XMLDocument>> documents_;
  std::vector<const tinyxml2::XMLElement*> roots_;
  // class → kind of element → attributes, with those of the classes around it.
  std::map<std::string, std::map<std::string, MjcfElement::Attributes>> classes_;
};

}  // namespace saltus
