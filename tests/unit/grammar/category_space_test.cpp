#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/grammar.h>

namespace covary {
namespace {

const InputNames mixed({"age", "region", "height"},
                       {{InputKind::number}, {InputKind::category}, {InputKind::number}});

std::string kernels_of(const std::string& space, const InputNames& inputs) {
  std::string text;
  for (const BoundKernel& kernel : make_search_space({.space = space}, inputs).base_kernels) {
    text += to_string(kernel, inputs) + " ";
  }
  return text;
}

TEST(CategorySpace, KernelsWithoutAnInputAreBoundToThoseOfTheirKind) {
  EXPECT_EQ(kernels_of("SE,CAT", mixed), "SE(age) SE(height) CAT(region) ");
}

TEST(CategorySpace, CategoriesHaveTheirKernelsUnlessSomeAreListed) {
  EXPECT_EQ(kernels_of("paper-large", mixed),
            "SE(age) SE(height) RQ(age) RQ(height) CAT(region) ALIKE(region) ");
  EXPECT_EQ(kernels_of("LIN(age)", mixed), "LIN(age) CAT(region) ALIKE(region) ");
  EXPECT_EQ(kernels_of("LIN(age),ALIKE(region)", mixed), "LIN(age) ALIKE(region) ");
}

TEST(CategorySpace, ATableOfCategoriesAloneHasASpace) {
  EXPECT_EQ(kernels_of("paper-small", InputNames({"region"}, {{InputKind::category}})),
            "CAT ALIKE ");
}

TEST(CategorySpace, OfNumbersAloneItIsAsItWas) {
  const InputNames numbers({"age", "height"}, {{InputKind::number}, {InputKind::number}});
  const InputNames unknown({"age", "height"});
  for (const std::string space : {"paper-small", "paper-large", "SE,PER(age)"}) {
    EXPECT_EQ(kernels_of(space, numbers), kernels_of(space, unknown));
  }
}

TEST(CategorySpace, OperatorsAlongAnInputKeepToNumbers) {
  const SearchSpace space = make_search_space({.operators = "+,CP"}, mixed);
  ASSERT_EQ(space.operators.size(), 3U);
  EXPECT_EQ(space.operators[1].column, 0U);
  EXPECT_EQ(space.operators[2].column, 2U);
}

TEST(CategorySpace, KernelsOfCategoriesNeedOne) {
  try {
    make_search_space({.space = "SE,CAT"}, InputNames({"age"}, {{InputKind::number}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--space, column 4: CAT acts on categories, and no input is one; --categories "
                 "makes one");
  }
}

}  // namespace
}  // namespace covary
