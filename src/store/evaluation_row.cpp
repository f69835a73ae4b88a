#include "store/evaluation_row.h"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/evidence_fields.h>
#include <covary/message_text.h>

#include "base/hash.h"

namespace covary {
namespace {

// Every field with its column's name, as far as a format has it.
template <class Evaluation, class Visit>
void for_each_column(Evaluation& e, const EvaluationTable& table, int format, Visit& visit) {
  visit(table.key, e.index);
  visit("kernel", e.kernel);
  for_each_evidence_field([&](const auto& field) {
    if (field.since <= format) visit(field.name, e.evidence.*field.member);
  });
  visit("wall_seconds", e.wall_seconds);
  visit("acquisition_seconds", e.acquisition_seconds);
  visit("origin", e.origin);
  visit("predicted_mean", e.predicted_mean);
  visit("predicted_sd", e.predicted_sd);
  visit("weights", e.weights);
}

void append(std::string& bytes, std::uint64_t number) {
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(number >> shift)));
  }
}

std::string to_bytes(const std::vector<double>& numbers) {
  std::string bytes;
  bytes.reserve(8 * numbers.size());
  for (const double number : numbers) append(bytes, std::bit_cast<std::uint64_t>(number));
  return bytes;
}

std::vector<double> from_bytes(const std::string& bytes) {
  std::vector<double> numbers(bytes.size() / 8);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      bits |= std::uint64_t{static_cast<unsigned char>(bytes[8 * i + byte])} << (8 * byte);
    }
    numbers[i] = std::bit_cast<double>(bits);
  }
  return numbers;
}

// SQLite would turn NaN into NULL, and -0.0 into 0.0 in a REAL column; ANY keeps it.
struct ListColumns {
  std::string definitions;
  std::string names;
  std::string marks;

  void add(const char* name, const char* type) {
    const char* separator = names.empty() ? "" : ", ";
    definitions += fmt::format("{}{} {}", separator, name, type);
    names += fmt::format("{}{}", separator, name);
    marks += fmt::format("{}?", separator);
  }
  void operator()(const char* name, std::size_t /*value*/) {
    add(name, names.empty() ? "INTEGER PRIMARY KEY" : "INTEGER NOT NULL");
  }
  void operator()(const char* name, bool /*value*/) { add(name, "INTEGER NOT NULL"); }
  void operator()(const char* name, double /*value*/) { add(name, "ANY NOT NULL"); }
  void operator()(const char* name, const std::optional<double>& /*value*/) { add(name, "ANY"); }
  void operator()(const char* name, const std::string& /*value*/) { add(name, "TEXT NOT NULL"); }
  void operator()(const char* name, FitOutcome /*value*/) { add(name, "TEXT NOT NULL"); }
  void operator()(const char* name, TargetTransform /*value*/) { add(name, "TEXT NOT NULL"); }
  void operator()(const char* name, const std::vector<double>& /*value*/) {
    add(name, "BLOB NOT NULL");
  }
};

ListColumns columns(const EvaluationTable& table, int format) {
  const StoredEvaluation any;
  ListColumns list;
  for_each_column(any, table, format, list);
  return list;
}

struct BindColumns {
  Statement& statement;
  int next = 0;

  void operator()(const char* /*name*/, std::size_t value) {
    statement.bind(next++, static_cast<std::int64_t>(value));
  }
  void operator()(const char* /*name*/, bool value) {
    statement.bind(next++, std::int64_t{value ? 1 : 0});
  }
  void operator()(const char* name, double value) {
    if (std::isnan(value)) throw std::logic_error(fmt::format("{} is not a number", name));
    statement.bind(next++, value);
  }
  void operator()(const char* name, const std::optional<double>& value) {
    if (value.has_value()) {
      operator()(name, *value);
    } else {
      statement.bind_null(next++);
    }
  }
  void operator()(const char* /*name*/, const std::string& value) {
    statement.bind(next++, std::string_view(value));
  }
  void operator()(const char* /*name*/, FitOutcome value) {
    statement.bind(next++, to_string(value));
  }
  void operator()(const char* /*name*/, TargetTransform value) {
    statement.bind(next++, to_string(value));
  }
  void operator()(const char* name, const std::vector<double>& values) {
    for (const double value : values) {
      if (std::isnan(value)) throw std::logic_error(fmt::format("{} has a NaN", name));
    }
    statement.bind_blob(next++, to_bytes(values));
  }
};

