#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <covary/effects.h>
#include <covary/report.h>

namespace covary {

// ---- their pieces ----

// At most so many rows, evenly chosen: a page has no use for more dots than it has room for.
std::vector<std::size_t> thinned_rows(std::size_t num_rows, std::size_t at_most);
std::vector<double> at_rows(const std::vector<double>& values,
                            const std::vector<std::size_t>& rows);

// The axis of an input or the target, over what the data reach.
FigureAxis axis_of(const Scaling& scaling, const std::vector<double>& raw, double margin);

// Mean ± so many standard deviations.
Figure::Band band_around(const std::vector<double>& mean, const std::vector<double>& sd, int level);

// Which cells of a map have rows near, and their values: as far as the distance that rows
// spread evenly over the map would have.
void mark_near(HeatMap& map, const std::vector<double>& x, const std::vector<double>& y);
std::vector<double> near_values(const HeatMap& map);

// Changes of a transformed target as people take them: in % for logarithms.
void show_changes(Figure& figure, TargetTransform transform);
std::string change_label(const Explanation& explanation, std::string_view what);  // "part of y, %"

// ---- the figures ----

// How far figures of one input look ahead: to the end of the forecast that a run was made for, or a
// share of the data's range.
double forecast_end(const Dataset& data, const std::optional<ReportedForecast>& outlook);

// Of one input: data, mean, bands, forecast up to `end`. Of several: observed over predicted, each
// row predicted from all the others.
Figure fit_figure(const Ensemble& model, const Explanation& explanation, double end);
std::vector<ForecastRow> forecast_rows(const Ensemble& model);

// The forecast that the run was made for, with its figures.
ReportedForecast reported_forecast(const Ensemble& model, const RunForecast& asked);

Figure component_figure(const Explanation& explanation, std::size_t place, double end);
// Of a component of two inputs; none for others.
std::optional<HeatMap> component_map(const Explanation& explanation, std::size_t place);

std::vector<Figure> main_effect_figures(const Explanation& explanation, const Effects& effects);
std::vector<HeatMap> interaction_maps(const Explanation& explanation, const Effects& effects);

std::vector<Figure> residual_figures(const Explanation& explanation);

std::vector<Figure> progress_figures(const ReportedSearch& search, std::size_t num_rows);

// The share of the target's variance that is predicted of rows that were kept from the search.
double holdout_r2(const HoldoutFigures& holdout);

// The first paragraph: what is known of rows never seen, then the explanation's summary, or what
// matters most of it where that is long.
std::string lead_of(const ReportModel& report);

}  // namespace covary
