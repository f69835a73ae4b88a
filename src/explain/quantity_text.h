#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <covary/dataset.h>

namespace covary {

// A length along an input in the user's terms: "2.5", or for dates "3 months", "1 year".
std::string length_text(const Scaling& input, double scaled_length);

// A place on an input: "12.5", "1953-02-01".
std::string place_text(const Scaling& input, double scaled_place);

// Three or four digits, without an exponent where that is readable.
std::string number_text(double number, int digits = 4);
std::string percent_text(double share);    // "12.3 %"
std::string p_value_text(double p_value);  // "p = 0.03", "p < 0.01"

// Amounts of a transformed target: a step of 0.1 of a logarithm is 10.5 %, of others it is 0.1.
std::string amount_text(TargetTransform transform, double amount);
double shown_change(TargetTransform transform, double change);  // in % for logarithms
bool multiplies(TargetTransform transform);                     // parts are factors

std::string count_word(std::size_t count);  // "two" ... "twelve", then digits

// "a, b and c"
std::string list_text(const std::vector<std::string>& items);

std::string capitalized(std::string text);
std::string with_article(const std::string& noun_phrase);  // "a smooth ...", "an approximately ..."

}  // namespace covary
