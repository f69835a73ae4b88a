#include "inference/state_space/moving_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace covary {
namespace {

// to := to + factor * from
void add_multiple(double factor, const double* from, double* to, std::size_t size) {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) to[i] += factor * from[i];
}

void transpose(Matrix& matrix) {
  for (std::size_t j = 0; j < matrix.num_columns(); ++j) {
    for (std::size_t i = j + 1; i < matrix.num_rows(); ++i) std::swap(matrix(i, j), matrix(j, i));
  }
}

}  // namespace

MovingState::MovingState(std::span<const WaveTerm> terms, double origin, std::size_t num_columns)
    : origin_(origin) {
  std::size_t size = 0;
  for (const WaveTerm& term : terms) {
    if (term.factors.empty()) continue;
    terms_.push_back({MarkovProcess(term.factors), term.waves, term.num_functions(), size});
    for (std::size_t f = 0; f < terms_.back().num_functions; ++f) {
      seen_.push_back(size);
      size += terms_.back().process.size();
    }
  }
  covariance_ = Matrix(size, size);
  std::fill_n(covariance_.data(), size * size, 0.0);
  means_ = Matrix(num_columns, size);
  std::fill_n(means_.data(), num_columns * size, 0.0);
  amplitudes_.resize(seen_.size());
  gain_.resize(size);
}

// X := X A', A being `transition` for each function of the term.
void MovingState::combine(Matrix& matrix, const std::vector<double>& transition, const Term& term) {
  const std::size_t rows = matrix.num_rows();
  const std::size_t m = term.process.size();
  combined_.resize(m * rows);
  for (std::size_t f = 0; f < term.num_functions; ++f) {
    double* columns = matrix.column(term.first + f * m);
    std::fill(combined_.begin(), combined_.end(), 0.0);
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t j = 0; j < m; ++j) {
        add_multiple(transition[k * m + j], columns + k * rows, combined_.data() + j * rows, rows);
      }
    }
    std::copy(combined_.begin(), combined_.end(), columns);
  }
}

void MovingState::move(double to) {
  const auto add = [&](const Term& term, const std::vector<double>& added) {
    const std::size_t m = term.process.size();
    for (std::size_t f = 0; f < term.num_functions; ++f) {
      const std::size_t first = term.first + f * m;
      for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t i = 0; i < m; ++i) covariance_(first + i, first + j) += added[j * m + i];
      }
    }
  };
  if (!has_place_) {
    for (const Term& term : terms_) add(term, term.process.prior(to));
  } else if (to > place_) {
    std::vector<MarkovProcess::Step> steps;
    for (const Term& term : terms_) steps.push_back(term.process.step(place_, to));
    // A P A' = (A (P A'))', P being symmetric.
    for (int side = 0; side < 2; ++side) {
      for (std::size_t t = 0; t < terms_.size(); ++t) {
        combine(covariance_, steps[t].transition, terms_[t]);
      }
      transpose(covariance_);
    }
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      combine(means_, steps[t].transition, terms_[t]);
      add(terms_[t], steps[t].added);
    }
  }
  has_place_ = true;
  place_ = to;
}

double MovingState::take(double x, double noise, std::span<double> columns) {
  move(x);
  double* amplitude = amplitudes_.data();
  for (const Term& term : terms_) {
    wave_functions(term.waves, x, origin_, amplitude);
    amplitude += term.num_functions;
  }
  std::fill(gain_.begin(), gain_.end(), 0.0);
  double variance = noise;
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    add_multiple(amplitudes_[k], covariance_.column(seen_[k]), gain_.data(), size());
    add_multiple(-amplitudes_[k], means_.column(seen_[k]), columns.data(), columns.size());
  }
  for (std::size_t k = 0; k < seen_.size(); ++k) variance += amplitudes_[k] * gain_[seen_[k]];
  for (std::size_t j = 0; j < size(); ++j) {
    const double share = gain_[j] / variance;
    add_multiple(-share, gain_.data(), covariance_.column(j), size());
    add_multiple(share, columns.data(), means_.column(j), columns.size());
  }
  const double scale = 1.0 / std::sqrt(variance);
  for (double& value : columns) value *= scale;
  return variance;
}

}  // namespace covary
