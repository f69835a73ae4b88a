#pragma once

#include <string>

#include <gtest/gtest.h>

#include <covary/target_transform.h>

namespace covary {

// For what is asked of every transform; each test file gives it all_target_transforms().
class EveryTransform : public testing::TestWithParam<TargetTransform> {};

inline std::string name_of_case(const testing::TestParamInfo<TargetTransform>& one) {
  return std::string(to_string(one.param));
}

}  // namespace covary
