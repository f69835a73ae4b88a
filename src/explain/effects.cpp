// A component's kernel is a product over inputs, k_c = Π_d k_{c,d}, so averages over inputs are
// averages of its factors. With m_{c,d}[i] the mean of k_{c,d}(x_i, ·) over the support (rows that
// stand for the input's distribution) and s_{c,d} the mean of m_{c,d} over it, the covariance of
// training row i with the main effect at g is
//   Σ_c (k_{c,d}(x_i, g) − m_{c,d}[i]) Π_{e ≠ d} m_{c,e}[i],
// and the main effect's own variance
//   Σ_c (k_{c,d}(g, g) − 2 m_{c,d}(g) + s_{c,d}) Π_{e ≠ d} s_{c,e}.
// An interaction has two such centred factors.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <covary/effects.h>
#include <covary/error.h>

#include "explain/component_algebra.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

constexpr std::size_t max_support = 256;
constexpr std::size_t strength_places = 16;  // of each input, to compare interactions

// The factors of one product that act on one input.
struct Part {
  std::size_t column = 0;
  ProductKernel kernel;
  std::vector<double> means;  // m, by training row
  double grand_mean = 0.0;    // s
};
using Term = std::vector<Part>;

// Columns of which only one matters: that one in the place of all.
InputColumns alone(std::span<const double> values, std::size_t num_inputs) {
  InputColumns columns(num_inputs, values);
  return columns;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Means over the columns of a matrix, row by row.
std::vector<double> row_means(const Matrix& matrix) {
  std::vector<double> means(matrix.num_rows(), 0.0);
  for (std::size_t j = 0; j < matrix.num_columns(); ++j) {
    for (std::size_t i = 0; i < means.size(); ++i) means[i] += matrix(i, j);
  }
  for (double& mean : means) mean /= static_cast<double>(matrix.num_columns());
  return means;
}

}  // namespace

struct Effects::State {
  Decomposition decomposition;
  std::vector<std::vector<double>> support;
  std::vector<Term> terms;

  const ComponentAlgebra& algebra() const { return decomposition.algebra(); }
  std::size_t num_inputs() const { return support.size(); }
  double unit() const { return decomposition.model().data().target_scaling().factor; }

  std::vector<double> scaled(std::size_t input, const std::vector<double>& places) const {
    return scaled_input(decomposition.model().data(), input, places);
  }

  // k_{c,d}(x_i, places_j) − m_{c,d}[i].
  Matrix centred(const Part& part, const std::vector<double>& places) const {
    Matrix cross(algebra().num_rows(), places.size());
    part.kernel.cross(algebra().inputs(), alone(places, num_inputs()), cross);
    for (std::size_t j = 0; j < places.size(); ++j) {
      for (std::size_t i = 0; i < part.means.size(); ++i) cross(i, j) -= part.means[i];
    }
    return cross;
  }

  // The product of the means of all parts but those of these columns, row by row.
  std::vector<double> rest(const Term& term, std::size_t first, std::size_t second) const {
    std::vector<double> product(algebra().num_rows(), 1.0);
    for (const Part& part : term) {
      if (part.column == first || part.column == second) continue;
      for (std::size_t i = 0; i < product.size(); ++i) product[i] *= part.means[i];
    }
    return product;
  }

  std::vector<double> interaction(std::size_t first, std::size_t second,
                                  const std::vector<double>& first_places,
                                  const std::vector<double>& second_places) const;
};

namespace {

const Part* part_of(const Term& term, std::size_t column) {
  const auto found = std::find_if(term.begin(), term.end(),
                                  [&](const Part& part) { return part.column == column; });
  return found == term.end() ? nullptr : &*found;
}

Term make_term(const Product& product, const ComponentAlgebra& algebra,
               const std::vector<std::vector<double>>& support) {
  Term term;
  for (std::size_t d = 0; d < support.size(); ++d) {
    Product own;
    for (const Factor& factor : product) {
      if (factor.column() == d) own.push_back(factor);
    }
    if (own.empty()) continue;
    Part part{d, ProductKernel(own), {}, 0.0};
    const InputColumns points = alone(support[d], support.size());
    Matrix cross(algebra.num_rows(), support[d].size());
    part.kernel.cross(algebra.inputs(), points, cross);
    part.means = row_means(cross);
    Matrix gram(support[d].size(), support[d].size());
    part.kernel.gram(points, gram);
    part.grand_mean = mean_of(row_means(gram));
    term.push_back(std::move(part));
  }
  return term;
}

}  // namespace

Effects::Effects(const Decomposition& decomposition) {
  const ComponentAlgebra& algebra = decomposition.algebra();
  if (!algebra.is_expanded()) {
    throw Error(ErrorKind::bad_data,
                fmt::format("the kernel expands to more than {} products, too many for the effects "
                            "of its inputs",
                            max_products));
  }
  State state{decomposition, {}, {}};
  state.support = some_rows(algebra, max_support);
  for (const Product& product : algebra.products()) {
    if (is_noise(product)) continue;  // has no mean, and so no effects
    state.terms.push_back(make_term(product, algebra, state.support));
  }
  state_ = std::make_shared<const State>(std::move(state));
}

