#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <covary/ensemble.h>
#include <covary/evidence.h>
#include <covary/explain.h>
#include <covary/forecast.h>
#include <covary/holdout.h>
#include <covary/search.h>
#include <covary/table.h>

namespace covary {

// ---- Figures: numbers and words, drawn by whoever shows them --------------------------------

struct FigureAxis {
  std::string label = {};
  ColumnType type = ColumnType::number;  // dates are days, date-times seconds since 1970
  double low = 0.0;                      // what is seen before anybody zooms
  double high = 1.0;
  std::vector<std::string> levels = {};  // of a category, at 0, 1, ...
};

// Lines, bands and points over one axis. Over the levels of a category they are drawn level by
// level, not joined.
struct Figure {
  std::string id = {};     // a word of letters, digits and "-", unique in a report
  std::string title = {};  // "Fit and forecast"
  std::string alt = {};    // what it shows, for those who cannot see it
  FigureAxis x = {};
  FigureAxis y = {};

  std::vector<double> grid = {};  // x of bands and lines, rising
  struct Band {
    std::string label;
    std::vector<double> lower;
    std::vector<double> upper;
  };
  std::vector<Band> bands = {};  // the widest first
  enum class Stroke { strong, second, third, reference };
  struct Line {
    std::string label;
    std::vector<double> y;
    Stroke stroke = Stroke::strong;
    bool is_step = false;  // holds its value up to the next place
  };
  std::vector<Line> lines = {};
  struct Points {
    std::string label;
    std::vector<double> x;
    std::vector<double> y;
    std::vector<std::string> names = {};  // one for each, or none at all
  };
  std::vector<Points> points = {};
  std::vector<double> rug = {};  // x of the rows, as short strokes along the axis
  struct Span {
    double low = 0.0;
    double high = 0.0;
  };
  std::vector<Span> far = {};  // of x, far from all rows: what is drawn there is faint
  bool is_by_value = false;    // x has few values, and bands and lines are drawn at these alone
  std::optional<double> data_end = {};  // beyond it there is only the forecast
};

// A function of two inputs, in shades.
struct HeatMap {
  std::string id = {};
  std::string title = {};
  std::string alt = {};
  FigureAxis x = {};
  FigureAxis y = {};
  std::string value_label = {};
  std::vector<double> x_places = {};  // middles of its cells, evenly spaced
  std::vector<double> y_places = {};
  std::vector<double> values = {};       // at (x_places[i], y_places[j]): [i * y_places.size() + j]
  std::vector<double> interaction = {};  // the part that is not the sum of both; may be empty
  std::vector<bool> is_near = {};  // cell by cell, whether rows are near; the rest stays empty
  Figure::Points data = {};        // where the training rows are
};

// ---- The report -----------------------------------------------------------------------------

// One evaluation of the search.
struct ReportedKernel {
  std::size_t index = 0;
  std::string kernel = {};
  Evidence evidence = {};
  bool is_initial = false;
  double wall_seconds = 0.0;  // from the beginning of the search to its end
  std::optional<double> predicted_mean = {};
  std::optional<double> predicted_sd = {};
  std::vector<double> weights = {};
};

struct ReportedFinalist {
  std::string kernel = {};
  double value = 0.0;
  std::size_t rows = 0;             // that it was judged on; 0: not known
  double behind = 0.0;              // the best one's value less this one's
  std::optional<double> odds = {};  // of the best against it, where the criterion is an evidence
  bool is_undecided = false;        // whether all rows might prefer it to the best one
};

// How the model came about.
struct ReportedSearch {
  std::string run = {};  // the run's folder; empty for a search that was kept nowhere
  std::string version = {};
  std::string created = {};
  std::uint64_t seed = 1;
  std::string fingerprint = {};
  std::vector<std::pair<std::string, std::string>> settings = {};
  Criterion criterion = Criterion::evidence;
  SearchEnd end = SearchEnd::max_evaluations;
  std::optional<double> expected_gain = {};  // SearchResult's
  double seconds = 0.0;                      // wall-clock time
  double fit_seconds = 0.0;                  // CPU time of all evaluations
  double proposal_seconds = 0.0;
  std::size_t num_failed = 0;
  std::vector<ReportedKernel> history = {};  // in the order of proposals
  std::vector<ReportedFinalist> finalists = {};
  std::optional<HoldoutFigures> holdout = {};  // on rows that were kept from the search
};

// What the model says beyond the data of its one input.
struct ForecastRow {
  double place = 0.0;  // raw, of the input
  double mean = 0.0;
  double lower_50 = 0.0;
  double upper_50 = 0.0;
  double lower_95 = 0.0;
  double upper_95 = 0.0;
};

// The forecast that a run was made for.
struct ReportedForecast {
  std::string step = {};  // from row to row: "a month"
  Forecast forecast = {};
  std::optional<Backtest> backtest = {};
  // The share of the variance of what came that the backtest's medians foresaw, all origins
  // together.
  std::optional<double> backtest_r2 = {};
  Figure fan = {};
  std::vector<Figure> looks_back = {};  // what was forecast and what came; reliability
};

// Everything that a report shows. Renderers add layout, never facts.
struct ReportModel {
  ReportedSearch search;
  // Of the search's criterion, or without a search the model's log marginal likelihood.
  double value = 0.0;
  double value_per_row = 0.0;
  Ensemble model;
  Explanation explanation;
  std::string lead = {};  // one paragraph, also where the explanation's summary is longer

  Figure fit = {};
  std::vector<ForecastRow> forecast = {};              // for one input
  std::optional<ReportedForecast> outlook = {};        // where the run was made for a forecast
  std::vector<std::optional<Figure>> components = {};  // as the explanation's, where one line does
  std::vector<std::optional<HeatMap>> component_maps = {};  // and of two inputs
  std::vector<Figure> main_effects = {};   // for several inputs, the strongest first
  std::vector<HeatMap> interactions = {};  // the strongest first
  std::vector<Figure> residuals = {};
  std::vector<Figure> progress = {};  // how the search went

  bool has_search() const { return !search.finalists.empty(); }
};

// From the folder of a run that has ended at least once. Throws Error: no_input where there is no
// run or no model yet, bad_data for what is damaged or does not belong together.
ReportModel make_report(const std::string& run_folder, const ExplainOptions& options = {});
// The same where the model of that folder is at hand.
ReportModel make_report(const std::string& run_folder, const Ensemble& model,
                        const ExplainOptions& options = {});

// From a search that was kept nowhere.
ReportModel make_report(const SearchResult& result, const SearchOptions& search_options,
                        const ExplainOptions& options = {});

// Of a model alone, such as one from a file: nothing is known of the search that found it.
ReportModel make_report(const Ensemble& model, const ExplainOptions& options = {});

// One page that needs nothing else: no network, and no script to be read.
std::string report_to_html(const ReportModel& report);

// The same facts and figures as one JSON object.
std::string report_to_json(const ReportModel& report);

// The explanation alone as one JSON object.
std::string explanation_to_json(const Explanation& explanation);

// Writes beside the file first and then renames, so that no half-written page is ever seen. Throws
// Error: cannot_write, disk.
void save_report(const ReportModel& report, const std::string& path);

}  // namespace covary
