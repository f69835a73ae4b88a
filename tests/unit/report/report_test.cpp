#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <covary/error.h>
#include <covary/evidence_fields.h>
#include <covary/model_file.h>
#include <covary/report.h>

#include "report/figures.h"
#include "report/page.h"
#include "report/svg.h"
#include "store/model_text.h"
#include "store/run_store.h"
#include "unit/report/report_examples.h"
#include "unit/store/run_examples.h"

namespace covary {
namespace {

using nlohmann::json;

const std::string hostile = R"(</script><b onclick='alert(1)'>&"x")";

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
    ++found;
  }
  return found;
}

// The page's JSON block, as a browser would read it.
json block_of(const std::string& html) {
  const std::string begin = R"(<script type="application/json" id="report-data">)";
  const std::size_t at = html.find(begin) + begin.size();
  return json::parse(html.substr(at, html.find("</script>", at) - at));
}

TEST(Report, OfOneInputHasAllOfItsFiguresAsDrawings) {
  const ReportModel report = example_report("LIN + SE*PER", example_table({"x", "y"}, 60));
  EXPECT_EQ(report.fit.points.size(), 1U);
  EXPECT_EQ(report.fit.bands.size(), 2U);
  ASSERT_TRUE(report.fit.data_end.has_value());
  EXPECT_GT(report.fit.grid.back(), *report.fit.data_end);
  EXPECT_GE(report.forecast.size(), 5U);
  EXPECT_EQ(report.components.size(), report.explanation.components.size());
  EXPECT_TRUE(report.main_effects.empty());
  EXPECT_EQ(report.residuals.size(), 2U);
  EXPECT_EQ(report.progress.size(), 3U);
  const std::string html = report_to_html(report);
  // The tree, the fit, the parts, residuals, progress.
  EXPECT_EQ(count(html, R"(<svg class="static)"), 1 + 1 + report.components.size() + 2 + 3);
  EXPECT_EQ(count(html, R"(<div class="frame" data-figure=)"),
            1 + report.components.size() + 2 + 3);
  EXPECT_EQ(html.find("{{"), std::string::npos);
}

TEST(Report, OfSeveralInputsShowsEffectsAndInteractions) {
  const ReportModel report =
      example_report("SE(a)*SE(b) + LIN(a) + SE(c)", example_table({"a", "b", "c", "y"}, 80));
  EXPECT_FALSE(report.fit.data_end.has_value());
  EXPECT_TRUE(report.forecast.empty());
  EXPECT_EQ(report.main_effects.size(), 3U);
  ASSERT_EQ(report.interactions.size(), 1U);
  EXPECT_EQ(report.interactions[0].title, "a and b");
  // One scale for all main effects.
  for (const Figure& figure : report.main_effects) {
    EXPECT_EQ(figure.y.low, report.main_effects[0].y.low);
    EXPECT_EQ(figure.y.high, report.main_effects[0].y.high);
  }
  std::size_t num_maps = 0;
  for (std::size_t i = 0; i < report.components.size(); ++i) {
    EXPECT_NE(report.components[i].has_value(), report.component_maps[i].has_value());
    num_maps += report.component_maps[i] ? 1U : 0U;
  }
  EXPECT_EQ(num_maps, 1U);
  EXPECT_EQ(count(report_to_html(report), R"(<div class="frame" data-map=)"), 2U);
}

TEST(Report, EscapesHostileNames) {
  const Dataset data = example_table({hostile, "\x01 b\xff", hostile + "y"}, 40);
  const std::string html = report_to_html(
      make_report(example_result(example_model("SE_1*SE_2 + LIN_1", data)), {}, {.num_draws = 20}));
  EXPECT_EQ(html.find("<b onclick"), std::string::npos);
  EXPECT_EQ(count(html, "</script>"), 2U);  // the data's, the script's
  EXPECT_EQ(html.find('\x01'), std::string::npos);
  EXPECT_EQ(html.find('\xff'), std::string::npos);
  const json block = block_of(html);
  EXPECT_EQ(block["target"], hostile + "y");
  EXPECT_EQ(block["inputs"][0], hostile);
}

TEST(Report, IsTheSameInThePageAndAsJson) {
  const ReportModel report = example_report("LIN + PER", example_table({"x", "y"}, 40));
  EXPECT_EQ(block_of(report_to_html(report)), json::parse(report_to_json(report)));
  EXPECT_EQ(report_to_html(report), report_to_html(report));
}

TEST(Report, GivesOddsAgainstTheRunnersUp) {
  const ReportModel report = example_report("LIN", example_table({"x", "y"}, 30));
  ASSERT_EQ(report.search.finalists.size(), 2U);
  EXPECT_NEAR(report.search.finalists[1].odds.value(), 3.0, 1e-12);
  EXPECT_NE(report_to_html(report).find("3 : 1"), std::string::npos);
  EXPECT_EQ(report.search.num_failed, 1U);
}

TEST(Report, HasIdsThatAreThereOnce) {
  const std::string html =
      report_to_html(example_report("SE(a)*SE(b) + LIN(a)", example_table({"a", "b", "y"}, 50)));
  const std::string mark = " id=\"";
  std::set<std::string> seen;
  for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    const std::string id = html.substr(begin, html.find('"', begin) - begin);
    EXPECT_TRUE(seen.insert(id).second) << id;
  }
  EXPECT_GT(seen.size(), 10U);
}