struct ReadColumns {
  const Statement& row;
  int next = 0;

  void operator()(const char* /*name*/, std::size_t& value) {
    const std::int64_t number = row.integer(next++);
    if (number < 0) row.database().fail_as_damaged();
    value = static_cast<std::size_t>(number);
  }
  void operator()(const char* /*name*/, bool& value) {
    const std::int64_t number = row.integer(next++);
    if (number != 0 && number != 1) row.database().fail_as_damaged();  // the seal would not notice
    value = number == 1;
  }
  void operator()(const char* /*name*/, double& value) { value = row.real(next++); }
  void operator()(const char* /*name*/, std::optional<double>& value) {
    value = row.is_null(next) ? std::nullopt : std::optional(row.real(next));
    ++next;
  }
  void operator()(const char* /*name*/, std::string& value) { value = row.text(next++); }
  void operator()(const char* /*name*/, FitOutcome& value) {
    read_word(value, fit_outcome_from, "that ended as");
  }
  void operator()(const char* /*name*/, TargetTransform& value) {
    read_word(value, target_transform_from, "of the transform");
  }
  template <class Value, class FromWord>
  void read_word(Value& value, FromWord from_word, const char* what) {
    const std::string word = row.text(next++);
    const std::optional<Value> known = from_word(word);
    if (!known) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("{}: it has an evaluation {} {}, which this version does not know; "
                              "use the version of Covary that made it, or a newer one",
                              shown_source(row.database().path()), what, covary::quoted(word)));
    }
    value = *known;
  }
  void operator()(const char* /*name*/, std::vector<double>& values) {
    const std::string bytes = row.blob(next++);
    if (bytes.size() % 8 != 0) row.database().fail_as_damaged();
    values = from_bytes(bytes);
    for (const double value : values) {
      if (std::isnan(value)) row.database().fail_as_damaged();
    }
  }
};

struct HashColumns {
  std::string bytes;

  void operator()(const char* /*name*/, std::size_t value) { append(bytes, value); }
  void operator()(const char* /*name*/, bool value) { append(bytes, value ? 1 : 0); }
  void operator()(const char* /*name*/, double value) {
    append(bytes, std::bit_cast<std::uint64_t>(value));
  }
  void operator()(const char* name, const std::optional<double>& value) {
    append(bytes, value.has_value() ? 1 : 0);
    if (value.has_value()) operator()(name, *value);
  }
  void operator()(const char* /*name*/, const std::string& value) {
    append(bytes, value.size());
    bytes += value;
  }
  void operator()(const char* name, FitOutcome value) {
    operator()(name, std::string(to_string(value)));
  }
  void operator()(const char* name, TargetTransform value) {
    operator()(name, std::string(to_string(value)));
  }
  void operator()(const char* name, const std::vector<double>& values) {
    operator()(name, to_bytes(values));
  }
};

}  // namespace

std::string table_sql(const EvaluationTable& table, int format) {
  return fmt::format("CREATE TABLE {} ({}) STRICT", table.name, columns(table, format).definitions);
}

std::string insert_sql(const EvaluationTable& table, int format) {
  const ListColumns list = columns(table, format);
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, list.names, list.marks);
}

std::string select_sql(const EvaluationTable& table, int format) {
  return fmt::format("SELECT {} FROM {} ORDER BY {}", columns(table, format).names, table.name,
                     table.key);
}

void bind_evaluation(Statement& insert, const StoredEvaluation& evaluation,
                     const EvaluationTable& table, int format) {
  BindColumns bind{insert};
  for_each_column(evaluation, table, format, bind);
}

StoredEvaluation read_evaluation(const Statement& row, const EvaluationTable& table, int format) {
  StoredEvaluation evaluation;
  ReadColumns read{row};
  for_each_column(evaluation, table, format, read);
  return evaluation;
}

std::uint64_t evaluation_hash(const StoredEvaluation& evaluation, const EvaluationTable& table,
                              int format) {
  HashColumns hash{table.hash_prefix};
  for_each_column(evaluation, table, format, hash);
  return hash64(hash.bytes);
}

}  // namespace covary
