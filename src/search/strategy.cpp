#include "search/strategy.h"

#include "search/random_strategy.h"
#include "search/sot_strategy.h"

namespace covary {

std::unique_ptr<Strategy> make_strategy(const Grammar& grammar, const SearchOptions& options) {
  switch (options.method) {
    case SearchMethod::sot:
      return std::make_unique<SotStrategy>(grammar, options);
    case SearchMethod::random:
      return std::make_unique<RandomStrategy>(grammar, options);
  }
  return nullptr;
}

}  // namespace covary
