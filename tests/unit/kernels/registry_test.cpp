#include <set>
#include <string>

#include <gtest/gtest.h>

#include <covary/kernels.h>

namespace covary {
namespace {

// What every entry of the registry must have, so that parser, printer and report can rely on it.

TEST(Registry, EveryWordIsUniqueAndCanBeParsed) {
  std::set<std::string_view> words;
  for (const BaseKernel* kernel : all_base_kernels()) {
    EXPECT_TRUE(words.insert(kernel->name).second) << kernel->name;
    EXPECT_EQ(find_base_kernel(kernel->name), kernel);
    for (const char c : kernel->name) {
      EXPECT_TRUE((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) << kernel->name;
    }
  }
  for (const Operator* op : all_operators()) {
    EXPECT_TRUE(words.insert(op->name).second) << op->name;
    EXPECT_EQ(find_operator(op->symbol), op);
    EXPECT_EQ(find_operator(op->name), op);
  }
  EXPECT_EQ(find_base_kernel("se"), nullptr);
  EXPECT_EQ(find_operator("-"), nullptr);
}

TEST(Registry, EveryEntryHasWordsForTheReport) {
  for (const BaseKernel* kernel : all_base_kernels()) {
    EXPECT_FALSE(kernel->title.empty() || kernel->formula.empty() || kernel->noun.empty() ||
                 kernel->modifier.empty())
        << kernel->name;
  }
  for (const Operator* op : all_operators()) {
    EXPECT_FALSE(op->title.empty() || op->formula.empty() || op->words.empty()) << op->name;
  }
}

TEST(Registry, EveryParameterHasANameOfItsOwnAndAProperPrior) {
  const auto check = [](std::string_view owner, std::span<const Parameter> parameters) {
    std::set<std::string_view> names;
    for (const Parameter& parameter : parameters) {
      EXPECT_TRUE(names.insert(parameter.name).second) << owner << " " << parameter.name;
      EXPECT_FALSE(parameter.symbol.empty());
      const bool has_spread = parameter.prior.family == Prior::Family::exponential
                                  ? parameter.prior.first > 0
                                  : parameter.prior.second > 0;
      EXPECT_TRUE(has_spread) << owner << " " << parameter.name;
      EXPECT_EQ(parameter.prior.is_positive(), parameter.quantity != Quantity::input_location);
    }
  };
  for (const BaseKernel* kernel : all_base_kernels()) {
    EXPECT_FALSE(kernel->parameters.empty());
    check(kernel->name, kernel->parameters);
  }
  for (const Operator* op : all_operators()) check(op->name, op->parameters);
}

std::string priors(std::string_view name) {
  std::string text;
  for (const Parameter& parameter : find_base_kernel(name)->parameters) {
    text += std::string(parameter.name) + " " + to_string(parameter.prior) + "; ";
  }
  return text;
}

TEST(Registry, PriorsAreThoseOfThePaper) {
  EXPECT_EQ(priors("SE"), "lengthscale Gamma(2, 2); variance Gamma(2, 3); ");
  EXPECT_EQ(priors("LIN"), "variance Gamma(2, 3); constant_variance Gamma(2, 3); ");
  EXPECT_EQ(priors("PER"), "lengthscale Gamma(2, 2); variance Gamma(2, 3); period Gamma(2, 2); ");
  EXPECT_EQ(priors("RQ"), "lengthscale Gamma(2, 2); variance Gamma(2, 3); alpha Gamma(2, 2); ");
  EXPECT_EQ(priors("MAT32"), priors("SE"));
  EXPECT_EQ(priors("MAT52"), priors("SE"));
  EXPECT_EQ(priors("MAT12"), priors("SE"));
  EXPECT_EQ(priors("RW"), priors("LIN"));
}

TEST(Registry, OneKernelIsConstantAndThoseThatAreWhiteUseNoInput) {
  EXPECT_TRUE(is_constant(constant_kernel()));
  for (const BaseKernel* kernel : all_base_kernels()) {
    EXPECT_EQ(is_constant(*kernel), kernel == &constant_kernel()) << kernel->name;
    EXPECT_FALSE(kernel->is_white && kernel->uses_input) << kernel->name;
    EXPECT_LT(kernel->constant_place.value_or(0), kernel->parameters.size()) << kernel->name;
  }
}

TEST(Registry, OnlyTheChangePointIsNeitherCommutativeNorAssociative) {
  for (const Operator* op : all_operators()) {
    const bool is_change_point = op == &change_point_operator();
    EXPECT_EQ(op->is_commutative, !is_change_point);
    EXPECT_EQ(op->is_associative, !is_change_point);
    EXPECT_EQ(op->acts_on_input, is_change_point);
  }
}

TEST(Prior, PrintsAsThePaperWritesIt) {
  EXPECT_EQ(to_string(Prior::gamma(2, 3)), "Gamma(2, 3)");
  EXPECT_EQ(to_string(Prior::exponential(100)), "Exponential(100)");
  EXPECT_EQ(to_string(Prior::normal(0.5, 0.25)), "Normal(0.5, 0.25)");
}

}  // namespace
}  // namespace covary