Effects::Curve Effects::main_effect(std::size_t input, const std::vector<double>& places) const {
  const ComponentAlgebra& algebra = state_->algebra();
  const std::vector<double> points = state_->scaled(input, places);
  const InputColumns columns = alone(points, state_->num_inputs());
  Matrix cross(algebra.num_rows(), points.size());
  std::fill_n(cross.data(), cross.num_rows() * cross.num_columns(), 0.0);
  std::vector<double> variance(points.size(), 0.0);
  for (const Term& term : state_->terms) {
    const Part* part = part_of(term, input);
    if (part == nullptr) continue;
    const Matrix own = state_->centred(*part, points);
    const std::vector<double> rest = state_->rest(term, input, input);
    for (std::size_t j = 0; j < points.size(); ++j) {
      for (std::size_t i = 0; i < rest.size(); ++i) cross(i, j) += own(i, j) * rest[i];
    }
    double others = 1.0;
    for (const Part& other : term) others *= other.column == input ? 1.0 : other.grand_mean;
    const std::vector<double>& support = state_->support[input];
    Matrix to_support(points.size(), support.size());
    part->kernel.cross(columns, alone(support, state_->num_inputs()), to_support);
    const std::vector<double> means = row_means(to_support);
    std::vector<double> diagonal(points.size());
    part->kernel.diagonal(columns, diagonal);
    for (std::size_t j = 0; j < points.size(); ++j) {
      variance[j] += others * (diagonal[j] - 2.0 * means[j] + part->grand_mean);
    }
  }
  Curve curve;
  curve.mean = algebra.posterior().mean(cross);
  curve.sd = algebra.posterior().variance(cross, variance);
  for (double& mean : curve.mean) mean *= state_->unit();
  for (double& sd : curve.sd) sd = state_->unit() * std::sqrt(sd);
  return curve;
}

std::vector<double> Effects::State::interaction(std::size_t first, std::size_t second,
                                                const std::vector<double>& first_places,
                                                const std::vector<double>& second_places) const {
  const std::span<const double> alpha = algebra().posterior().alpha();
  std::vector<double> values(first_places.size() * second_places.size(), 0.0);
  for (const Term& term : terms) {
    const Part* a = part_of(term, first);
    const Part* b = part_of(term, second);
    if (a == nullptr || b == nullptr) continue;
    Matrix own_a = centred(*a, first_places);
    const Matrix own_b = centred(*b, second_places);
    const std::vector<double> others = rest(term, first, second);
    for (std::size_t i = 0; i < first_places.size(); ++i) {
      double* weighted = own_a.column(i);
      for (std::size_t k = 0; k < others.size(); ++k) weighted[k] *= alpha[k] * others[k];
      for (std::size_t j = 0; j < second_places.size(); ++j) {
        values[i * second_places.size() + j] +=
            dot({weighted, others.size()}, {own_b.column(j), others.size()});
      }
    }
  }
  for (double& value : values) value *= unit();
  return values;
}

Effects::Surface Effects::surface(std::size_t first, std::size_t second,
                                  const std::vector<double>& first_places,
                                  const std::vector<double>& second_places) const {
  Surface surface;
  surface.interaction = state_->interaction(first, second, state_->scaled(first, first_places),
                                            state_->scaled(second, second_places));
  const std::vector<double> a = main_effect(first, first_places).mean;
  const std::vector<double> b = main_effect(second, second_places).mean;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      surface.together.push_back(a[i] + b[j] + surface.interaction[i * b.size() + j]);
    }
  }
  return surface;
}

std::vector<Effects::Interaction> Effects::interactions() const {
  // Quantiles of each input, so that every place stands for as many rows.
  std::vector<std::vector<double>> places;
  for (std::vector<double> support : state_->support) {
    std::sort(support.begin(), support.end());
    places.emplace_back();
    for (std::size_t i = 0; i < strength_places; ++i) {
      places.back().push_back(support[(2 * i + 1) * support.size() / (2 * strength_places)]);
    }
  }
  std::vector<Interaction> found;
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = a + 1; b < places.size(); ++b) {
      const bool is_joined =
          std::any_of(state_->terms.begin(), state_->terms.end(), [&](const Term& term) {
            return part_of(term, a) != nullptr && part_of(term, b) != nullptr;
          });
      if (!is_joined) continue;
      const std::vector<double> values = state_->interaction(a, b, places[a], places[b]);
      const double square = dot(values, values);
      found.push_back({a, b, std::sqrt(square / static_cast<double>(values.size()))});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Interaction& a, const Interaction& b) { return a.sd > b.sd; });
  return found;
}

}  // namespace covary
