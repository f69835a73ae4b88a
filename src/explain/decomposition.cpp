#include <cmath>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/explain.h>

#include "evidence/overflow.h"
#include "explain/component_algebra.h"
#include "gp/gaussian_draws.h"

namespace covary {
namespace {

Decomposition::Curve in_target_unit(ComponentAlgebra::Spread spread, const Dataset& data,
                                    const InputColumns& points) {
  for (std::size_t i = 0; i < spread.mean.size(); ++i) {
    if (!std::isfinite(spread.mean[i]) || !std::isfinite(spread.sd[i])) {
      throw_overflow(data, points, i);
    }
  }
  for (auto* values : {&spread.mean, &spread.sd, &spread.prior_sd}) {
    for (double& value : *values) value *= data.target_scaling().factor;
  }
  return {std::move(spread.mean), std::move(spread.sd), std::move(spread.prior_sd)};
}

}  // namespace

Decomposition::Decomposition(const FittedModel& model)
    : algebra_(std::make_shared<const ComponentAlgebra>(model)) {}

std::size_t Decomposition::size() const { return algebra_->size(); }
bool Decomposition::is_expanded() const { return algebra_->is_expanded(); }
const FittedModel& Decomposition::model() const { return algebra_->model(); }

std::string Decomposition::kernel_text(std::size_t component) const {
  return algebra_->kernel_text(component);
}

std::vector<std::size_t> Decomposition::inputs(std::size_t component) const {
  return algebra_->columns(component);
}

double Decomposition::offset() const {
  return model().data().target_scaling().to_transformed(algebra_->offset());
}

Decomposition::Curve Decomposition::curve(std::size_t component,
                                          const std::vector<std::vector<double>>& inputs) const {
  const std::vector<std::vector<double>> points = scaled_inputs(model().data(), inputs);
  return in_target_unit(algebra_->spread(component, spans_of(points)), model().data(),
                        spans_of(points));
}

Decomposition::Curve Decomposition::curve_at_rows(std::size_t component,
                                                  const Dataset& rows) const {
  if (!rows.has_input_scalings_of(model().data())) {
    throw Error(ErrorKind::bad_data, "the rows are scaled otherwise than those of the model");
  }
  InputColumns points;
  for (std::size_t i = 0; i < rows.num_inputs(); ++i) points.push_back(rows.input(i));
  return in_target_unit(algebra_->spread(component, points), model().data(), points);
}

std::vector<std::vector<double>> Decomposition::sample(
    std::size_t component, const std::vector<std::vector<double>>& inputs, std::size_t num_samples,
    Random& random) const {
  const std::vector<std::vector<double>> points = scaled_inputs(model().data(), inputs);
  const ComponentAlgebra::Joint joint = algebra_->joint(component, spans_of(points));
  const Matrix draws = sample_gaussian(joint.mean, joint.posterior, num_samples, random);
  const double unit = model().data().target_scaling().factor;
  std::vector<std::vector<double>> samples;
  for (std::size_t s = 0; s < num_samples; ++s) {
    samples.emplace_back(draws.column(s), draws.column(s) + joint.mean.size());
    for (double& value : samples.back()) value *= unit;
  }
  return samples;
}

}  // namespace covary
