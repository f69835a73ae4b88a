#include "watch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <thread>
#include <utility>

#include <covary/model.h>

namespace covary {

std::string_view live_page();  // web/dist/live.html, embedded

namespace app {
namespace {

constexpr std::size_t most_points = 600;
constexpr std::size_t most_fitted = 2000;
constexpr std::size_t num_grid = 400;
constexpr double level = 0.95;
// A page asks every second; one that was not heard of for longer is closed.
constexpr double still_open = 3.0;
constexpr double longest_wait = 10.0;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Every k-th row, so that at most so many are left.
std::vector<std::size_t> some_rows(std::size_t num_rows, std::size_t most = most_points) {
  const std::size_t step = (num_rows + most - 1) / most;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < num_rows; i += std::max<std::size_t>(step, 1)) rows.push_back(i);
  return rows;
}

// Along a single input: data, mean and band, and a forecast.
nlohmann::json curve_of(const FittedModel& model) {
  const Dataset& data = model.data();
  const std::vector<double> rows = raw_input(data, 0);
  const auto [low, high] = std::minmax_element(rows.begin(), rows.end());
  const double span = (1.0 + forecast_share) * (*high - *low);
  std::vector<double> x;
  for (std::size_t i = 0; i < num_grid; ++i) {
    x.push_back(*low + span * static_cast<double>(i) / (num_grid - 1));
  }
  const Prediction prediction = model.predict({x});
  const Prediction::Interval band = prediction.interval(level);
  const Dataset observed = data.rows(some_rows(data.num_rows()));
  return {{"kind", "curve"},
          {"axis", {{"type", to_string(data.input_scaling(0).type)}}},
          {"x", x},
          {"mean", prediction.mean},
          {"lower", band.lower},
          {"upper", band.upper},
          {"observed_x", raw_input(observed, 0)},
          {"observed_y", raw_target(observed)}};
}

// Of several inputs: what was observed against what the model says of it.
nlohmann::json scatter_of(const FittedModel& model) {
  const Dataset rows = model.data().rows(some_rows(model.data().num_rows()));
  return {
      {"kind", "scatter"}, {"observed", raw_target(rows)}, {"mean", model.predict_rows(rows).mean}};
}

}  // namespace

Watch::Watch(const Dataset& data, const SearchOptions& options)
    : data_(data),
      mean_(options.evidence.mean),
      criterion_(title_of(options.evidence.criterion)),
      has_open_end_(has_open_end(options)),
      inputs_(inputs_of(data)),
      begin_(now()),
      server_([this](const std::string& path) { return answer(path); }) {}

void Watch::screened(const Dataset& kept) {
  const std::lock_guard lock(mutex_);
  data_ = kept;
  inputs_ = inputs_of(kept);
}

void Watch::starting(std::size_t num_planned, std::size_t num_done) {
  const std::lock_guard lock(mutex_);
  phase_ = "searching";
  num_planned_ = num_planned;
  num_found_ = num_done;
  begin_ = now();
}

void Watch::recorded(const SearchRecord& record, const SearchRecord* best) {
  const std::lock_guard lock(mutex_);
  const double num_rows = record.evidence.num_rows(data_.num_rows());
  Listed listed{to_string(record.kernel, inputs_), std::nullopt, record.wall_seconds, record.index,
                static_cast<std::size_t>(num_rows)};
  if (record.evidence.value) listed.value_per_row = *record.evidence.value / num_rows;
  kernels_.push_back(std::move(listed));
  if (best != nullptr && best_ != best->index) {
    best_ = best->index;
    best_record_ = *best;
  }
}

void Watch::finishing(std::size_t /*num_finalists*/) {
  const std::lock_guard lock(mutex_);
  phase_ = "finishing";
}

void Watch::hand_over(std::string report) {
  {
    const std::lock_guard lock(mutex_);
    report_ = std::move(report);
    phase_ = "finished";
  }
  const double since = now();
  while (now() - since < longest_wait) {
    {
      const std::lock_guard lock(mutex_);
      if (is_handed_over_ || now() - last_asked_ > still_open) return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// By the server's thread alone, and without the mutex: a large fit must not hold up the search.
nlohmann::json Watch::fit_of_best() {
  std::optional<SearchRecord> best;
  {
    const std::lock_guard lock(mutex_);
    best = best_record_;
  }
  if (!best || fitted_ == best->index) return fit_;
  fitted_ = best->index;
  try {
    // Of many rows some do to look at, and the search needs the cores.
    const Dataset rows = data_.num_rows() > most_fitted
                             ? data_.rows(some_rows(data_.num_rows(), most_fitted))
                             : data_;
    const FittedModel model(best->kernel, best->evidence.parameters,
                            rows.with_transform(best->evidence.transform), mean_);
    fit_ = data_.is_curve() ? curve_of(model) : scatter_of(model);
  } catch (const Error&) {
    fit_ = nullptr;  // at the edge of what can be factored; the next best one will do
  }
  return fit_;
}

nlohmann::json Watch::state() {
  nlohmann::json fit = fit_of_best();
  const std::lock_guard lock(mutex_);
  last_asked_ = now();
  nlohmann::json kernels = nlohmann::json::array();
  for (const Listed& listed : kernels_) {
    nlohmann::json value = nullptr;
    if (listed.value_per_row) value = *listed.value_per_row;
    kernels.push_back({listed.kernel, value, listed.seconds, listed.num_rows});
  }
  nlohmann::json left = nullptr;
  if (kernels_.size() > num_found_ && num_planned_ >= kernels_.size()) {
    left = (now() - begin_) / static_cast<double>(kernels_.size() - num_found_) *
           static_cast<double>(num_planned_ - kernels_.size());
  }
  nlohmann::json best = nullptr;  // its place in the list
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (best_ == kernels_[i].index) best = i;
  }
  nlohmann::json names = nlohmann::json::array();
  for (const std::string& name : data_.input_names()) names.push_back(name);
  return {{"phase", phase_},
          {"target", data_.target_scaling().name},
          {"inputs", names},
          {"rows", data_.num_rows()},
          {"planned", num_planned_},
          {"open_end", has_open_end_},
          {"seconds", now() - begin_},
          {"seconds_left", left},
          {"best", best},
          {"criterion", criterion_},
          {"kernels", kernels},
          {"fit", std::move(fit)}};
}

Reply Watch::answer(const std::string& path) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;  // names may be no UTF-8
  if (path == "/") return {200, "text/html; charset=utf-8", std::string(live_page())};
  if (path == "/state") return {200, "application/json", state().dump(-1, ' ', false, replace)};
  if (path == "/report") {
    const std::lock_guard lock(mutex_);
    if (!report_.empty()) {
      is_handed_over_ = true;
      return {200, "text/html; charset=utf-8", report_};
    }
  }
  return {404, "text/plain", "there is nothing here\n"};
}

}  // namespace app
}  // namespace covary
