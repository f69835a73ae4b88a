#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <covary/expression.h>

namespace covary::app {

// Each adds its sub-command, which runs while the command line is parsed.
void add_describe(CLI::App& app);
void add_distance(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_explain(CLI::App& app);
void add_forecast(CLI::App& app);
void add_kernel(CLI::App& app);
void add_predict(CLI::App& app);
void add_report(CLI::App& app);
void add_search(CLI::App& app);

// Where the report of a run is, in its folder.
std::string report_path(const std::string& run);

// A kernel expression from the command line; a mistake is told with the text and its column.
Expression parse_kernel_option(const std::string& text, const InputNames& inputs);

// More columns than a table may have.
inline constexpr std::size_t most_inputs = 100'000;

// "3" for three inputs without names, or "age,cement"; what --inputs says of expressions alone.
InputNames parse_inputs(const std::string& text);

}  // namespace covary::app
