#include "explain/component_algebra.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "evidence/memory.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

constexpr std::size_t points_at_a_time = 512;  // bounds memory, not the result

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Kernels whose centred Gram matrices on some rows have a cosine above this are one to the data.
constexpr double same_direction = 0.999;
constexpr std::size_t rows_to_compare = 64;

void add(const Matrix& from, Matrix& to) {
  const std::size_t size = to.num_rows() * to.num_columns();
  for (std::size_t i = 0; i < size; ++i) to.data()[i] += from.data()[i];
}

Matrix centred_gram(const ProductKernel& kernel, const InputColumns& points) {
  const std::size_t n = points[0].size();
  Matrix gram(n, n);
  kernel.gram(points, gram);
  std::vector<double> means;
  for (std::size_t j = 0; j < n; ++j) means.push_back(mean_of({gram.column(j), n}));
  const double mean = mean_of(means);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) gram(i, j) += mean - means[i] - means[j];
  }
  return gram;
}

double cosine(const Matrix& a, const Matrix& b) {
  const std::span<const double> x(a.data(), a.num_rows() * a.num_columns());
  const std::span<const double> y(b.data(), x.size());
  const double squares = dot(x, x) * dot(y, y);
  return squares > 0.0 ? dot(x, y) / std::sqrt(squares) : 0.0;
}

void collect_columns(const Expression& expression, std::vector<std::size_t>& columns) {
  if (expression.is_leaf()) {
    const BoundKernel& leaf = expression.base_kernel();
    if (leaf.kernel->uses_input) columns.push_back(leaf.column);
    return;
  }
  if (expression.op().op->algebra == Algebra::none) columns.push_back(expression.op().column);
  collect_columns(expression.left(), columns);
  collect_columns(expression.right(), columns);
}

std::span<const double> kernel_parameters(const FittedModel& model) {
  return {model.parameters().data(), model.parameters().size() - 1};
}

}  // namespace

InputColumns slice(const InputColumns& columns, std::size_t first, std::size_t size) {
  InputColumns part;
  for (const std::span<const double>& column : columns) part.push_back(column.subspan(first, size));
  return part;
}

InputColumns spans_of(const std::vector<std::vector<double>>& columns) {
  return {columns.begin(), columns.end()};
}

ComponentAlgebra::ComponentAlgebra(const FittedModel& model)
    : model_(model),
      form_(normal_form(model.kernel(), kernel_parameters(model))),
      compiled_(model.kernel()) {
  const Dataset& data = model_.data();
  for (std::size_t i = 0; i < data.num_inputs(); ++i) inputs_.push_back(data.input(i));
  for (const Product& product : products()) kernels_.emplace_back(product);
  for (const Summand& summand : form_.unexpanded) {
    kernels_.emplace_back(summand.expression,
                          kernel_parameters(model).subspan(summand.first_parameter,
                                                           summand.expression.num_parameters()));
  }

  const std::span<const double> alpha = posterior().alpha();
  offset_ = constant_variance() * std::accumulate(alpha.begin(), alpha.end(), 0.0);
  group_products();
  for (std::size_t c = 0; c < size(); ++c) {
    AtRows own = at_rows(c);
    const double constant = mean_of(own.means);
    for (double& value : own.means) value -= constant;
    constants_.push_back(constant);
    offset_ += constant;
    grand_means_.push_back(mean_of(own.kernel_means));
    kernel_means_.push_back(std::move(own.kernel_means));
    means_at_rows_.push_back(std::move(own.means));
  }
}

// What a part is at the rows is what others with the same inputs would have of it.
ComponentAlgebra::AtRows ComponentAlgebra::at_rows(std::size_t c) const {
  const std::size_t n = num_rows();
  AtRows result;
  const auto add_columns = [&](const Matrix& columns) {
    for (std::size_t j = 0; j < columns.num_columns(); ++j) {
      result.kernel_means.push_back(mean_of({columns.column(j), n}));
    }
    const std::vector<double> means = posterior().mean(columns);
    result.means.insert(result.means.end(), means.begin(), means.end());
  };
  if (n <= most_explained_rows) {
    Matrix matrix(n, n);
    gram(c, matrix);
    const std::vector<double> white = noise(c, inputs_);
    for (std::size_t i = 0; i < n; ++i) matrix(i, i) -= white[i];
    add_columns(matrix);
    return result;
  }
  for (std::size_t first = 0; first < n; first += points_at_a_time) {
    const InputColumns points = slice(inputs_, first, std::min(points_at_a_time, n - first));
    Matrix columns(n, points[0].size());
    cross(c, points, columns);
    add_columns(columns);
  }
  return result;
}

