#include "saltus/math/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "saltus/base/error.h"
#include "saltus/base/suggest.h"
#include "saltus/math/expression_operations.h"

namespace saltus {
namespace {

constexpr int kMaxStack = 256;

/// Characters, not bytes: continuation bytes of UTF-8 do not count.
int ColumnOf(std::string_view text, std::size_t position) {
  const auto before = text.substr(0, position);
  return 1 + static_cast<int>(std::count_if(before.begin(), before.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
         }));
}

/// The text quoted for a message; long texts are cut between characters.
std::string Quote(std::string_view text) {
  constexpr std::size_t kMaxQuoted = 60;
  if (text.size() <= kMaxQuoted) return "'" + std::string(text) + "'";
  std::size_t end = kMaxQuoted;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "…'";
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

/// Recursive descent over the grammar in the header; emits instructions in postfix order.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) { result_.text_ = text; }

  Expression ParseAll() {
    if (text_.size() > Expression::kMaxLength) {
      Fail(0, "an expression of " + std::to_string(text_.size()) + " characters is too long",
           "at most " + std::to_string(Expression::kMaxLength));
    }
    ParseSum();
    SkipSpace();
    if (position_ < text_.size()) FailAtRest();
    return std::move(result_);
  }

 private:
  using Instruction = Expression::Instruction;
  using Kind = Instruction::Kind;

  /// Counts the nesting while it lives.
  class Level {
   public:
    explicit Level(ExpressionParser* parser) : parser_(parser) {
      if (++parser_->depth_ > Expression::kMaxDepth) {
        parser_->Fail(parser_->position_, "nested too deeply",
                      "at most " + std::to_string(Expression::kMaxDepth) + " levels");
      }
    }
    ~Level() { --parser_->depth_; }

   private:
    ExpressionParser* parser_;
  };

  void ParseSum() {
    ParseProduct();
    while (true) {
      if (Accept('+')) {
        ParseProduct();
        EmitCall(ExpressionOperation::kAdd, 2);
      } else if (Accept('-')) {
        ParseProduct();
        EmitCall(ExpressionOperation::kSubtract, 2);
      } else {
        return;
      }
    }
  }

  void ParseProduct() {
    ParseSign();
    while (true) {
      if (Accept('*')) {
        if (position_ < text_.size() && text_[position_] == '*') {
          Fail(position_ - 1, "unknown operator '**'", "write '^' for a power");
        }
        ParseSign();
        EmitCall(ExpressionOperation::kMultiply, 2);
      } else if (Accept('/')) {
        ParseSign();
        EmitCall(ExpressionOperation::kDivide, 2);
      } else {
        return;
      }
    }
  }

  void ParseSign() {
    bool negative = false;
    while (true) {
      if (Accept('-')) {
        negative = !negative;
      } else if (!Accept('+')) {
        break;
      }
    }
    ParsePower();
    if (negative) EmitCall(ExpressionOperation::kNegate, 1);
  }

  void ParsePower() {
    const Level level(this);
    ParseAtom();
    if (Accept('^')) {
      ParseSign();
      EmitCall(ExpressionOperation::kPower, 2);
    }
  }

  void ParseAtom() {
    SkipSpace();
    if (position_ >= text_.size()) Fail(position_, "unexpected end", "a number or name is missing");
    const char c = text_[position_];
    if (IsDigit(c) || c == '.') {
      ParseNumber();
    } else if (IsNameStart(c)) {
      ParseName();
    } else if (Accept('(')) {
      ParseSum();
      Expect(')');
    } else {
      FailAtRest();
    }
  }

  void ParseNumber() {
    double value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) {
      Fail(position_, "the number is out of range", "|x| up to 1.8e308");
    }
    if (error != std::errc()) FailAtRest();
    position_ += static_cast<std::size_t>(end - begin);
    Emit({Kind::kNumber, 0, 0, value});
  }

