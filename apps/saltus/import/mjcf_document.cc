#include "apps/saltus/import/mjcf_document.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "saltus/base/error.h"

namespace saltus {
namespace {

using tinyxml2::XMLElement;

constexpr char kMain[] = "main";
constexpr int kDeepest = 20;  // includes within includes; more is a loop

bool IsActuator(const std::string& kind) {
  return kind == "motor" || kind == "position" || kind == "velocity" || kind == "general" ||
         kind == "muscle" || kind == "cylinder" || kind == "adhesion" || kind == "damper" ||
         kind == "intvelocity";
}

}  // namespace

std::string MjcfElement::Text(const std::string& key, const std::string& otherwise) const {
  const auto found = attributes_.find(key);
  return found == attributes_.end() ? otherwise : found->second;
}

std::vector<double> MjcfElement::Numbers(const std::string& key) const {
  std::vector<double> numbers;
  std::istringstream words(Text(key));
  for (std::string word; words >> word;) {
    char* end = nullptr;
    numbers.push_back(std::strtod(word.c_str(), &end));
    if (*end != '\0') Fail("'" + key + "' has '" + word + "', which is no number");
  }
  return numbers;
}

double MjcfElement::Number(const std::string& key, double otherwise) const {
  if (!Has(key)) return otherwise;
  const std::vector<double> numbers = Numbers(key);
  if (numbers.empty()) Fail("'" + key + "' has no number");
  return numbers[0];
}

Vector3 MjcfElement::Vector(const std::string& key, const Vector3& otherwise) const {
  if (!Has(key)) return otherwise;
  const std::vector<double> numbers = Numbers(key);
  if (numbers.size() != 3) Fail("'" + key + "' has not three numbers");
  return {numbers[0], numbers[1], numbers[2]};
}

void MjcfElement::Fail(const std::string& message) const {
  const std::string name = Text("name");
  throw InputError("<" + kind_ + (name.empty() ? "" : " name=\"" + name + "\"") + ">", message, "",
                   {file_});
}

MjcfDocument::MjcfDocument(const std::string& path) : path_(path) {
  Load(path, 0);
  if (model_name_.empty()) model_name_ = std::filesystem::path(path).stem().string();
  classes_[kMain];
  for (const XMLElement* section : Sections("default")) {
    const char* name = section->Attribute("class");
    if (name != nullptr && std::string(name) != kMain) classes_[name] = classes_[kMain];
    ReadDefaults(*section, kMain);
  }
}

void MjcfDocument::Load(const std::string& path, int depth) {
  const auto fail = [&](const std::string& message) { throw InputError("", message, "", {path}); };
  if (depth > kDeepest) fail("files include each other in a circle");
  auto document = std::make_unique<tinyxml2::XMLDocument>();
  if (document->LoadFile(path.c_str()) != tinyxml2::XML_SUCCESS) {
    fail(std::string("it cannot be read as XML: ") + document->ErrorStr());
  }
  XMLElement* root = document->RootElement();
  const std::string kind = root == nullptr ? "" : root->Name();
  if (kind != "mujoco" && kind != "mujocoinclude") fail("the root element is not <mujoco>");
  if (const char* name = root->Attribute("model"); name != nullptr && model_name_.empty()) {
    model_name_ = name;
  }
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Include(root, folder, depth);
  roots_.push_back(root);
  documents_.push_back(std::move(document));
}

/// An include at the top adds sections; one deeper inside stands for the elements of its file.
void MjcfDocument::Include(XMLElement* parent, const std::string& folder, int depth) {
  for (XMLElement* e = parent->FirstChildElement(); e != nullptr;) {
    XMLElement* next = e->NextSiblingElement();
    if (std::string(e->Name()) != "include") {
      Include(e, folder, depth);
    } else {
      const char* file = e->Attribute("file");
      const auto path = std::filesystem::path(folder) / (file == nullptr ? "" : file);
      if (std::string(parent->Name()) == "mujoco" ||
          std::string(parent->Name()) == "mujocoinclude") {
        Load(path.string(), depth + 1);
      } else {
        tinyxml2::XMLDocument part;
        if (part.LoadFile(path.string().c_str()) != tinyxml2::XML_SUCCESS || !part.RootElement()) {
          throw InputError("<include>", std::string("it cannot be read: ") + part.ErrorStr(), "",
                           {path.string()});
        }
        XMLElement* last = e;
        for (const XMLElement* child = part.RootElement()->FirstChildElement(); child != nullptr;
             child = child->NextSiblingElement()) {
          tinyxml2::XMLNode* copy = child->DeepClone(parent->GetDocument());
          parent->InsertAfterChild(last, copy);
          last = copy->ToElement();
        }
        next = e->NextSiblingElement();
        if (depth > kDeepest) {
          throw InputError("<include>", "files include each other in a circle", "", {path_});
        }
      }
      parent->DeleteChild(e);
    }
    e = next;
  }
}

void MjcfDocument::ReadDefaults(const XMLElement& element, const std::string& parent) {
  const char* given = element.Attribute("class");
  const std::string name = given == nullptr ? parent : given;
  if (name != parent) classes_[name] = classes_[parent];
  for (auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    const std::string kind = e->Name();
    if (kind == "default") continue;
    // Defaults of one kind of actuator hold for all of them, as in MuJoCo.
    MjcfElement::Attributes& attributes = classes_[name][IsActuator(kind) ? "actuator" : kind];
    for (auto* a = e->FirstAttribute(); a != nullptr; a = a->Next()) {
      attributes[a->Name()] = a->Value();
    }
  }
  for (auto* e = element.FirstChildElement("default"); e != nullptr;
       e = e->NextSiblingElement("default")) {
    ReadDefaults(*e, name);
  }
}

std::vector<const XMLElement*> MjcfDocument::Sections(const std::string& section) const {
  std::vector<const XMLElement*> list;
  for (const XMLElement* root : roots_) {
    for (auto* e = root->FirstChildElement(section.c_str()); e != nullptr;
         e = e->NextSiblingElement(section.c_str())) {
      list.push_back(e);
    }
  }
  return list;
}

std::set<std::string> MjcfDocument::SectionNames() const {
  std::set<std::string> names;
  for (const XMLElement* root : roots_) {
    for (auto* e = root->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      names.insert(e->Name());
    }
  }
  return names;
}

MjcfElement MjcfDocument::Resolve(const XMLElement& element, const std::string& childclass) const {
  const std::string kind = element.Name();
  const char* given = element.Attribute("class");
  const std::string name = given != nullptr ? given : childclass.empty() ? kMain : childclass;
  const auto found = classes_.find(name);
  if (found == classes_.end()) {
    throw InputError("<" + kind + ">", "there is no default class '" + name + "'", "", {path_});
  }
  MjcfElement::Attributes attributes;
  const auto defaults = found->second.find(IsActuator(kind) ? "actuator" : kind);
  if (defaults != found->second.end()) attributes = defaults->second;
  for (auto* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    attributes[a->Name()] = a->Value();
  }
  return {kind, std::move(attributes), path_};
}

}  // namespace saltus
