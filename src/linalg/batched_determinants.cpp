#include "linalg/batched_determinants.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace covary {
namespace {

constexpr std::size_t lanes = SymmetricBatch::lanes;

// One number of each matrix, for the compiler's vector arithmetic: one register or several, as the
// machine has them.
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

// As a template argument the bare type would lose its alignment.
struct alignas(sizeof(Lanes)) Slot {
  Lanes lanes;
};

// Room for one block: L below the diagonal, the inverse of D on it; and the current row of L D.
struct Room {
  explicit Room(std::size_t order) : factor(order * (order + 1) / 2), row(order) {}
  std::vector<Slot> factor;
  std::vector<Slot> row;
};

// log |A| of the matrices of one block by L D L'; with b, of (A + B) / 2.
[[gnu::always_inline]] inline void block_log_determinants(const double* a, const double* b,
                                                          std::size_t order, Room& room,
                                                          double* out) {
  constexpr std::size_t pivots_per_logarithm = 8;  // their product stays in the range of double
  // By reference: registers of that width are not how every machine hands back a value.
  const auto take = [&](std::size_t index, Lanes & value) __attribute__((always_inline)) {
    std::memcpy(&value, a + index * lanes, sizeof(value));
    if (b == nullptr) return;
    Lanes other;
    std::memcpy(&other, b + index * lanes, sizeof(other));
    value = 0.5 * (value + other);
  };
  Slot* const row = room.row.data();
  Slot* current = room.factor.data();
  Lanes product = {};
  product += 1.0;
  std::fill_n(out, lanes, 0.0);
  std::size_t index = 0;
  for (std::size_t i = 0; i < order; ++i) {
    const Slot* above = room.factor.data();
    for (std::size_t j = 0; j < i; ++j) {
      Lanes sum;
      take(index++, sum);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k].lanes * above[k].lanes;
      row[j].lanes = sum;
      current[j].lanes = sum * above[j].lanes;
      above += j + 1;
    }
    Lanes pivot;
    take(index++, pivot);
    for (std::size_t k = 0; k < i; ++k) pivot -= row[k].lanes * current[k].lanes;
    for (std::size_t l = 0; l < lanes; ++l) {
      pivot[l] = pivot[l] > SymmetricBatch::least_pivot ? pivot[l] : SymmetricBatch::least_pivot;
    }
    current[i].lanes = 1.0 / pivot;
    current += i + 1;
    product *= pivot;
    if ((i + 1) % pivots_per_logarithm == 0 || i + 1 == order) {
      for (std::size_t l = 0; l < lanes; ++l) out[l] += std::log(product[l]);
      product = product * 0.0 + 1.0;
    }
  }
}

using BlockFunction = void (*)(const double*, const double*, std::size_t, Room&, double*);

COVARY_BASELINE void block_baseline(const double* a, const double* b, std::size_t order, Room& room,
                                    double* out) {
  block_log_determinants(a, b, order, room, out);
}

COVARY_WIDE void block_wide(const double* a, const double* b, std::size_t order, Room& room,
                            double* out) {
  block_log_determinants(a, b, order, room, out);
}

COVARY_WIDEST void block_widest(const double* a, const double* b, std::size_t order, Room& room,
                                double* out) {
  block_log_determinants(a, b, order, room, out);
}

constexpr Variants<BlockFunction> block_functions = {block_baseline, block_wide, block_widest};

}  // namespace

SymmetricBatch::SymmetricBatch(std::size_t order, std::size_t count)
    : order_(order), count_(count), values_(num_blocks() * block_size(), 0.0) {
  for (std::size_t matrix = count; matrix < num_blocks() * lanes; ++matrix) {
    for (std::size_t i = 0; i < order; ++i) (*this)(matrix, i, i) = 1.0;
  }
}

std::vector<double> SymmetricBatch::log_determinants(const SymmetricBatch* other,
                                                     VectorWidth width) const {
  const BlockFunction block_function = block_functions.of(width);
  std::vector<double> result(num_blocks() * lanes);
  Room room(order_);
  for (std::size_t block = 0; block < num_blocks(); ++block) {
    const std::size_t first = block * block_size();
    block_function(values_.data() + first,
                   other != nullptr ? other->values_.data() + first : nullptr, order_, room,
                   result.data() + block * lanes);
  }
  result.resize(count_);
  return result;
}

}  // namespace covary