// Products with the same text, and with centred Gram matrices that point the same way.
void ComponentAlgebra::group_products() {
  const InputNames names = inputs_of(model_.data());
  const std::size_t n = std::min(num_rows(), rows_to_compare);
  std::vector<std::vector<double>> rows;
  for (const std::span<const double>& column : inputs_) {
    rows.emplace_back();
    for (std::size_t i = 0; i < n; ++i) rows.back().push_back(column[i * num_rows() / n]);
  }
  const InputColumns points = spans_of(rows);
  std::map<std::string, std::vector<std::size_t>> groups_of_text;
  for (std::size_t p = 0; p < products().size(); ++p) {
    auto& alike = groups_of_text[to_string(products()[p], names)];
    const Matrix own = centred_gram(kernels_[p], points);
    const auto same = std::find_if(alike.begin(), alike.end(), [&](std::size_t group) {
      return cosine(own, centred_gram(kernels_[groups_[group].front()], points)) > same_direction;
    });
    if (same != alike.end()) {
      groups_[*same].push_back(p);
    } else {
      alike.push_back(groups_.size());
      groups_.push_back({p});
    }
  }
  for (std::size_t k = products().size(); k < kernels_.size(); ++k) groups_.push_back({k});
}

const Product* ComponentAlgebra::product(std::size_t c) const {
  const std::size_t first = groups_[c].front();
  return first < products().size() ? &products()[first] : nullptr;
}

const Summand* ComponentAlgebra::unexpanded(std::size_t c) const {
  const std::size_t first = groups_[c].front();
  return first < products().size() ? nullptr : &form_.unexpanded[first - products().size()];
}

bool ComponentAlgebra::is_noise(std::size_t c) const {
  const Product* own = product(c);
  return own != nullptr && covary::is_noise(*own);
}

bool ComponentAlgebra::is_constant(std::size_t c) const {
  const Product* own = product(c);
  return own != nullptr && std::all_of(own->begin(), own->end(), [](const Factor& factor) {
           return factor.is_base_kernel() && covary::is_constant(*factor.kernel.kernel);
         });
}

