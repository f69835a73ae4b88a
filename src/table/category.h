#pragma once

#include <cstddef>
#include <string>

#include <covary/table.h>

namespace covary {

// A category may have so many levels without being named as one, and if it is.
constexpr std::size_t max_levels = 50;
constexpr std::size_t max_named_levels = 500;

// How a number or a date is written as the name of a level.
std::string level_name(ColumnType type, double value);

// The column as a category, whatever it holds. Numbers and dates are levels in their own order,
// texts by name. No levels where there are too many to keep.
Column as_category(const Column& column);

// Whether a column of text is a category without being named as one: of few levels that rows share,
// and not of numbers or dates in a form that cannot be read.
bool is_category_by_itself(const Column& column);

// Whether most of the texts were meant to be numbers or dates.
bool looks_like_numbers(const Column& column);

// "12 levels in 40 rows", "more than 10000 levels".
std::string levels_text(const Column& category);

}  // namespace covary
