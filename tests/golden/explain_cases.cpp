#include "explain_cases.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "explain/component_algebra.h"
#include "explain/phrase.h"
#include "explain/shape.h"
#include "table/iso_date.h"

namespace covary {
namespace {

double target_at(const std::string& data, double t) {
  if (data == "rising") return t;
  if (data == "falling") return -t;
  if (data == "hump") return t * (1.0 - t);
  if (data == "wave") return std::sin(20.0 * std::numbers::pi * t);
  if (data == "growing_wave") return (0.1 + t) * std::sin(20.0 * std::numbers::pi * t);
  if (data == "fading_wave") return (1.1 - t) * std::sin(20.0 * std::numbers::pi * t);
  throw std::runtime_error("unknown data '" + data + "'");
}

double default_of(const std::string& name) {
  if (name == "SE.lengthscale" || name == "RQ.lengthscale") return 0.2;
  if (name.starts_with("MAT") && name.ends_with(".lengthscale")) return 0.2;
  if (name == "PER.period") return 0.1;
  if (name == "CP.location") return 0.5;
  if (name == "CP.width") return 0.005;
  if (name == "noise.noise_variance") return 0.01;
  return 1.0;
}

}  // namespace

bool ExplainCases::set_context(const std::string& word, const std::string& rest) {
  std::istringstream stream(rest);
  std::string first;
  stream >> first;
  if (word == "rows") {
    num_rows_ = std::stoul(first);
  } else if (word == "data") {
    data_ = first;
  } else if (word == "range") {
    std::string high;
    std::string input;
    stream >> high >> input;
    ranges_[input] = {first, high};
  } else if (word == "set") {
    std::vector<double>& values = parameters_[first];
    values.clear();
    for (double value = 0.0; stream >> value;) values.push_back(value);
  } else {
    return false;
  }
  return true;
}

FittedModel ExplainCases::model_of(const std::string& text, const InputNames& inputs) const {
  const Expression kernel = parse_expression(text, inputs);
  std::vector<Scaling> scalings;
  std::vector<std::vector<double>> columns(inputs.size());
  for (std::size_t c = 0; c < inputs.size(); ++c) {
    Scaling scaling{inputs.has_names() ? inputs.name(c) : fmt::format("x{}", c + 1)};
    const auto own = ranges_.find(scaling.name);
    const auto range = own != ranges_.end() ? own : ranges_.find("");
    if (range != ranges_.end()) {
      const auto& [low, high] = range->second;
      const auto date = parse_iso_date(low);
      const double start = date ? date->value : std::stod(low);
      const double end = date ? parse_iso_date(high)->value : std::stod(high);
      if (date) scaling.type = date->has_time ? ColumnType::date_time : ColumnType::date;
      scaling.offset = start;
      scaling.factor = end - start;
    }
    scalings.push_back(scaling);
    // Steps that have no divisor in common with the rows: each input in an order of its own.
    const std::size_t step = c == 0 ? 1 : 7 + 6 * c;
    for (std::size_t i = 0; i < num_rows_; ++i) {
      columns[c].push_back(static_cast<double>(i * step % num_rows_) /
                           static_cast<double>(num_rows_ - 1));
    }
  }
  std::vector<double> target;
  for (const double t : columns[0]) target.push_back(2.0 * target_at(data_, t));
  const Dataset data(columns, target, scalings, Scaling{"y"}, std::string(32, '0'), {});

  std::map<std::string, std::size_t> used;
  std::vector<double> parameters;
  const std::vector<double> ones(kernel.num_parameters() + 1, 1.0);
  for (const ParameterValue& parameter : FittedModel(kernel, ones, data).named_parameters()) {
    const std::string name = parameter.kernel + "." + parameter.name;
    const auto given = parameters_.find(name);
    if (given == parameters_.end() || given->second.empty()) {
      parameters.push_back(default_of(name));
    } else {  // the last one stands for all that follow
      const std::size_t at = std::min(used[name]++, given->second.size() - 1);
      parameters.push_back(given->second[at]);
    }
  }
  return {kernel, parameters, data};
}

std::string ExplainCases::outcome(const std::string& word, const std::string& kernel,
                                  const InputNames& inputs) const {
  const FittedModel model = model_of(kernel, inputs);
  if (word == "cautions") {
    const std::vector<std::string> cautions = explain(model, {.num_draws = 0}).cautions;
    return cautions.empty() ? "none" : fmt::format("{}", fmt::join(cautions, " "));
  }
  if (word == "summary") return explain(model, {.num_draws = 0}).summary;
  const ComponentAlgebra algebra(model);
  std::vector<std::string> titles;
  std::vector<std::string> sentences;
  for (std::size_t c = 0; c < algebra.size(); ++c) {
    const Phrase phrase = describe(algebra, c, component_shape(algebra, c));
    titles.push_back(phrase.title);
    sentences.insert(sentences.end(), phrase.sentences.begin(), phrase.sentences.end());
  }
  if (word == "words") return fmt::format("{}", fmt::join(counted(titles), " ; "));
  return sentences.empty() ? "none" : fmt::format("{}", fmt::join(sentences, " "));
}

}  // namespace covary
