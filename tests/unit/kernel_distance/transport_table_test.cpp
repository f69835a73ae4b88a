#include "kernel_distance/transport_table.h"

#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "unit/kernel_distance/slow_distances.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

std::vector<Expression> random_kernels(Random& random, std::size_t count, std::size_t num_inputs) {
  std::vector<Expression> kernels;
  while (kernels.size() < count) {
    kernels.push_back(
        random_expression(random, 1 + random.index(9), num_inputs, all_base_kernels()));
  }
  return kernels;
}

// Compares every distance with the definitions in text.
void expect_slow_distances(const TransportTable& table, const std::vector<Expression>& listed,
                           const std::vector<Expression>& kernels, std::size_t num_inputs) {
  ASSERT_EQ(table.size(), listed.size());
  const std::vector<Matrix> parts = table.distances(kernels);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    for (std::size_t j = 0; j < kernels.size(); ++j) {
      const TransportDistances slow = slow_distances(listed[i], kernels[j], num_inputs);
      const double expected[] = {slow.base, slow.paths, slow.subtrees};
      for (std::size_t p = 0; p < 3; ++p) {
        ASSERT_NEAR(parts[p](i, j), expected[p], 1e-13) << listed[i] << "   " << kernels[j];
        ASSERT_GE(parts[p](i, j), 0.0);
      }
    }
  }
}

TEST(TransportTable, EqualsTheDefinitionsInTextForRandomKernels) {
  Random random(1);
  for (const std::size_t num_inputs : {1U, 3U}) {
    for (int run = 0; run < 5; ++run) {
      const std::vector<Expression> listed = random_kernels(random, 40, num_inputs);
      TransportTable table;
      for (const Expression& kernel : listed) table.add(kernel);
      std::vector<Expression> kernels = random_kernels(random, 30, num_inputs);
      kernels.insert(kernels.end(), listed.begin(), listed.begin() + 5);
      expect_slow_distances(table, listed, kernels, num_inputs);
    }
  }
}

TEST(TransportTable, ForgetsWhatWasAddedLast) {
  Random random(2);
  std::vector<Expression> listed = random_kernels(random, 30, 2);
  const std::vector<Expression> kernels = random_kernels(random, 20, 2);
  TransportTable table;
  for (const Expression& kernel : listed) table.add(kernel);
  table.truncate(50);
  expect_slow_distances(table, listed, kernels, 2);
  table.truncate(10);
  listed.erase(listed.begin() + 10, listed.end());
  expect_slow_distances(table, listed, kernels, 2);
  for (const Expression& kernel : random_kernels(random, 10, 2)) {
    listed.push_back(kernel);
    table.add(kernel);
  }
  expect_slow_distances(table, listed, kernels, 2);
}

TEST(TransportTable, MeasuresKernelsOnInputsThatTheListDoesNotKnow) {
  const InputNames inputs = InputNames::unnamed(40);
  const std::vector<Expression> listed = {parse_expression("SE_1", inputs)};
  TransportTable table;
  table.add(listed[0]);
  expect_slow_distances(table, listed, {parse_expression("SE_40*SE_7 + PER_40", inputs)}, 40);
}

TEST(TransportTable, OfNoKernelsGivesMatricesWithoutRows) {
  const TransportTable table;
  const std::vector<Expression> kernels = {BoundKernel{all_base_kernels()[0], 0}};
  for (const Matrix& part : table.distances(kernels)) {
    EXPECT_EQ(part.num_rows(), 0U);
    EXPECT_EQ(part.num_columns(), 1U);
  }
}

}  // namespace
}  // namespace covary
