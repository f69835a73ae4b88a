#include "outcome.h"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include <covary/version.h>

#include "pieces.h"

namespace covary::paper {
namespace {

std::string csv_cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return value.dump();
  auto text = value.get<std::string>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_of(const nlohmann::ordered_json& records) {
  std::string text;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i == 0) {
      Cells names;
      for (const auto& item : records[i].items()) names.push_back(item.key());
      text += fmt::format("{}\n", fmt::join(names, ","));
    }
    Cells cells;
    for (const auto& item : records[i].items()) cells.push_back(csv_cell(item.value()));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace

std::string shown(double number, int digits) {
  return std::isfinite(number) ? fmt::format("{:.{}f}", number, digits) : "–";
}

std::string bold(const std::string& text) { return "**" + text + "**"; }

void Outcome::say(const std::string& paragraph) { markdown_ += paragraph + "\n\n"; }

void Outcome::add_table(const Cells& heading, const std::vector<Cells>& rows) {
  markdown_ += fmt::format("| {} |\n|---|", fmt::join(heading, " | "));
  for (std::size_t i = 1; i < heading.size(); ++i) markdown_ += "---:|";
  markdown_ += "\n";
  for (const Cells& row : rows) markdown_ += fmt::format("| {} |\n", fmt::join(row, " | "));
  markdown_ += "\n";
  tables_.push_back({{"heading", heading}, {"rows", rows}});
}

void Outcome::add_figure(const std::string& suffix, const std::string& caption,
                         const std::vector<Panel>& panels, std::size_t num_columns) {
  const std::string file = name_ + (suffix.empty() ? "" : "-" + suffix) + ".svg";
  figures_.push_back({file, svg_of(caption, panels, num_columns)});
  markdown_ += fmt::format("![{}]({})\n\n", caption, file);
}

void Outcome::add_record(const nlohmann::ordered_json& record) { records_.push_back(record); }

void Outcome::write(const Plan& plan) const {
  const std::string stem = plan.out_folder + "/" + name_;
  const std::string text = fmt::format("# {}\n\n{}", title_, markdown_);
  const nlohmann::ordered_json json = {{"experiment", name_}, {"title", title_},
                                       {"version", version},  {"quick", plan.quick},
                                       {"seeds", plan.seeds}, {"split_seed", plan.split_seed},
                                       {"tables", tables_},   {"records", records_}};
  for (const File& figure : figures_) write_file(plan.out_folder + "/" + figure.name, figure.text);
  write_file(stem + ".csv", csv_of(records_));
  write_file(stem + ".json", json.dump(1) + "\n");
  write_file(stem + ".md", text);
  fmt::print("{}", text);
  static_cast<void>(std::fflush(stdout));
}

}  // namespace covary::paper