std::vector<std::size_t> ComponentAlgebra::columns(std::size_t c) const {
  std::vector<std::size_t> columns;
  if (const Product* own = product(c)) {
    // Kernels that use no input stand on that of the others, or, by themselves, on the first.
    for (const Factor& factor : *own) columns.push_back(factor.column());
  } else {
    collect_columns(unexpanded(c)->expression, columns);
    if (columns.empty()) columns.push_back(0);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

std::string ComponentAlgebra::kernel_text(std::size_t c) const {
  const InputNames names = inputs_of(model_.data());
  if (const Summand* summand = unexpanded(c)) return to_string(summand->expression, names);
  const std::string text = to_string(*product(c), names);
  return num_products(c) == 1 ? text : fmt::format("{}*{}", num_products(c), text);
}

void ComponentAlgebra::gram(std::size_t c, Matrix& out) const {
  kernels_[groups_[c].front()].gram(inputs_, out);
  const std::size_t n = num_rows();
  for (std::size_t k = 1; k < groups_[c].size(); ++k) {
    for (std::size_t first = 0; first < n; first += points_at_a_time) {
      const std::size_t size = std::min(points_at_a_time, n - first);
      Matrix next(n, size);
      kernels_[groups_[c][k]].cross(inputs_, slice(inputs_, first, size), next);
      for (std::size_t i = 0; i < n * size; ++i) out.column(first)[i] += next.data()[i];
    }
    const std::vector<double> white = kernels_[groups_[c][k]].noise(inputs_);
    for (std::size_t i = 0; i < n; ++i) out(i, i) += white[i];
  }
}

void ComponentAlgebra::cross(std::size_t c, const InputColumns& points, Matrix& out) const {
  kernels_[groups_[c].front()].cross(inputs_, points, out);
  for (std::size_t k = 1; k < groups_[c].size(); ++k) {
    Matrix next(out.num_rows(), out.num_columns());
    kernels_[groups_[c][k]].cross(inputs_, points, next);
    add(next, out);
  }
}

double ComponentAlgebra::constant_variance() const {
  return model_.mean_function() == MeanFunction::constant ? constant_mean_variance : 0.0;
}

void ComponentAlgebra::subtract_from_covariance(Matrix& matrix) const {
  const std::size_t n = num_rows();
  const std::vector<double> white = compiled_.noise(kernel_parameters(model_), inputs_);
  for (std::size_t first = 0; first < n; first += points_at_a_time) {
    const std::size_t size = std::min(points_at_a_time, n - first);
    Matrix whole(n - first, size);
    compiled_.cross(kernel_parameters(model_), slice(inputs_, first, n - first),
                    slice(inputs_, first, size), whole);
    for (std::size_t j = 0; j < size; ++j) {
      whole(j, j) += white[first + j] + model_.noise_variance();
      for (std::size_t i = j; i < n - first; ++i) {
        double& element = matrix(first + i, first + j);
        element = whole(i, j) + constant_variance() - element;
      }
    }
  }
}

std::vector<double> ComponentAlgebra::diagonal(std::size_t c, const InputColumns& points) const {
  std::vector<double> sum(points[0].size(), 0.0);
  std::vector<double> own(sum.size());
  for (const std::size_t p : groups_[c]) {
    kernels_[p].diagonal(points, own);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += own[j];
  }
  return sum;
}

std::vector<double> ComponentAlgebra::noise(std::size_t c, const InputColumns& points) const {
  std::vector<double> sum(points[0].size(), 0.0);
  for (const std::size_t p : groups_[c]) {
    const std::vector<double> own = kernels_[p].noise(points);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += own[j];
  }
  return sum;
}

ComponentAlgebra::Centred ComponentAlgebra::centred_cross(std::size_t c,
                                                          const InputColumns& points) const {
  const std::size_t size = points[0].size();
  Centred result;
  result.cross = Matrix(num_rows(), size);
  result.row_means.resize(size);
  cross(c, points, result.cross);
  for (std::size_t j = 0; j < size; ++j) {
    double* column = result.cross.column(j);
    result.row_means[j] = mean_of({column, num_rows()});
    for (std::size_t i = 0; i < num_rows(); ++i) column[i] -= kernel_means_[c][i];
  }
  return result;
}

ComponentAlgebra::Spread ComponentAlgebra::spread(std::size_t c, const InputColumns& points) const {
  Spread spread;
  const std::size_t num_points = points[0].size();
  for (std::size_t first = 0; first < num_points; first += points_at_a_time) {
    const std::size_t size = std::min(points_at_a_time, num_points - first);
    const InputColumns part = slice(points, first, size);
    Centred centred = centred_cross(c, part);
    std::vector<double> prior = diagonal(c, part);
    for (std::size_t j = 0; j < size; ++j) {
      prior[j] = std::max(prior[j] - 2.0 * centred.row_means[j] + grand_means_[c], 0.0);
    }
    const std::vector<double> mean = posterior().mean(centred.cross);
    const std::vector<double> variance = posterior().variance(centred.cross, prior);
    for (std::size_t j = 0; j < size; ++j) {
      spread.mean.push_back(mean[j]);
      spread.sd.push_back(std::sqrt(variance[j]));
      spread.prior_sd.push_back(std::sqrt(prior[j]));
    }
  }
  return spread;
}

ComponentAlgebra::Doubt ComponentAlgebra::doubt(std::size_t c, const InputColumns& points) const {
  const std::size_t size = points[0].size();
  Matrix matrix(num_rows(), size);
  cross(c, points, matrix);
  std::vector<double> prior = diagonal(c, points);
  for (std::size_t j = 0; j < size; ++j) {
    const double r = mean_of({matrix.column(j), num_rows()});
    const double part = grand_means_[c] > 0.0 ? r / grand_means_[c] : 0.0;
    for (std::size_t i = 0; i < num_rows(); ++i) matrix(i, j) -= part * kernel_means_[c][i];
    prior[j] = std::max(prior[j] - part * r, 0.0);
  }
  Doubt doubt;
  for (const double variance : posterior().variance(matrix, prior)) {
    doubt.sd.push_back(std::sqrt(variance));
  }
  for (const double variance : prior) doubt.prior_sd.push_back(std::sqrt(variance));
  return doubt;
}

ComponentAlgebra::Joint ComponentAlgebra::joint(std::size_t c, const InputColumns& points) const {
  const std::size_t size = points[0].size();
  Centred centred = centred_cross(c, points);
  Joint joint;
  joint.mean = posterior().mean(centred.cross);
  joint.prior = Matrix(size, size);
  std::fill_n(joint.prior.data(), size * size, 0.0);
  Matrix own(size, size);
  for (const std::size_t p : groups_[c]) {
    kernels_[p].gram(points, own);
    add(own, joint.prior);
  }
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = 0; i < size; ++i) {
      joint.prior(i, j) += grand_means_[c] - centred.row_means[i] - centred.row_means[j];
    }
    joint.prior(j, j) = std::max(joint.prior(j, j), 0.0);
  }
  joint.posterior = Matrix::copy_of(joint.prior);
  posterior().covariance(centred.cross, joint.posterior);
  return joint;
}

std::vector<double> ComponentAlgebra::total_mean(const InputColumns& points) const {
  std::vector<double> total;
  const std::span<const double> alpha = posterior().alpha();
  const double constant =
      constant_variance() * std::accumulate(alpha.begin(), alpha.end(), 0.0) - offset_;
  const std::size_t num_points = points[0].size();
  for (std::size_t first = 0; first < num_points; first += points_at_a_time) {
    const std::size_t size = std::min(points_at_a_time, num_points - first);
    Matrix cross(num_rows(), size);
    compiled_.cross(kernel_parameters(model_), inputs_, slice(points, first, size), cross);
    for (const double mean : posterior().mean(cross)) total.push_back(mean + constant);
  }
  return total;
}

std::vector<std::vector<double>> some_rows(const ComponentAlgebra& algebra, std::size_t most) {
  const std::size_t n = algebra.num_rows();
  const std::size_t count = std::min(n, most);
  std::vector<std::vector<double>> points;
  for (const std::span<const double>& column : algebra.inputs()) {
    points.emplace_back();
    for (std::size_t i = 0; i < count; ++i) points.back().push_back(column[i * n / count]);
  }
  return points;
}

double variance_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0.0;
  for (const double value : values) square += (value - mean) * (value - mean);
  return square / n;
}

}  // namespace covary