TEST(Report, ThinsOutPointsOfLargeTables) {
  EXPECT_EQ(thinned_rows(10, 3000).size(), 10U);
  const std::vector<std::size_t> rows = thinned_rows(100'000, 3000);
  EXPECT_EQ(rows.size(), 3000U);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_GT(rows.back(), 99'900U);
}

TEST(Report, IsWrittenForAKernelOfMoreProductsThanCanBeTold) {
  std::string kernel = "LIN(a) + (LIN(a) + SE(b))";
  for (int i = 0; i < 7; ++i) kernel += "*(LIN(a) + SE(b))";
  const ReportModel report = example_report(kernel, example_table({"a", "b", "y"}, 25));
  EXPECT_EQ(report.components.size(), 2U);
  EXPECT_TRUE(report.main_effects.empty());
  const std::string html = report_to_html(report);
  EXPECT_NE(html.find("more than 200 products"), std::string::npos);
  EXPECT_EQ(html.find("<section id=\"inputs\">"), std::string::npos);
  EXPECT_EQ(html.find("{{"), std::string::npos);
  EXPECT_NE(report_to_html(example_report("LIN(a) + SE(b)", example_table({"a", "b", "y"}, 25)))
                .find("<section id=\"inputs\">"),
            std::string::npos);
}

TEST(Report, ShowsDatesAsDates) {
  const ReportModel report =
      example_report("LIN + SE", example_table({"day", "y"}, 40, ColumnType::date));
  EXPECT_NE(report_to_html(report).find("1970-"), std::string::npos);
  EXPECT_EQ(json::parse(report_to_json(report))["figures"][0]["x"]["type"], "date");
}

// As a search leaves it that compared its kernels on some of the rows, all on the same.
TEST(Report, SaysOnWhichRowsKernelsWereComparedAndWhatUndecidedMeans) {
  const FittedModel model = example_model("LIN", example_table({"x", "y"}, 30));
  SearchResult result = example_result(model);
  for (Finalist& finalist : result.finalists) finalist.evidence.rows = 20;
  for (SearchRecord& record : result.history) record.evidence.rows = 20;
  const std::string decided = report_to_html(make_report(result, {}, {.num_draws = 0}));
  EXPECT_NE(decided.find("compared on 20 of the 30 rows."), std::string::npos);
  EXPECT_EQ(decided.find("Undecided: "), std::string::npos);
  result.finalists[1].is_undecided = true;
  const ReportModel report = make_report(result, {}, {.num_draws = 0});
  const std::string html = report_to_html(report);
  EXPECT_NE(html.find("Undecided: on all rows that kernel may be the better one."),
            std::string::npos);
  EXPECT_NE(html.find("on all rows the next best may be the better one"), std::string::npos);
  // The only other kernel has no odds then, and nothing is said of any.
  EXPECT_NE(decided.find("Odds of the best"), std::string::npos);
  EXPECT_EQ(html.find("Odds of the best"), std::string::npos);
  EXPECT_EQ(html.find("Odds say"), std::string::npos);
  EXPECT_EQ(json::parse(report_to_json(report))["search"]["finalists"][1]["rows"], 20);
}

std::size_t place_of(const std::string& text, const std::string& part) { return text.find(part); }

TEST(Report, LeadsWithWhatHoldsOutsideOfTheSample) {
  ReportModel report = example_report("SE(a)*SE(b) + LIN(a)", example_table({"a", "b", "y"}, 50));
  const std::string html = report_to_html(report);
  const std::size_t tiles = html.find("class=\"tiles\"");
  ASSERT_NE(tiles, std::string::npos);
  const std::string answer = html.substr(tiles, html.find("</dl>", tiles) - tiles);
  EXPECT_LT(place_of(answer, "leave-one-out"), place_of(answer, "inside the sample"));
  EXPECT_NE(place_of(answer, "inside the sample"), std::string::npos);
  EXPECT_LT(place_of(report.lead, "leave-one-out"), place_of(report.lead, "Inside the sample"));
  EXPECT_NE(place_of(report.lead, "Inside the sample"), std::string::npos);
  EXPECT_NE(place_of(html, "add up to more than 100"), std::string::npos);
}

// Numbers as print has them: no hyphen for a minus, no line that ends between a number and its
// sign.
TEST(Page, SetsNumbersWell) {
  const auto set = [](const std::string& text) {
    View view;
    put(view, "text", text);
    return view.get("text")->string_value();
  };
  EXPECT_EQ(set("between -45.6 % and +3 % (-2)"), "between −45.6\u00a0% and +3\u00a0% (−2)");
  EXPECT_EQ(set("(p = 0.017), p < 0.005"), "(p\u00a0=\u00a00.017), p\u00a0<\u00a00.005");
  EXPECT_EQ(set("> 99.9 %, > 1000 : 1"), ">\u00a099.9\u00a0%, >\u00a01000 : 1");
  // What is no number stays as it is, and so does what a program reads.
  EXPECT_EQ(set("2019-03-04, step = b, -1.5"), "2019-03-04, step = b, −1.5");
  EXPECT_EQ(set("-1.5e-3"), "-1.5e-3");
}

TEST(TimeTexts, HaveNoMoreDecimalsThanTellTheStepsApart) {
  const auto texts = [](double offset, double factor, const std::vector<double>& times) {
    const Dataset data({{0.0, 0.5, 1.0}}, {1.0, 2.0, 4.0},
                       {{.name = "t", .offset = offset, .factor = factor}}, {.name = "y"},
                       std::string(32, '7'), {});
    const TimeTexts text(data, times);
    std::vector<std::string> out;
    for (const double time : times) out.push_back(text(time));
    return out;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts(1960.0, 1.0, {1961.0833333333, 1961.1666666667, 1961.25}),
            (Texts{"1961.08", "1961.17", "1961.25"}));
  EXPECT_EQ(texts(10000000.0, 1e6, {11234505.0, 11246850.0}), (Texts{"11234505", "11246850"}));
  EXPECT_EQ(texts(-3.0, 1.0, {-1.5, -1.0}), (Texts{"−1.5", "−1.0"}));
  EXPECT_EQ(texts(0.0, 1e-12, {1.5e-12, 2e-12}), (Texts{"1.5e-12", "2e-12"}));
}

TEST(Report, OfAConstantTargetSaysSoAndChecksNothing) {
  const Dataset data({{0.0, 0.4, 0.7, 1.0}}, {0.0, 0.0, 0.0, 0.0}, {{.name = "x"}},
                     {.name = "y", .offset = 7.25, .factor = 1e-16}, std::string(32, '7'), {});
  const ReportModel report = example_report("C", data);
  EXPECT_EQ(report.lead.find("y is 7.25 in every one of 4 rows: there is nothing to explain"), 0U)
      << report.lead;
  EXPECT_TRUE(report.explanation.checks.empty());
  EXPECT_EQ(report.explanation.noise_sd, 0.0);
  const std::string html = report_to_html(report);
  const std::size_t words = html.find("<main");
  EXPECT_GT(html.find("e-1", words), html.find("id=\"report-data\"", words));
  EXPECT_NE(html.find("leave nothing to check"), std::string::npos);
}

TEST(Drawing, HasRoomForTheLongestNumbersBesideIt) {
  Figure figure{.id = "f"};
  figure.x = {"x", ColumnType::number, 0.0, 1.0};
  figure.y = {"y", ColumnType::number, 0.0, 9.0};
  figure.grid = {0.0, 1.0};
  figure.lines = {{"mean", {0.0, 1.0}}};
  const auto room = [&](double high, double width) {
    figure.y.high = high;
    const std::string svg = svg_of(figure, {width, 300.0});
    return std::stod(svg.substr(svg.find("data-room=\"") + 11));
  };
  EXPECT_EQ(room(9.0, 400.0), 52.0);
  EXPECT_GT(room(2.0e8, 400.0), 60.0);
  HeatMap map{.id = "m", .x = figure.x, .y = figure.x};
  map.x_places = {0.25, 0.75};
  map.y_places = map.x_places;
  map.values = {0.0, 1.0, 2.0, 200000.0};
  const std::string svg = svg_of(map, {480.0, 330.0});
  // The numbers of the scale begin where they still have room.
  const std::size_t at = svg.rfind("<text class=\"tick\" x=\"");
  EXPECT_LT(std::stod(svg.substr(at + 22)), 480.0 - 6.0 * 6.0);
}

TEST(TreeDrawing, JoinsChainsOfOneOperatorAndSpacesLeavesOut) {
  const Dataset data = example_table({"x", "y"}, 20);
  const std::string svg = tree_svg(example_model("LIN + SE + (PER + RQ)*SE", data));
  EXPECT_EQ(count(svg, "<circle"), 3U);  // the outer sum, the product, the inner sum
  EXPECT_EQ(count(svg, R"(class="leaf")"), 5U);
  EXPECT_EQ(count(svg, R"(class="edge")"), 7U);
  EXPECT_NE(svg.find("every 20"), std::string::npos);  // the period, in the input's unit
}

TEST(MarkupText, KeepsNothingThatMarkupOrATerminalWouldTakeForItsOwn) {
  EXPECT_EQ(markup_text(R"(a<b>&"c"')"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;");
  EXPECT_EQ(markup_text("\x1b[0m").find('\x1b'), std::string::npos);
}

class ReportOfRun : public testing::Test {
 protected:
  // A run as a search leaves it.
  void write_run(const std::string& fingerprint, bool is_finished = true) {
    const Dataset data = example_table({"x", "y"}, 30);
    RunHeader header;
    header.seed = 9;
    header.data_fingerprint = fingerprint;
    header.settings = {{"criterion", "evidence"}, {"rows", ""}};
    RunStore store = RunStore::create(folder_.run(), header, false);
    StoredEvaluation evaluation;
    evaluation.kernel = "LIN + SE";
    evaluation.evidence.value = 5.0;
    evaluation.evidence.outcome = FitOutcome::converged;
    evaluation.origin = "initial";
    evaluation.wall_seconds = 2.0;
    store.add(evaluation);
    const Ensemble model = example_model("LIN + SE", data);
    save_model(model, folder_.run() + "/model.json", ExistingFile::replace);
    if (!is_finished) return;
    evaluation.evidence.value = 5.5;
    store.finish(
        {evaluation},
        {{"seconds", "2.5"}, {"finished", "max_evaluations"}, {"model", model_checksum(model)}});
  }

  ErrorKind kind_of_error() {
    try {
      make_report(folder_.run(), {.num_draws = 0});
    } catch (const Error& error) {
      return error.kind();
    }
    ADD_FAILURE() << "no error";
    return ErrorKind::usage;
  }

  TemporaryFolder folder_;
};

TEST_F(ReportOfRun, HasWhatTheRunHas) {
  write_run(std::string(32, '7'));
  const ReportModel report = make_report(folder_.run(), {.num_draws = 0});
  EXPECT_EQ(report.search.seed, 9U);
  EXPECT_EQ(report.search.seconds, 2.5);
  EXPECT_EQ(report.search.history.size(), 1U);
  EXPECT_EQ(report.value, 5.5);
  EXPECT_EQ(report.search.end, SearchEnd::max_evaluations);
  EXPECT_FALSE(report.search.expected_gain);
}

TEST_F(ReportOfRun, IsRefusedForAModelOfOtherData) {
  write_run(std::string(32, '8'));
  EXPECT_EQ(kind_of_error(), ErrorKind::bad_data);
}

// As a search leaves it that is killed between the two; of the same data, and even the same kernel.
TEST_F(ReportOfRun, IsRefusedForAnotherModelThanTheRunEndedWith) {
  const Dataset data = example_table({"x", "y"}, 30);
  for (const char* kernel : {"SE", "LIN + SE"}) {
    write_run(std::string(32, '7'));
    const FittedModel model = example_model(kernel, data);
    std::vector<double> parameters = model.parameters();
    parameters.back() *= 1.5;
    save_model(FittedModel(model.kernel(), parameters, data), folder_.run() + "/model.json",
               ExistingFile::replace);
    EXPECT_EQ(kind_of_error(), ErrorKind::bad_data) << kernel;
    std::filesystem::remove_all(folder_.run());
  }
}

TEST_F(ReportOfRun, IsRefusedBeforeTheSearchHasEnded) {
  write_run(std::string(32, '7'), false);
  EXPECT_EQ(kind_of_error(), ErrorKind::no_input);
}

TEST_F(ReportOfRun, IsRefusedWithoutFinalistsOrWithoutTheirValues) {
  write_run(std::string(32, '7'));
  RunStore::open(folder_.run()).finish({}, {});
  EXPECT_EQ(kind_of_error(), ErrorKind::bad_data);
  RunStore::open(folder_.run()).finish({{.kernel = "LIN + SE"}}, {});
  EXPECT_EQ(kind_of_error(), ErrorKind::bad_data);
}

TEST_F(ReportOfRun, TellsEveryFieldOfEveryEvaluationAsJson) {
  write_run(std::string(32, '7'));
  const json history = json::parse(
      report_to_json(make_report(folder_.run(), {.num_draws = 0})))["search"]["history"];
  for_each_evidence_field(
      [&](const auto& field) { EXPECT_TRUE(history[0].contains(field.name)) << field.name; });
  EXPECT_EQ(history[0]["value"], 5.0);
  EXPECT_EQ(history[0]["outcome"], "converged");
}

TEST_F(ReportOfRun, IsNeverHalfWritten) {
  write_run(std::string(32, '7'));
  const ReportModel report = make_report(folder_.run(), {.num_draws = 0});
  const std::string path = folder_.path() + "/report.html";
  save_report(report, path);
  save_report(report, path);  // in the place of the old one
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), report_to_html(report));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  EXPECT_THROW(save_report(report, folder_.path() + "/nowhere/report.html"), Error);
}

}  // namespace
}  // namespace covary
