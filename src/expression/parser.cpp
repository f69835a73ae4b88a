#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <covary/expression.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "base/utf8.h"
#include "expression/syntax.h"

// expression = operand { infix operand }            + and *, * binding tighter, both to the left
// operand    = "(" expression ")" | kernel | call
// kernel     = NAME [ "_" NUMBER | "(" input ")" ]   SE, SE_2, SE(cement)
// call       = NAME [ "_" NUMBER ] "(" expression "," expression [ "," input ] ")"   CP(SE, LIN)
// input      = bare name | "`" name "`"             a backquote in a name is doubled

namespace covary {
namespace {

constexpr std::size_t max_nesting = 1000;

class Parser {
 public:
  Parser(std::string_view text, const InputNames& inputs) : text_(text), inputs_(inputs) {}

  Expression whole_expression() {
    Expression result = expression(0, 0, "");
    skip_space();
    if (!at_end()) {
      if (peek() == ')') fail("this ')' closes nothing");
      fail(fmt::format("expected an operator such as + or * before '{}'", next_character()));
    }
    return result;
  }

  std::vector<BoundKernel> base_kernel_list() {
    std::vector<BoundKernel> found;
    do {
      const std::size_t start = skip_space();
      const std::string_view name = word();
      const BaseKernel* kernel = find_base_kernel(name);
      if (kernel == nullptr) fail_unknown(start, name, "");
      const std::vector<std::size_t> columns = suitable_inputs(*kernel, start);
      // Kernels of numbers are listed for whatever numbers there are; those of categories, for some
      // that are thought to be there.
      if (columns.empty() && kernel->acts_on == InputKind::category) {
        fail(start, no_input_of(name, kernel->acts_on));
      }
      for (const std::size_t column : columns) found.push_back({kernel, column});
    } while (accept(','));
    expect_end();
    return found;
  }

  std::vector<BoundOperator> operator_list() {
    std::vector<BoundOperator> found;
    do {
      const std::size_t start = skip_space();
      const Operator* op = infix_operator();
      if (op != nullptr) {
        found.push_back({op});
        continue;
      }
      const std::string_view name = word();
      op = find_operator(name);
      if (op == nullptr) fail_unknown_operator(start, name);
      if (!op->acts_on_input) {
        found.push_back({op});
        continue;
      }
      const std::vector<std::size_t> columns = optional_input(name, InputKind::number);
      if (columns.empty()) fail(start, no_input_of(name, InputKind::number));
      for (const std::size_t column : columns) found.push_back({op, column});
    } while (accept(','));
    expect_end();
    return found;
  }

 private:
  // ---- expressions ----

  Expression expression(int least_precedence, std::size_t nesting, const std::string& after) {
    Expression left = operand(nesting, after);
    while (true) {
      const std::size_t before_operator = skip_space();
      const Operator* op = infix_operator();
      if (op == nullptr || precedence(*op) < least_precedence) {
        position_ = before_operator;
        return left;
      }
      const std::string symbol(op->symbol);
      const Expression right = expression(precedence(*op) + 1, nesting, " after '" + symbol + "'");
      left = join(before_operator, {op}, left, right);
    }
  }

  Expression operand(std::size_t nesting, const std::string& after) {
    const std::size_t start = skip_space();
    if (nesting > max_nesting) {
      fail(fmt::format("brackets are nested more than {} deep", max_nesting));
    }
    if (accept('(')) {
      Expression inside = expression(0, nesting + 1, " after '('");
      close_bracket(start);
      return inside;
    }
    if (at_end() || !is_letter(peek())) {
      fail(start, "expected a kernel" + after);
    }
    const std::string_view name = word();
    if (const BaseKernel* kernel = find_base_kernel(name)) {
      const std::vector<std::size_t> columns = suitable_inputs(*kernel, start);
      if (columns.empty()) fail(start, no_input_of(name, kernel->acts_on));
      if (columns.size() > 1) {
        fail(start, fmt::format("{0} needs to know its input, since there are {1}: write {2}", name,
                                columns.size(), example(*kernel, columns.front())));
      }
      return BoundKernel{kernel, columns.front()};
    }
    const Operator* op = find_operator(name);
    if (op == nullptr || op->is_infix) fail_unknown(start, name, after);
    return call(start, *op, nesting);
  }

  Expression call(std::size_t start, const Operator& op, std::size_t nesting) {
    std::optional<std::size_t> column = optional_number();
    const std::size_t bracket = skip_space();
    if (!accept('(')) {
      fail(fmt::format("expected '(' after {0}: write {0}(A, B)", op.symbol));
    }
    const Expression left = expression(0, nesting + 1, fmt::format(" after '{}('", op.symbol));
    if (!accept(',')) {
      skip_space();
      fail(fmt::format("expected ',' and the second kernel of {0}: write {0}(A, B)", op.symbol));
    }
    const Expression right = expression(0, nesting + 1, " after ','");
    if (op.acts_on_input && !column && accept(',')) column = input_by_name();
    close_bracket(bracket);
    if (op.acts_on_input) {
      if (column) check_kind(start, op.symbol, InputKind::number, *column);
      if (!column) column = only_input(start, op);
    }
    return join(start, {&op, column.value_or(0)}, left, right);
  }

