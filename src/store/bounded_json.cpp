#include "store/bounded_json.h"

#include <vector>

#include <fmt/format.h>

#include "store/json_members.h"

namespace covary {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_depth = 16;
constexpr std::size_t max_names = 64;  // in one object: the parser compares each with all before

// Reads JSON and keeps nothing. Nesting, size and names are bounded before any value is stored, so
// that a hostile file can neither fill the memory nor keep the reader busy.
class BoundsCheck : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return count(); }
  bool boolean(bool /*value*/) override { return count(); }
  bool number_integer(number_integer_t /*value*/) override { return count(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return count(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return count(); }
  bool string(string_t& /*value*/) override { return count(); }
  bool binary(binary_t& /*value*/) override { return count(); }
  bool start_object(std::size_t /*size*/) override { return open(); }
  bool start_array(std::size_t /*size*/) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& /*name*/) override {
    if (++num_names_.back() > max_names) fail("it has more names in one object than any model");
    return count();
  }
  bool parse_error(std::size_t byte, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    if (dynamic_cast<const nlohmann::detail::out_of_range*>(&error) != nullptr) {
      fail("it has a number that is too large");
    }
    fail(fmt::format("it is not JSON, or cut off, at byte {}", byte));
  }

 private:
  bool count() {
    if (++num_values_ > max_model_values) fail("it has more values than any model");
    return true;
  }
  bool open() {
    num_names_.push_back(0);
    if (num_names_.size() > max_depth) fail("its values are nested too deep");
    return count();
  }
  bool close() {
    num_names_.pop_back();
    return count();
  }

  std::size_t num_values_ = 0;
  std::vector<std::size_t> num_names_;  // of each object that is open
};

}  // namespace

// Twice through the text, because a parser that asks while it stores looks through a whole list
// after each of its objects.
nlohmann::ordered_json parse_bounded(const std::string& text) {
  BoundsCheck check;
  Json::sax_parse(text, &check);
  return Json::parse(text);
}

}  // namespace covary
