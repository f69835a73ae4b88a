#pragma once

#include <string>

#include <gtest/gtest.h>

#include <covary/error.h>

namespace covary {

// The sentence of the Error that `action` throws.
template <class Action>
std::string error_of(ErrorKind kind, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

}  // namespace covary
