#include "process.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <covary/evidence.h>
#include <covary/grammar.h>

#include "covariance/compiled_kernel.h"
#include "evidence/prior_scales.h"
#include "gp/gaussian_draws.h"
#include "grammar/structure_prior.h"
#include "search/first_sentences.h"

namespace covary::calibration {
namespace {

using Numbers = std::vector<double>;

constexpr double reach_ahead = 0.25;
constexpr double first_year = 2000.0;
constexpr double months_of_a_year = 12.0;

std::size_t drawn_index(const Numbers& log_probability, Random& random) {
  double rest = random.uniform();
  for (std::size_t k = 0; k + 1 < log_probability.size(); ++k) {
    rest -= std::exp(log_probability[k]);
    if (rest < 0.0) return k;
  }
  return log_probability.size() - 1;
}

}  // namespace

Dataset rows_at(const Setting& setting, Numbers places, Numbers target) {
  Scaling input = {.name = "x"};
  if (setting.is_monthly) {
    input.offset = first_year;
    input.factor = static_cast<double>(setting.num_rows - 1) / months_of_a_year;
    input.days_a_unit = days_of_a_year;
  }
  return {{std::move(places)}, std::move(target), {input}, {.name = "y"}, "", {}};
}

Numbers training_places(const Setting& setting) {
  Numbers places(setting.num_rows);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<double>(i) / static_cast<double>(setting.num_rows - 1);
  }
  return places;
}

Candidates candidates_of(const Setting& setting) {
  const Dataset rows = rows_at(setting, training_places(setting), Numbers(setting.num_rows, 0.0));
  const SearchSpace space = make_search_space(
      {.space = setting.space, .operators = setting.operators, .max_leaves = setting.max_leaves},
      inputs_of(rows));
  FirstSentences first = first_sentences(space);
  const StructurePrior prior(space, std::move(first.usual), std::move(first.rare));
  Candidates candidates;
  std::vector<std::string> families;
  // Trees of n leaves are no deeper than n - 1.
  for (const Expression& kernel : kernel_space(space, setting.max_leaves - 1)) {
    if (shortest_form(kernel).num_leaves() < kernel.num_leaves()) continue;
    const std::string family = family_key(kernel);
    if (std::find(families.begin(), families.end(), family) != families.end()) continue;
    families.push_back(family);
    candidates.kernels.push_back(kernel);
    candidates.log_probability.push_back(prior.log_probability(kernel));
  }
  double sum = 0.0;
  for (const double value : candidates.log_probability) sum += std::exp(value);
  for (double& value : candidates.log_probability) value -= std::log(sum);
  return candidates;
}

Numbers draw_parameters(const ParameterSpace& space, Random& random) {
  constexpr double half_a_step = 0x1p-54;  // so that no probability is 0
  Numbers values(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    do {
      values[i] = quantile(space[i].parameter.prior, random.uniform() + half_a_step);
    } while (space[i].parameter.prior.is_positive() && !(values[i] > space[i].lower_bound));
  }
  return values;
}

Truth draw_truth(const Setting& setting, const Candidates& candidates, Random& random) {
  Numbers places = training_places(setting);
  for (std::size_t i = 0; i < setting.num_inside; ++i) places.push_back(random.uniform());
  for (std::size_t i = 0; i < setting.num_ahead; ++i) {
    places.push_back(1.0 + reach_ahead * (1.0 - random.uniform()));
  }
  const std::size_t total = places.size();
  const Dataset seen = rows_at(setting, training_places(setting), Numbers(setting.num_rows, 0.0));
  const std::size_t index = drawn_index(candidates.log_probability, random);
  const Expression kernel = bound_to(seen, candidates.kernels[index]);
  const ParameterSpace space(kernel, prior_scales(seen, Priors::informed));
  Numbers parameters = draw_parameters(space, random);

  Matrix covariance(total, total);
  CompiledKernel(kernel).gram(parameters, {places}, covariance);
  const Matrix drawn = sample_gaussian(Numbers(total, 0.0), covariance, 1, random);
  Numbers target(total);
  for (std::size_t i = 0; i < total; ++i) {
    target[i] = drawn(i, 0) + std::sqrt(parameters.back()) * random.normal();
  }
  const Dataset all = rows_at(setting, std::move(places), std::move(target));
  std::vector<std::size_t> order(total);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::span<const std::size_t> rows = order;
  return {index, std::move(parameters), all.rows(rows.first(setting.num_rows)),
          all.rows(rows.subspan(setting.num_rows))};
}

}  // namespace covary::calibration
