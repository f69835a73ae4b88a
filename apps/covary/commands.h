#pragma once

#include <CLI/CLI.hpp>

namespace covary::app {

// Each adds its sub-command, which runs while the command line is parsed.
void add_describe(CLI::App& app);
void add_kernel(CLI::App& app);

}  // namespace covary::app
