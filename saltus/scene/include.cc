// Includes: files that bring their sections into the file that names them.
#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "saltus/scene/compose.h"
#include "saltus/scene/field.h"
#include "saltus/scene/text_file.h"
#include "saltus/scene/yaml.h"

namespace saltus {
namespace {

namespace fs = std::filesystem;

bool Among(const std::string& key, std::initializer_list<const char*> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void Append(Value more, Value* list) {
  if (list->is_list() && more.is_list()) {
    for (Value& item : more.items) list->items.push_back(std::move(item));
  } else {
    *list = std::move(more);
  }
}

/// `own` comes later than *base and wins where the rules of compose.h let it.
void Merge(Value own, Value* base) {
  for (Value::Entry& entry : own.entries) {
    Value::Entry* earlier = base->Find(entry.key);
    if (earlier == nullptr) {
      base->entries.push_back(std::move(entry));
      continue;
    }
    const bool maps = entry.value.is_map() && earlier->value.is_map();
    if (maps && Among(entry.key, {"parameters", "simulation", "audit", "output", "reference"})) {
      for (Value::Entry& inner : entry.value.entries) {
        if (Value::Entry* old = earlier->value.Find(inner.key)) {
          *old = std::move(inner);
        } else {
          earlier->value.entries.push_back(std::move(inner));
        }
      }
    } else if (maps && Among(entry.key, {"materials", "bodies", "joints", "forces", "contacts"})) {
      for (Value::Entry& inner : entry.value.entries) {
        if (const Value::Entry* old = earlier->value.Find(inner.key)) {
          const SourceLocation first = old->place.location();
          throw InputError(entry.key + "." + inner.key, "this name is defined twice",
                           "the first one is at " + first.file + ":" + std::to_string(first.line) +
                               "; rename one of them",
                           inner.place.location());
        }
        earlier->value.entries.push_back(std::move(inner));
      }
    } else if (maps && entry.key == "ground") {
      for (Value::Entry& inner : entry.value.entries) {
        if (Value::Entry* old = earlier->value.Find(inner.key)) {
          Append(std::move(inner.value), &old->value);
        } else {
          earlier->value.entries.push_back(std::move(inner));
        }
      }
    } else if (entry.key == "pairs") {
      Append(std::move(entry.value), &earlier->value);
    } else {
      *earlier = std::move(entry);
    }
  }
}

/// Mesh files are named relative to the file that names them; from now on relative to the root's.
void MoveFileNames(const fs::path& folder, Value* value) {
  for (Value& item : value->items) MoveFileNames(folder, &item);
  for (Value::Entry& entry : value->entries) {
    if (entry.key == "file" && entry.value.is_scalar()) {
      entry.value.text = (folder / entry.value.text).lexically_normal().string();
    } else {
      MoveFileNames(folder, &entry.value);
    }
  }
}

class Includer {
 public:
  Includer(std::string base_dir, const SceneLimits& limits, ValueBudget* budget)
      : base_dir_(std::move(base_dir)), limits_(limits), budget_(budget) {}

  /// `folder` is that of `file`, relative to the base.
  bool MergeAll(const std::string& file, const fs::path& folder, Value* root) {
    const Value::Entry* include = root->Find("include");
    if (include == nullptr) return false;
    const Field field(include->value, "include");
    std::vector<Field> names;
    if (field.value().is_scalar()) {
      names.push_back(field);
    } else {
      names = field.ReadList(0, field.value().items.max_size());
    }
    chain_.push_back(file);
    Value merged = MakeMap();
    merged.place = root->place;
    for (const Field& name : names) MergeOne(name, folder, &merged);
    chain_.pop_back();
    std::erase_if(root->entries, [](const Value::Entry& entry) { return entry.key == "include"; });
    Merge(std::move(*root), &merged);
    *root = std::move(merged);
    return true;
  }

  void MarkRoot(const std::string& file) {
    std::error_code error;
    const fs::path canonical = fs::canonical(file, error);
    if (!error) open_.insert(canonical);
  }

 private:
  void MergeOne(const Field& name, const fs::path& folder, Value* merged) {
    const fs::path relative = folder / name.ReadText();
    const std::string path =
        FindFile(Field(MakeNamed(relative.string(), name), name.path()), base_dir_);
    const std::string text = ReadTextFile(path, name, limits_);
    const fs::path canonical = fs::canonical(path);
    if (open_.count(canonical) > 0) {
      std::string chain;
      for (const std::string& file : chain_) chain += file + " -> ";
      name.Fail("the files include each other: " + chain + path, "remove one of the includes");
    }
    if (!done_.insert(canonical).second) return;
    if (static_cast<int>(chain_.size()) >= limits_.max_include_depth) {
      name.Fail(
          "includes are nested more than " + std::to_string(limits_.max_include_depth) + " deep",
          "include the files from one place");
    }
    Value included = ParseYaml(text, path, limits_, budget_);
    if (!included.is_map()) {
      Field(included, "")
          .Fail("expected a map of sections, found " + Describe(included),
                "an included file has the same keys as a scene");
    }
    if (relative.has_parent_path()) MoveFileNames(relative.parent_path(), &included);
    open_.insert(canonical);
    MergeAll(path, relative.parent_path(), &included);
    open_.erase(canonical);
    Merge(std::move(included), merged);
  }

  /// A value of another text at the same place; it lives as long as the includer.
  const Value& MakeNamed(std::string text, const Field& like) {
    scratch_ = MakeScalar(std::move(text), like.place());
    return scratch_;
  }

  std::string base_dir_;
  const SceneLimits& limits_;
  ValueBudget* budget_;
  std::vector<std::string> chain_;
  std::set<fs::path> open_, done_;
  Value scratch_;
};

}  // namespace

bool MergeIncludes(const std::string& file, const std::string& base_dir, const SceneLimits& limits,
                   ValueBudget* budget, Value* root) {
  Includer includer(base_dir, limits, budget);
  if (!base_dir.empty()) includer.MarkRoot(file);
  return includer.MergeAll(file, "", root);
}

}  // namespace saltus
