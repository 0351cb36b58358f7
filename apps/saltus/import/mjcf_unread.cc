#include "apps/saltus/import/mjcf_unread.h"

#include <map>
#include <set>
#include <string>

namespace saltus {
namespace {

using Words = std::set<std::string>;
using tinyxml2::XMLElement;

const Words& DisplaySections() {
  static const Words sections = {"visual", "statistic", "size"};
  return sections;
}

const Words& DisplayElements() {  // In bodies and in assets.
  static const Words elements = {"light", "camera", "site", "texture", "material", "skin"};
  return elements;
}

const Words& DisplayAttributes() {
  static const Words attributes = {"rgba", "material", "group", "user", "class", "name"};
  return attributes;
}

/// Attributes that are read, by element.
const std::map<std::string, Words>& ReadAttributes() {
  static const Words placement = {"pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"};
  static const auto with = [](Words words) {
    words.insert(placement.begin(), placement.end());
    return words;
  };
  static const std::map<std::string, Words> known = {
      {"body", with({"childclass", "mocap"})},
      {"joint",
       {"type", "pos", "axis", "ref", "stiffness", "springref", "damping", "frictionloss",
        "limited", "range"}},
      {"freejoint", {}},
      {"inertial", with({"mass", "diaginertia", "fullinertia"})},
      {"geom", with({"type", "size", "fromto", "mesh", "mass", "density", "contype", "conaffinity",
                     "condim", "friction", "margin", "gap", "priority"})},
      {"compiler",
       {"angle", "coordinate", "eulerseq", "inertiafromgeom", "meshdir", "texturedir", "autolimits",
        "settotalmass"}},
      {"option", {"timestep", "gravity"}},
      {"motor", {"joint", "gear"}},
      {"position", {"joint", "gear", "kp"}},
      {"velocity", {"joint", "gear", "kv"}},
      {"connect", {"body1", "body2", "anchor", "active"}},
      {"weld", {"body1", "body2", "anchor", "active", "relpose"}},
      {"mesh", {"file", "scale", "refpos", "refquat"}},
  };
  return known;
}

void CheckAttributes(const MjcfElement& element, Notes* notes) {
  const auto known = ReadAttributes().find(element.kind());
  if (known == ReadAttributes().end()) return;
  for (const auto& [key, value] : element.attributes()) {
    if (known->second.contains(key) || DisplayAttributes().contains(key)) continue;
    notes->Add("'" + key + "' of <" + element.kind() + "> is not read");
  }
}

void CheckBody(const MjcfDocument& document, const XMLElement& parent, std::string childclass,
               Notes* notes) {
  if (const char* given = parent.Attribute("childclass")) childclass = given;
  for (auto* e = parent.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    const std::string kind = e->Name();
    if (kind == "composite") continue;
    if (DisplayElements().contains(kind)) {
      notes->Add("<" + kind + "> is for display or measurement and not read");
    } else if (ReadAttributes().contains(kind)) {
      CheckAttributes(document.Resolve(*e, kind == "body" ? "" : childclass), notes);
    } else {
      notes->Add("<" + kind + "> is not read");
    }
    if (kind == "body") CheckBody(document, *e, childclass, notes);
  }
}

}  // namespace

void NameUnread(const MjcfDocument& document, Notes* notes) {
  static const Words read = {"compiler",  "option",   "default", "asset",
                             "worldbody", "equality", "actuator"};
  for (const std::string& section : document.SectionNames()) {
    if (read.contains(section)) continue;
    notes->Add("<" + section + ">" +
               (DisplaySections().contains(section) ? " is for display or memory and" : " is") +
               " not read");
  }
  for (const char* section : {"compiler", "option"}) {
    for (const XMLElement* e : document.Sections(section)) {
      CheckAttributes(document.Resolve(*e, ""), notes);
      for (auto* child = e->FirstChildElement(); child; child = child->NextSiblingElement()) {
        notes->Add(std::string("<") + section + "><" + child->Name() + "> is not read");
      }
    }
  }
  for (const char* section : {"actuator", "equality"}) {  // The others are named one by one.
    for (const XMLElement* list : document.Sections(section)) {
      for (auto* e = list->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
        CheckAttributes(document.Resolve(*e, ""), notes);
      }
    }
  }
  for (const XMLElement* asset : document.Sections("asset")) {
    for (auto* e = asset->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string kind = e->Name();
      if (kind == "mesh") {
        CheckAttributes(document.Resolve(*e, ""), notes);
      } else if (!DisplayElements().contains(kind)) {
        notes->Add("<asset><" + kind + "> is not read");
      }
    }
  }
  for (const XMLElement* world : document.Sections("worldbody")) {
    CheckBody(document, *world, "", notes);
  }
}

}  // namespace saltus
