#include "table/cell_place.h"

#include <gtest/gtest.h>

namespace covary {
namespace {

TEST(CellPlace, PlacesAreNamedByRowLineAndColumn) {
  EXPECT_EQ(cell_place("air.csv", 12, 13, "age"), "air.csv: row 12 (line 13), column \"age\"");
  EXPECT_EQ(row_place(12, 0), "row 12");
}

}  // namespace
}  // namespace covary
