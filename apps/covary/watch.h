#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <covary/dataset.h>
#include <covary/search.h>

#include "loopback_server.h"

namespace covary::app {

// `covary search --watch`: the running search as a page on this machine. The page asks again and
// again; nothing is pushed, so that a browser that closes is not missed and one that comes late
// sees everything.
class Watch final : public SearchObserver {
 public:
  Watch(const Dataset& data, const SearchOptions& options);

  std::string address() const { return server_.address(); }

  void screened(const Dataset& kept) override;
  void starting(std::size_t num_planned, std::size_t num_done) override;
  void recorded(const SearchRecord& record, const SearchRecord* best) override;
  void finishing(std::size_t num_finalists) override;

  // The search has ended: the page gives way to the report. Waits for an open page to fetch it, a
  // few seconds at the most.
  void hand_over(std::string report);

 private:
  struct Listed {
    std::string kernel;
    std::optional<double> value_per_row;
    double seconds = 0.0;
    std::size_t index = 0;     // in the history
    std::size_t num_rows = 0;  // that it was judged on
  };

  Reply answer(const std::string& path);
  nlohmann::json state();
  nlohmann::json fit_of_best();

  Dataset data_;
  MeanFunction mean_;
  std::string criterion_;
  bool has_open_end_;  // then the number of evaluations is the most there can be
  InputNames inputs_;

  // Of the server's thread.
  std::optional<std::size_t> fitted_;  // the record that fit_ is of, by index
  nlohmann::json fit_ = nullptr;

  std::mutex mutex_;  // over all that follows
  std::string phase_ = "starting";
  std::size_t num_planned_ = 0;
  std::size_t num_found_ = 0;  // of an earlier part of the run
  double begin_ = 0.0;
  std::vector<Listed> kernels_;
  std::optional<std::size_t> best_;  // in the history
  std::optional<SearchRecord> best_record_;
  std::string report_;
  double last_asked_ = 0.0;
  bool is_handed_over_ = false;

  LoopbackServer server_;  // the last, so that it ends first
};

}  // namespace covary::app