  std::size_t only_input(std::size_t start, const Operator& op) const {
    const std::vector<std::size_t> columns = inputs_.columns(InputKind::number);
    if (columns.empty()) fail(start, no_input_of(op.symbol, InputKind::number));
    if (columns.size() > 1) {
      fail(start, fmt::format("{0} needs to know its input, since there are {1}: write {2}",
                              op.symbol, columns.size(),
                              inputs_.has_names() ? fmt::format("{}(A, B, {})", op.symbol,
                                                                inputs_.name(columns.front()))
                                                  : fmt::format("{}_1(A, B)", op.symbol)));
    }
    return columns.front();
  }

  Expression join(std::size_t at, BoundOperator op, const Expression& left,
                  const Expression& right) {
    if (left.num_leaves() + right.num_leaves() > Expression::max_leaves) {
      fail(at, fmt::format("more than {} base kernels", Expression::max_leaves));
    }
    return Expression::join(op, left, right);
  }

  // ---- inputs ----

  // The input that is named after a base kernel, or all that it can act on. One that does not use
  // its input may name one, but is the same on all.
  std::vector<std::size_t> suitable_inputs(const BaseKernel& kernel, std::size_t start) {
    std::vector<std::size_t> columns = optional_input(kernel.name, kernel.acts_on);
    if (!kernel.uses_input) columns.assign(1, 0);
    if (columns.empty()) return columns;
    const std::size_t first = columns.front();
    std::erase_if(columns, [&](std::size_t column) { return !inputs_.suits(kernel, column); });
    if (columns.empty()) {
      fail(start,
           fmt::format("{} needs a calendar, and {} has none: use a column of dates, or one of "
                       "years in even steps such as 1949.25",
                       kernel.name, covary::quoted(inputs_.name(first))));
    }
    return columns;
  }

  // "_2", "(cement)" or nothing, which stands for every input of the kind.
  std::vector<std::size_t> optional_input(std::string_view name, InputKind kind) {
    const std::size_t start = position_;
    std::optional<std::size_t> column = optional_number();
    if (!column) {
      const std::size_t bracket = skip_space();
      if (!accept('(')) return inputs_.columns(kind);
      column = input_by_name();
      close_bracket(bracket);
    }
    check_kind(start, name, kind, *column);
    return {*column};
  }

  void check_kind(std::size_t position, std::string_view name, InputKind kind,
                  std::size_t column) const {
    if (inputs_.may_be(kind, column)) return;
    const std::string input = covary::quoted(inputs_.name(column));
    if (kind == InputKind::number) {
      fail(position, fmt::format("{} acts on numbers, but {} is a category; {} act on those", name,
                                 input, name_list(kernel_names(InputKind::category))));
    }
    fail(position, fmt::format("{} acts on categories, but {} holds numbers; {} act on those, and "
                               "{} makes it a category",
                               name, input, name_list(kernel_names(InputKind::number)),
                               option_text("categories")));
  }

  std::optional<std::size_t> optional_number() {
    if (at_end() || peek() != '_') return std::nullopt;
    const std::size_t start = position_++;
    std::size_t number = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + position_, text_.data() + text_.size(), number);
    position_ = static_cast<std::size_t>(end - text_.data());
    if (error == std::errc::invalid_argument)
      fail(start + 1, "expected the number of an input after '_'");
    if (error == std::errc::result_out_of_range || number < 1 || number > inputs_.size()) {
      fail(start + 1, inputs_.size() == 1
                          ? std::string("there is only one input, number 1")
                          : fmt::format("inputs are numbered from 1 to {}", inputs_.size()));
    }
    return number - 1;
  }

  std::size_t input_by_name() {
    const std::size_t start = skip_space();
    std::string name;
    if (accept('`')) {
      name = quoted_name(start);
    } else {
      while (!at_end() && is_name_byte(peek())) name += text_[position_++];
      const std::size_t end = position_;
      skip_space();
      if (name.empty() || (!at_end() && peek() != ')' && peek() != ',')) {
        if (at_end()) fail("expected the name of an input");
        fail(name.empty() ? start : end,
             "expected the name of an input; put names with blanks or signs into backquotes: "
             "`wind speed`");
      }
    }
    for (std::size_t i = 0; i < inputs_.size() && inputs_.has_names(); ++i) {
      if (inputs_.name(i) == name) return i;
    }
    fail_unknown_input(start, name);
  }

  std::string quoted_name(std::size_t start) {
    std::string name;
    while (!at_end()) {
      const char c = text_[position_++];
      if (c != '`') {
        name += c;
      } else if (!at_end() && peek() == '`') {
        name += '`';
        ++position_;
      } else {
        return name;
      }
    }
    fail(start, "this backquote is never closed");
  }

  // ---- characters ----

  bool at_end() const { return position_ >= text_.size(); }
  char peek() const { return text_[position_]; }

