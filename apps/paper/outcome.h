#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "figure.h"
#include "plan.h"

namespace covary::paper {

using Cells = std::vector<std::string>;

// "0.0936", "−1.07"; "–" if there is no such number.
std::string shown(double number, int digits = 4);
std::string bold(const std::string& text);

// What an experiment gave, in every form: NAME.md with tables and figures for people, NAME.csv with
// every single figure, NAME.json with both, NAME.svg to look at.
class Outcome {
 public:
  Outcome(std::string name, std::string title) : name_(std::move(name)), title_(std::move(title)) {}

  void say(const std::string& paragraph);
  void add_table(const Cells& heading, const std::vector<Cells>& rows);
  // One a file: NAME.svg, or NAME-SUFFIX.svg.
  void add_figure(const std::string& suffix, const std::string& caption,
                  const std::vector<Panel>& panels, std::size_t num_columns = 3);
  // The columns of NAME.csv come from the first row; numbers and texts.
  void add_record(const nlohmann::ordered_json& record);

  // Into the plan's folder; the text of NAME.md also goes to stdout.
  void write(const Plan& plan) const;

 private:
  struct File {
    std::string name;
    std::string text;
  };

  std::string name_;
  std::string title_;
  std::string markdown_;
  nlohmann::ordered_json tables_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json records_ = nlohmann::ordered_json::array();
  std::vector<File> figures_;
};

}  // namespace covary::paper
