#include <algorithm>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/forecast.h>
#include <covary/kernels.h>
#include <covary/option_text.h>

namespace covary {
namespace {

CalendarUnit unit_of(Season season) {
  switch (season) {
    case Season::year:
      return CalendarUnit::year;
    case Season::week:
      return CalendarUnit::week;
    case Season::day:
      return CalendarUnit::day;
    case Season::automatic:
    case Season::none:
      break;
  }
  return CalendarUnit::none;
}

template <class Item>
std::string list_of(const std::vector<Item>& items, const InputNames& inputs) {
  std::vector<std::string> words;
  words.reserve(items.size());
  for (const Item& item : items) words.push_back(to_string(item, inputs));
  return settings::join_list(words);
}

}  // namespace

std::size_t season_length(const TimeStep& step, Season season, const std::string& place) {
  const bool is_open = season == Season::automatic;
  const std::size_t length = step.steps_in(is_open ? step.usual_season() : unit_of(season));
  if (length == 0 && !is_open && season != Season::none) {
    throw Error(ErrorKind::usage,
                fmt::format("{3}: {1}: rows that are {2} apart show no {0}; choose "
                            "another season, or auto",
                            to_string(season), place, step.phrase(),
                            option_text("season", to_string(season))));
  }
  return std::max<std::size_t>(length, 1);
}

SearchSpaceOptions space_for_season(SearchSpaceOptions space, Season season,
                                    const InputNames& inputs, const std::string& place) {
  if (space.space != "auto" || season == Season::automatic) return space;
  SearchSpace offered = make_search_space(space, inputs);
  const CalendarUnit wanted = unit_of(season);
  std::erase_if(offered.base_kernels, [](const BoundKernel& bound) {
    return bound.kernel->calendar_unit != CalendarUnit::none;
  });
  for (const BaseKernel* kernel : all_base_kernels()) {
    if (wanted == CalendarUnit::none || kernel->calendar_unit != wanted) continue;
    if (!inputs.traits().front().has_calendar) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: {} has no calendar; it needs dates, or numbers that "
                              "count years",
                              option_text("season", to_string(season)), place));
    }
    offered.base_kernels.push_back({kernel, 0});
  }
  space.space = list_of(offered.base_kernels, inputs);
  space.operators = list_of(offered.operators, inputs);
  return space;
}

}  // namespace covary
