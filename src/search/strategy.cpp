#include "search/strategy.h"

#include "search/greedy_strategy.h"
#include "search/hellinger_strategy.h"
#include "search/random_strategy.h"
#include "search/sot_strategy.h"
#include "search/tree_gep_strategy.h"

namespace covary {

std::unique_ptr<Strategy> make_strategy(const Grammar& grammar, const SearchOptions& options,
                                        const Dataset* data) {
  switch (options.method) {
    case SearchMethod::sot:
      return std::make_unique<SotStrategy>(grammar, options);
    case SearchMethod::hellinger:
      if (data == nullptr) {
        throw Error(ErrorKind::usage,
                    "the method hellinger compares kernels on data; without data "
                    "choose another one");
      }
      return std::make_unique<HellingerStrategy>(grammar, options, *data);
    case SearchMethod::greedy:
      return std::make_unique<GreedyStrategy>(grammar, options);
    case SearchMethod::treegep:
      return std::make_unique<TreeGepStrategy>(grammar, options);
    case SearchMethod::random:
      return std::make_unique<RandomStrategy>(grammar, options);
  }
  return nullptr;
}

}  // namespace covary
