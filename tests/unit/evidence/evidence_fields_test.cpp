#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <covary/evidence_fields.h>

namespace covary {
namespace {

struct AnyValue {
  template <class Value>
  operator Value() const;  // NOLINT(google-explicit-constructor): it stands for any of them
};

template <std::size_t... I>
constexpr bool takes(std::index_sequence<I...> /*count*/) {
  return requires { Evidence{(static_cast<void>(I), AnyValue{})...}; };
}

// How many members Evidence has: the most that it can be made of.
template <std::size_t N = 0>
constexpr std::size_t num_members() {
  if constexpr (takes(std::make_index_sequence<N + 1>())) {
    return num_members<N + 1>();
  } else {
    return N;
  }
}

TEST(EvidenceFields, HasEveryMemberOfEvidenceOnce) {
  EXPECT_EQ(std::tuple_size_v<decltype(evidence_fields)>, num_members());
  std::set<std::string> names;
  std::set<const void*> places;
  const Evidence evidence;
  for_each_evidence_field([&](const auto& field) {
    names.insert(field.name);
    places.insert(&(evidence.*field.member));
    EXPECT_NE(std::string(field.help), "") << field.name;
  });
  EXPECT_EQ(names.size(), num_members());
  EXPECT_EQ(places.size(), num_members());
}

}  // namespace
}  // namespace covary
