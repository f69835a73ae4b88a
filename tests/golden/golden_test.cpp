// Runs the cases of one .test file: each line is a word, its arguments, and what must come out.
// tests/golden/README.md lists the words.
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/expression.h>
#include <covary/grammar.h>
#include <covary/settings.h>

#include "explain_cases.h"
#include "expression/normal_form.h"

namespace covary {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// "left  =>  right" split at the marker.
std::pair<std::string, std::string> split_at(const std::string& text, const std::string& marker) {
  const std::size_t at = text.find(" " + marker);
  if (at == std::string::npos) throw Malformed("expected '" + marker + "'");
  return {trimmed(text.substr(0, at)), trimmed(text.substr(at + 1 + marker.size()))};
}

class GoldenFile {
 public:
  // The complaint about one line; empty if it holds.
  std::string run(const std::string& word, const std::string& rest) {
    if (set_context(word, rest)) return "";
    ++num_cases_;
    if (word == "tree" || word == "polynomial" || word == "family") return run_sameness(word, rest);
    const auto [argument, expected] = split_at(rest, "=>");
    const std::string actual = outcome(word, argument);
    return actual == expected ? ""
                              : fmt::format("expected  {}\n    got       {}", expected, actual);
  }

  int num_cases() const { return num_cases_; }

 private:
  bool set_context(const std::string& word, const std::string& rest) {
    if (word == "inputs") {
      const bool is_number = rest.find_first_not_of("0123456789") == std::string::npos;
      inputs_ = is_number ? InputNames::unnamed(std::stoul(rest))
                          : InputNames(settings::split_list(rest));
      return true;
    }
    if (explain_.set_context(word, rest)) return true;
    for (const auto& setting : search_space_settings()) {
      if (setting.name != word) continue;
      setting.set(space_, rest);
      return true;
    }
    return false;
  }

  std::string run_sameness(const std::string& word, const std::string& rest) const {
    const bool should_be_same = rest.find(" == ") != std::string::npos;
    const auto [left, right] = split_at(rest, should_be_same ? "==" : "!=");
    const Expression a = parse_expression(left, inputs_);
    const Expression b = parse_expression(right, inputs_);
    const auto agrees = [&](bool is_same, bool same_keys, bool same_hashes) {
      if (is_same == should_be_same && same_keys == is_same && same_hashes == is_same)
        return std::string();
      return fmt::format("same: {}, same keys: {}, same hashes: {}", is_same, same_keys,
                         same_hashes);
    };
    if (word == "tree") {
      return agrees(same_tree(a, b), tree_key(a) == tree_key(b), a.tree_hash() == b.tree_hash());
    }
    if (word == "family") {
      return agrees(same_family(a, b), family_key(a) == family_key(b),
                    shortest_form(a).tree_hash() == shortest_form(b).tree_hash());
    }
    return agrees(same_polynomial(a, b), polynomial_key(a) == polynomial_key(b),
                  a.polynomial_hash() == b.polynomial_hash());
  }

  std::string outcome(const std::string& word, const std::string& argument) const {
    try {
      if (word == "space_of") return space_text();
      for (const char* about : {"words", "sentences", "cautions", "summary"}) {
        if (word == about) return explain_.outcome(word, argument, inputs_);
      }
      if (word == "space_size") {
        return std::to_string(
            kernel_space(make_search_space(space_, inputs_), std::stoul(argument)).size());
      }
      const Expression kernel = parse_expression(argument, inputs_);
      if (word == "parse") return to_string(kernel, inputs_);
      if (word == "shortest") return to_string(shortest_form(kernel), inputs_);
      if (word == "tree_key") return tree_key(kernel);
      if (word == "polynomial_key") return polynomial_key(kernel);
      if (word == "parameters") return std::to_string(kernel.num_parameters());
      if (word == "normal_form") {
        const std::vector<double> ones(kernel.num_parameters(), 1.0);
        return to_string(sum_of_products(kernel, ones), inputs_);
      }
      const Grammar grammar(make_search_space(space_, inputs_));
      if (word == "count") return std::to_string(grammar.num_neighbours(kernel));
      if (word == "neighbours") return neighbours_text(grammar, kernel);
    } catch (const Error& error) {
      return std::string("error ") + error.what();
    }
    throw Malformed("unknown word '" + word + "'");
  }

  std::string space_text() const {
    const SearchSpace space = make_search_space(space_, inputs_);
    std::vector<std::string> words;
    for (const BoundKernel& kernel : space.base_kernels)
      words.push_back(to_string(kernel, inputs_));
    for (const BoundOperator& op : space.operators) words.push_back(to_string(op, inputs_));
    return fmt::format("{}", fmt::join(words, " "));
  }

  std::string neighbours_text(const Grammar& grammar, const Expression& kernel) const {
    std::vector<std::string> texts;
    for (const Expression& neighbour : grammar.neighbours(kernel)) {
      texts.push_back(to_string(neighbour, inputs_));
    }
    return fmt::format("{}", fmt::join(texts, " ; "));
  }

  InputNames inputs_ = InputNames::unnamed(1);
  SearchSpaceOptions space_;
  ExplainCases explain_;
  int num_cases_ = 0;
};

int run_file(const char* path) {
  std::ifstream file(path);
  if (!file) {
    fmt::print("{}: cannot be read\n", path);
    return 1;
  }
  GoldenFile golden;
  int failed = 0;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
    std::string complaint;
    try {
      complaint = golden.run(line.substr(0, blank), trimmed(line.substr(blank)));
    } catch (const std::exception& error) {
      complaint = error.what();
    }
    if (complaint.empty()) continue;
    ++failed;
    fmt::print("{}:{}: {}\n    {}\n", path, number, line, complaint);
  }
  fmt::print("{} passed, {} failed\n", golden.num_cases() - failed, failed);
  return failed == 0 && golden.num_cases() > 0 ? 0 : 1;
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: golden_tests FILE.test\n");
    return 2;
  }
  return covary::run_file(argv[1]);
}