  std::size_t skip_space() {
    while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) {
      ++position_;
    }
    return position_;
  }

  bool accept(char wanted) {
    skip_space();
    if (at_end() || peek() != wanted) return false;
    ++position_;
    return true;
  }

  void close_bracket(std::size_t opened_at) {
    skip_space();
    if (!accept(')')) {
      fail(fmt::format("expected ')' to close the '(' of column {}", column_of(opened_at)));
    }
  }

  void expect_end() {
    skip_space();
    if (!at_end()) fail(fmt::format("expected ',' before '{}'", next_character()));
  }

  std::string_view word() {
    const std::size_t start = position_;
    while (!at_end() && (is_letter(peek()) || is_digit(peek()))) ++position_;
    return text_.substr(start, position_ - start);
  }

  // The infix operator that stands here, which is then behind us; nullptr if there is none.
  const Operator* infix_operator() {
    constexpr std::string_view cross = "×";  // as the paper writes it
    const bool is_cross = text_.substr(position_).starts_with(cross);
    for (const Operator* op : all_operators()) {
      if (!op->is_infix) continue;
      if (is_cross && op->algebra == Algebra::product) {
        position_ += cross.size();
        return op;
      }
      if (text_.substr(position_).starts_with(op->symbol)) {
        position_ += op->symbol.size();
        return op;
      }
    }
    return nullptr;
  }

  // ---- messages ----

  std::string example(const BaseKernel& kernel, std::size_t column) const {
    std::string by_number = fmt::format("{}_{}", kernel.name, column + 1);
    if (!inputs_.has_names()) return by_number;
    return to_string(BoundKernel{&kernel, column}, inputs_) + " or " + by_number;
  }

  static std::string no_input_of(std::string_view name, InputKind kind) {
    return kind == InputKind::number
               ? fmt::format("{} acts on numbers, and no input holds them", name)
               : fmt::format("{} acts on categories, and no input is one; {} makes one", name,
                             option_text("categories"));
  }

  static std::string operator_symbols() {
    std::vector<std::string> symbols;
    for (const Operator* op : all_operators()) symbols.emplace_back(op->symbol);
    return name_list(symbols);
  }

  std::string next_character() const {
    const std::string_view rest = text_.substr(position_);
    return shown(rest.substr(0, first_utf8_character(rest).size));
  }

  [[noreturn]] void fail_unknown(std::size_t start, std::string_view name,
                                 const std::string& after) const {
    if (name.empty()) fail(start, "expected a base kernel" + after);
    std::vector<std::string> known;
    for (const BaseKernel* kernel : all_base_kernels()) known.emplace_back(kernel->name);
    const std::string nearest = nearest_word(name, known);
    fail(start,
         nearest.empty()
             ? fmt::format("unknown base kernel '{}'; known are {}", shown(name), name_list(known))
             : fmt::format("unknown base kernel '{}'; did you mean {}?", shown(name), nearest));
  }

  [[noreturn]] void fail_unknown_operator(std::size_t start, std::string_view name) const {
    if (name.empty() && at_end()) fail(start, "expected an operator");
    fail(start, fmt::format("unknown operator '{}'; known are {}",
                            name.empty() ? next_character() : shown(name), operator_symbols()));
  }

  [[noreturn]] void fail_unknown_input(std::size_t start, const std::string& name) const {
    if (!inputs_.has_names()) {
      fail(start, "inputs have no names here; bind by number, as in SE_1");
    }
    const std::string nearest = nearest_word(name, inputs_.names());
    fail(start, nearest.empty() ? fmt::format("no input is named '{}'; there are {}", shown(name),
                                              name_list(inputs_.names()))
                                : fmt::format("no input is named '{}'; did you mean {}?",
                                              shown(name), nearest));
  }

  // People count characters, not bytes.
  std::size_t column_of(std::size_t position) const {
    std::size_t column = 1;
    for (std::size_t i = 0; i < position && i < text_.size(); ++i) {
      if ((static_cast<unsigned char>(text_[i]) & 0xc0U) != 0x80U) ++column;
    }
    return column;
  }

  [[noreturn]] void fail(std::size_t position, const std::string& message) const {
    throw ParseError(column_of(position), message);
  }
  [[noreturn]] void fail(const std::string& message) const { fail(position_, message); }

  std::string_view text_;
  const InputNames& inputs_;
  std::size_t position_ = 0;
};

}  // namespace

ParseError::ParseError(std::size_t column, const std::string& message)
    : Error(ErrorKind::usage, fmt::format("column {}: {}", column, message)), column_(column) {}

Expression parse_expression(std::string_view text, const InputNames& inputs) {
  return Parser(text, inputs).whole_expression();
}

std::vector<BoundKernel> parse_base_kernels(std::string_view text, const InputNames& inputs) {
  return Parser(text, inputs).base_kernel_list();
}

std::vector<BoundOperator> parse_operators(std::string_view text, const InputNames& inputs) {
  return Parser(text, inputs).operator_list();
}

}  // namespace covary
