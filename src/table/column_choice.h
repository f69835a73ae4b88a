#pragma once

#include <string>
#include <vector>

#include <covary/dataset.h>
#include <covary/table.h>

namespace covary {

struct ColumnChoice {
  const Column* target = nullptr;
  std::vector<const Column*> inputs;
  bool inputs_are_named = false;  // by the user, who then has to know if one is of no use
};

// The target and the inputs that the options ask for. Tells columns that are left out in `notes`
// and throws Error for those that cannot be used.
ColumnChoice choose_columns(const Table& table, const DatasetOptions& options,
                            std::vector<std::string>& notes);

}  // namespace covary