  void ParseName() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && IsNamePart(text_[position_])) ++position_;
    const std::string_view name = text_.substr(begin, position_ - begin);
    SkipSpace();
    if (position_ < text_.size() && text_[position_] == '(') {
      ParseCall(name, begin);
    } else if (const auto constant = FindExpressionConstant(name)) {
      Emit({Kind::kNumber, 0, 0, *constant});
    } else if (FindExpressionFunction(name) != nullptr) {
      Fail(begin, "'" + std::string(name) + "' is a function", "give its argument in parentheses");
    } else {
      EmitVariable(name);
    }
  }

  void ParseCall(std::string_view name, std::size_t begin) {
    const ExpressionFunction* function = FindExpressionFunction(name);
    if (function == nullptr) {
      std::vector<std::string> names;
      for (const ExpressionFunction& f : ExpressionFunctions()) names.emplace_back(f.name);
      Fail(begin, "unknown function " + Quote(name), SuggestName(name, names));
    }
    Expect('(');
    int count = 0;
    do {
      ParseSum();
      ++count;
    } while (Accept(','));
    Expect(')');
    if (count < function->min_arguments || count > function->max_arguments) {
      std::string wanted = std::to_string(function->min_arguments);
      if (function->max_arguments == kManyArguments) {
        wanted += " to " + std::to_string(kManyArguments);
      }
      Fail(begin,
           "'" + std::string(name) + "' takes " + wanted + " argument(s), not " +
               std::to_string(count),
           "");
    }
    EmitCall(function->operation, count);
  }

  void Emit(const Instruction& instruction) {
    result_.program_.push_back(instruction);
    stack_ += instruction.kind == Kind::kCall ? 1 - instruction.count : 1;
    if (stack_ > kMaxStack) Fail(position_, "nested too deeply", "split the expression");
  }

  void EmitCall(ExpressionOperation operation, int count) {
    Emit({Kind::kCall, static_cast<std::uint8_t>(operation), count, 0});
  }

  void EmitVariable(std::string_view name) {
    auto& names = result_.variables_;
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) found = names.emplace(names.end(), name);
    Emit({name == "t" ? Kind::kTime : Kind::kVariable, 0, static_cast<int>(found - names.begin()),
          0});
  }

  void SkipSpace() {
    while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
  }

  bool Accept(char c) {
    SkipSpace();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  void Expect(char c) {
    if (Accept(c)) return;
    if (position_ < text_.size()) FailAtRest();
    Fail(position_, std::string("'") + c + "' is missing", "");
  }

  /// Something stands at position_ that does not belong there.
  [[noreturn]] void FailAtRest() {
    std::size_t end = position_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    const std::string_view found = text_.substr(position_, end - position_);
    const bool value = IsDigit(found[0]) || IsNameStart(found[0]) || found[0] == '(';
    const bool comparison = found == "<" || found == ">" || found == "=";
    Fail(position_, "unexpected '" + std::string(found) + "'",
         comparison ? "there are no comparisons; use step(x), min or max"
         : value    ? "an operator is missing before it"
                    : "");
  }

  [[noreturn]] void Fail(std::size_t position, const std::string& message,
                         const std::string& suggestion) const {
    const int column = ColumnOf(text_, position);
    throw InputError("expression " + Quote(text_),
                     "column " + std::to_string(column) + ": " + message, suggestion,
                     SourceLocation{"", 0, column});
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
  int stack_ = 0;
  Expression result_;
};

Expression Expression::Parse(std::string_view text) { return ExpressionParser(text).ParseAll(); }

bool Expression::uses(std::string_view name) const {
  return std::find(variables_.begin(), variables_.end(), name) != variables_.end();
}

bool Expression::IsReservedName(std::string_view name) {
  return name == "t" || FindExpressionConstant(name).has_value() ||
         FindExpressionFunction(name) != nullptr;
}

Expression::Program Expression::Bind(const VariableValues& values, bool fix_time) const {
  Program bound = program_;
  for (Instruction& instruction : bound) {
    const bool is_time = instruction.kind == Instruction::Kind::kTime;
    if (!(is_time && fix_time) && instruction.kind != Instruction::Kind::kVariable) continue;
    const std::string& name = variables_[instruction.count];
    const auto found = values.find(name);
    if (found == values.end()) {
      if (is_time) {
        throw InputError("expression " + Quote(text_), "'t' is not known here",
                         "only drives and loads may depend on time");
      }
      std::vector<std::string> names;
      for (const auto& [known, value] : values) names.push_back(known);
      names.insert(names.end(), {"pi", "e"});
      if (!fix_time) names.emplace_back("t");
      throw InputError("expression " + Quote(text_), "unknown name " + Quote(name),
                       SuggestName(name, names));
    }
    instruction = {Instruction::Kind::kNumber, 0, 0, found->second};
  }
  return bound;
}

TimeJet Expression::Run(const Program& program, double t) {
  std::array<Jet, kMaxStack> stack;  // The parser keeps every program within it.
  int top = 0;
  for (const Instruction& instruction : program) {
    switch (instruction.kind) {
      case Instruction::Kind::kNumber:
        stack[top++] = {instruction.number, 0, 0};
        break;
      case Instruction::Kind::kTime:
        stack[top++] = {t, 1, 0};
        break;
      case Instruction::Kind::kVariable:
        break;  // Bind() leaves none.
      case Instruction::Kind::kCall: {
        top -= instruction.count;
        const std::span<const Jet> arguments(stack.data() + top,
                                             static_cast<std::size_t>(instruction.count));
        stack[top] =
            ApplyOperation(static_cast<ExpressionOperation>(instruction.operation), arguments);
        ++top;
        break;
      }
    }
  }
  return static_cast<TimeJet>(stack[0]);
}

double Expression::Evaluate(const VariableValues& values) const {
  const double value = Run(Bind(values, /*fix_time=*/true), 0).value;
  if (!std::isfinite(value)) {
    throw InputError(
        "expression " + Quote(text_),
        std::string("its value is ") + (std::isnan(value) ? "not a number" : "infinite"),
        "check divisions, roots and logarithms");
  }
  return value;
}

TimeJet Expression::EvaluateJet(double t, const VariableValues& values) const {
  return Run(Bind(values, /*fix_time=*/false), t);
}

TimeFunction MakeTimeFunction(const Expression& expression, const VariableValues& values) {
  if (!expression.uses("t")) return TimeFunction(expression.Evaluate(values));
  auto program = std::make_shared<const Expression::Program>(expression.Bind(values, false));
  return TimeFunction([program](double t) { return Expression::Run(*program, t); },
                      expression.text());
}

}  // namespace saltus
