#include "saltus/scene/yaml.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>
#include <unordered_set>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "saltus/scene/utf8.h"

namespace saltus {
namespace {

using File = std::shared_ptr<const std::string>;

Place MakePlace(const File& file, const YAML::Mark& mark) {
  return {file, mark.line < 0 ? 0 : mark.line + 1, mark.column < 0 ? 0 : mark.column + 1};
}

/// Receives the events of the parser and grows the tree.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, File file, const SceneLimits& limits, ValueBudget* budget)
      : text_(text), file_(std::move(file)), limits_(limits), budget_(budget) {}

  Value&& root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Value value;
    value.place = MakePlace(file_, mark);
    Finish(std::move(value), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    CheckTag(tag, mark);
    if (tag == "!") CheckQuotes(mark);
    Value value = MakeScalar(text, MakePlace(file_, mark));
    if (tag == "?" && (text == "~" || text == "null")) value.kind = Value::Kind::kNull;
    Finish(std::move(value), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw InputError("", "an alias refers to the very value that contains it",
                       "close the value before its anchor is used", Here(mark));
    }
    budget_->SpendTree(found->second, MakePlace(file_, mark));
    Value copy = found->second;
    if (Depth(copy) + static_cast<int>(open_.size()) > limits_.max_depth) FailDepth(mark);
    Attach(std::move(copy));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Start(Value::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { FinishOpen(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Start(Value::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override {
    MergeInherited(&open_.back());
    FinishOpen();
  }

 private:
  struct OpenValue {
    Value value;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key;
    Place key_place;
    std::unordered_set<std::string> keys;
    std::vector<Value> inherited;  // values of the merge key
  };

  SourceLocation Here(const YAML::Mark& mark) const { return MakePlace(file_, mark).location(); }

  static int Depth(const Value& value) {
    int depth = 0;
    for (const Value& item : value.items) depth = std::max(depth, Depth(item));
    for (const Value::Entry& entry : value.entries) depth = std::max(depth, Depth(entry.value));
    return depth + 1;
  }

  [[noreturn]] void FailDepth(const YAML::Mark& mark) const {
    throw InputError(
        "", "lists and maps are nested more than " + std::to_string(limits_.max_depth) + " deep",
        "a scene needs about ten levels", Here(mark));
  }

  void CheckTag(const std::string& tag, const YAML::Mark& mark) const {
    static const std::string kStandard = "tag:yaml.org,2002:";
    if (tag.empty() || tag == "?" || tag == "!" || tag.compare(0, kStandard.size(), kStandard) == 0)
      return;
    throw InputError("", "unknown YAML tag '" + tag + "'", "remove the tag", Here(mark));
  }

  /// The library takes the end of the file for the missing quote of a text.
  void CheckQuotes(const YAML::Mark& mark) const {
    static const std::string kByteOrderMark = "\xEF\xBB\xBF";
    const std::size_t skipped = text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    std::size_t i = skipped + static_cast<std::size_t>(std::max(mark.pos, 0));
    if (i >= text_.size() || (text_[i] != '"' && text_[i] != '\'')) return;
    const char quote = text_[i];
    for (++i; i < text_.size() && text_[i] != quote; ++i) {
      if (quote == '"' && text_[i] == '\\') ++i;
    }
    if (i < text_.size()) return;
    throw InputError("", "YAML syntax: a quoted text has no end", "close it with the same quote",
                     Here(mark));
  }

  void Start(Value::Kind kind, const YAML::Mark& mark, const std::string& tag,
             YAML::anchor_t anchor) {
    CheckTag(tag, mark);
    if (!open_.empty() && open_.back().value.is_map() && !open_.back().has_key) FailKey(mark);
    if (static_cast<int>(open_.size()) >= limits_.max_depth) FailDepth(mark);
    open_.emplace_back();
    open_.back().value.kind = kind;
    open_.back().value.place = MakePlace(file_, mark);
    open_.back().anchor = anchor;
  }

  [[noreturn]] void FailKey(const YAML::Mark& mark) const {
    throw InputError("", "a key must be a text, not a list or a map",
                     "quote a text that begins with '{' or '['", Here(mark));
  }

  void FinishOpen() {
    Value value = std::move(open_.back().value);
    const YAML::anchor_t anchor = open_.back().anchor;
    open_.pop_back();
    Finish(std::move(value), anchor);
  }

  void Finish(Value value, YAML::anchor_t anchor) {
    budget_->Spend(value, value.place);
    if (anchor != 0) {
      budget_->SpendTree(value, value.place);
      anchors_[anchor] = value;
    }
    Attach(std::move(value));
  }

  /// Hands a finished value to the list or map that is open, as an item, a key or an entry.
  void Attach(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    OpenValue& parent = open_.back();
    if (parent.value.is_list()) {
      parent.value.items.push_back(std::move(value));
    } else if (!parent.has_key) {
      StartEntry(value, &parent);
    } else {
      parent.has_key = false;
      if (parent.key == "<<") {
        parent.inherited.push_back(std::move(value));
      } else {
        parent.value.Add(std::move(parent.key), std::move(value), parent.key_place);
      }
    }
  }

  void StartEntry(const Value& key, OpenValue* parent) {
    if (!key.is_scalar()) {
      throw InputError("", "a key must be a text, not " + Describe(key),
                       "write 'key: value' with a space after the colon", key.place.location());
    }
    if (!parent->keys.insert(key.text).second) {
      const Value::Entry* first = parent->value.Find(key.text);
      throw InputError(key.text, "this key appears twice in the same map",
                       first ? "the first one is in line " + std::to_string(first->place.line) +
                                   "; remove or rename one of them"
                             : "use a list of aliases instead",
                       key.place.location());
    }
    parent->has_key = true;
    parent->key = key.text;
    parent->key_place = key.place;
  }

  /// `<<: *base` or `<<: [*a, *b]`: entries that the map does not have itself, the first wins.
  void MergeInherited(OpenValue* map) {
    for (Value& inherited : map->inherited) {
      std::vector<Value> bases;
      if (inherited.is_list()) {
        bases = std::move(inherited.items);
      } else {
        bases.push_back(std::move(inherited));
      }
      for (Value& base : bases) {
        if (!base.is_map()) {
          throw InputError("<<", "the merge key needs a map, not " + Describe(base),
                           "write '<<: *name' where &name marks a map", base.place.location());
        }
        for (Value::Entry& entry : base.entries) {
          if (map->keys.insert(entry.key).second) map->value.entries.push_back(std::move(entry));
        }
      }
    }
  }

  const std::string& text_;
  File file_;
  const SceneLimits& limits_;
  ValueBudget* budget_;
  std::vector<OpenValue> open_;
  std::map<YAML::anchor_t, Value> anchors_;
  Value root_;
};

void CheckCharacters(const std::string& text, const File& file, const SceneLimits& limits) {
  if (text.size() > limits.max_bytes) {
    throw InputError("",
                     "the file has " + std::to_string(text.size()) + " bytes, more than " +
                         std::to_string(limits.max_bytes),
                     "put large meshes into a file of their own", {*file, 1, 1});
  }
  const TextFault fault = FindTextFault(text);
  if (fault.message.empty()) return;
  throw InputError("", fault.message, "a scene is UTF-8 text without control characters",
                   {*file, fault.line, fault.column});
}

}  // namespace

Value ParseYaml(const std::string& text, const std::string& file_name, const SceneLimits& limits,
                ValueBudget* budget) {
  const File file = std::make_shared<const std::string>(file_name);
  CheckCharacters(text, file, limits);
  std::istringstream stream(text);
  TreeBuilder builder(text, file, limits, budget);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      throw InputError("", "the file is empty", "a scene begins with 'saltus: 1'", {*file, 1, 1});
    }
    Value root = builder.root();
    TreeBuilder second(text, file, limits, budget);
    if (parser.HandleNextDocument(second)) {
      throw InputError("", "the file holds more than one YAML document", "remove the line '---'",
                       second.root().place.location());
    }
    return root;
  } catch (const YAML::Exception& error) {
    throw InputError("", "YAML syntax: " + error.msg,
                     "check indentation, brackets, quotes and the space after each ':' up to here",
                     MakePlace(file, error.mark).location());
  }
}

}  // namespace saltus
