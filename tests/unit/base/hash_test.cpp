#include "base/hash.h"

#include <string>

#include <gtest/gtest.h>

namespace covary {
namespace {

template <class... Parts>
std::string digits(const Parts&... parts) {
  Fingerprint fingerprint;
  (fingerprint.add(parts), ...);
  return fingerprint.digits();
}

TEST(Hash, IsTheOneThatXxhashPublishes) {
  EXPECT_EQ(hash64(""), 0x2d06800538d394c2U);  // XXH3_64bits of nothing, from its specification
}

TEST(Fingerprint, TellsWhereOneTextEndsAndTheNextBegins) {
  EXPECT_NE(digits(std::string("a"), std::string("bc")),
            digits(std::string("ab"), std::string("c")));
}

TEST(Fingerprint, TakesBothZerosForOneNumber) { EXPECT_EQ(digits(0.0), digits(-0.0)); }

TEST(Fingerprint, SeesTheLastBitOfANumber) { EXPECT_NE(digits(1.0), digits(1.0 + 0x1p-52)); }

TEST(Fingerprint, HasThirtyTwoDigitsAndIsStable) {
  EXPECT_EQ(digits(1.0, std::string("x")), digits(1.0, std::string("x")));
  EXPECT_EQ(digits(1.0).size(), 32U);
}

}  // namespace
}  // namespace covary
