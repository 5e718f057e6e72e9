#include "calibration/split_paths.hpp"

#include <algorithm>
#include <limits>

#include "common/parallel.hpp"
#include "common/within.hpp"

namespace halfmask {

namespace {

constexpr std::size_t kChunk = 1 << 13;  // rows that a thread leads before it asks for more
constexpr std::int32_t kNone = -1;
constexpr std::int32_t kUnled = std::numeric_limits<std::int32_t>::max();

struct Split {
  std::int32_t column, value;
  std::int32_t yes = kNone, no = kNone;  // the places that the answers lead to
};

// Where paths that begin alike have come to.
struct Place {
  std::int32_t ended = kUnled;  // the first path that ends here
  std::vector<Split> asked;
  std::vector<std::int32_t> jump;  // by code, where all splits are of one column and want yes
};

class Map {
 public:
  explicit Map(const SplitPaths& paths) : places_(1) {
    for (std::size_t w = 0; w < paths.size(); ++w) {
      std::size_t at = 0;
      for (auto q = paths.offsets[w]; q < paths.offsets[w + 1]; ++q)
        at = next(at, paths, static_cast<std::size_t>(q));
      places_[at].ended = std::min(places_[at].ended, static_cast<std::int32_t>(w));
    }
    for (auto& place : places_) shorten(place);
    parts_ =
        std::ranges::any_of(places_, [](const Place& place) { return place.asked.size() > 1; });
  }

  // `open` is room to remember places in.
  [[nodiscard]] std::int32_t lead(std::span<const std::int32_t> codes, std::size_t rows,
                                  std::size_t row, std::vector<std::int32_t>& open) const {
    if (!parts_) return lead_down(codes, rows, row);
    auto found = kUnled;
    open.assign(1, 0);
    while (!open.empty()) {
      const auto& place = places_[static_cast<std::size_t>(open.back())];
      open.pop_back();
      found = std::min(found, place.ended);
      const auto code_of = [&](const Split& split) {
        return codes[static_cast<std::size_t>(split.column) * rows + row];
      };
      if (!place.jump.empty()) {
        const auto code = code_of(place.asked.front());
        if (code >= 0 && static_cast<std::size_t>(code) < place.jump.size()) {
          const auto to = place.jump[static_cast<std::size_t>(code)];
          if (to != kNone) open.push_back(to);
        }
        continue;
      }
      for (const auto& split : place.asked) {
        const auto to = code_of(split) == split.value ? split.yes : split.no;
        if (to != kNone) open.push_back(to);
      }
    }
    return found == kUnled ? kNone : found;
  }

 private:
  // The same where a row goes on to one place at most, as in the trees that are grown here.
  [[nodiscard]] std::int32_t lead_down(std::span<const std::int32_t> codes, std::size_t rows,
                                       std::size_t row) const {
    auto found = kUnled;
    for (std::int32_t at = 0; at != kNone;) {
      const auto& place = places_[static_cast<std::size_t>(at)];
      found = std::min(found, place.ended);
      if (place.asked.empty()) break;
      const auto& split = place.asked.front();
      at = codes[static_cast<std::size_t>(split.column) * rows + row] == split.value ? split.yes
                                                                                     : split.no;
    }
    return found == kUnled ? kNone : found;
  }

  std::size_t next(std::size_t at, const SplitPaths& paths, std::size_t q) {
    const auto column = paths.columns[q], value = paths.values[q];
    auto& asked = places_[at].asked;
    auto split = std::ranges::find_if(
        asked, [&](const Split& o) { return o.column == column && o.value == value; });
    if (split == asked.end()) split = asked.insert(asked.end(), {column, value});
    auto& to = paths.wanted[q] != 0 ? split->yes : split->no;
    if (to == kNone) {
      to = static_cast<std::int32_t>(places_.size());
      const auto made = static_cast<std::size_t>(to);
      places_.emplace_back();  // `to` lies in what moves here
      return made;
    }
    return static_cast<std::size_t>(to);
  }

  static void shorten(Place& place) {
    constexpr std::int32_t most = 1 << 16;
    if (place.asked.size() < 2) return;
    const auto column = place.asked.front().column;
    for (const auto& q : place.asked)
      if (q.column != column || q.no != kNone || q.value < 0 || q.value >= most) return;
    const auto last = std::ranges::max(place.asked, {}, &Split::value).value;
    place.jump.assign(static_cast<std::size_t>(last) + 1, kNone);
    for (const auto& q : place.asked) place.jump[static_cast<std::size_t>(q.value)] = q.yes;
  }

  std::vector<Place> places_;
  bool parts_ = false;  // whether a row may go on to several places
};

}  // namespace

std::vector<std::int32_t> led(const CodedRows& coded, const SplitPaths& paths, std::size_t threads,
                              Watch& watch) {
  const Map map(paths);
  const auto rows = coded.rows();
  std::vector<std::int32_t> found(rows, kNone);
  const auto chunks = (rows + kChunk - 1) / kChunk;
  (void)in_chunks(chunks, threads, watch, [&](const KeepGoing&) {
    return [&, open = std::vector<std::int32_t>()](std::size_t chunk) mutable {
      const auto last = std::min(rows, (chunk + 1) * kChunk);
      for (auto row = chunk * kChunk; row < last; ++row)
        found[row] = map.lead(coded.codes, rows, row, open);
    };
  });
  return found;
}

std::optional<std::string> SplitPaths::validate(std::span<const std::int32_t> sizes) const {
  if (offsets.empty() || offsets.front() != 0) return "offsets must start with 0";
  if (!std::ranges::is_sorted(offsets)) return "offsets must not fall";
  if (offsets.back() != static_cast<std::int64_t>(columns.size()))
    return "the last offset must be the number of splits";
  if (values.size() != columns.size() || wanted.size() != columns.size())
    return "each split has a column, a value and an answer";
  constexpr auto most = static_cast<std::size_t>(kUnled);
  if (size() >= most || columns.size() >= most) return "there are too many paths";
  for (std::size_t q = 0; q < columns.size(); ++q) {
    const auto column = columns[q];
    if (column < 0 || static_cast<std::size_t>(column) >= sizes.size())
      return "there is no such column";
    if (values[q] < 0) return "a split asks for a value below 0";
    if (wanted[q] > 1) return "an answer is 0 or 1";
  }
  return std::nullopt;
}

std::optional<std::string> CodedRows::validate() const {
  if (sizes.empty()) return "there must be a column";
  if (codes.size() % sizes.size() != 0) return "the codes are no whole number of rows";
  if (rows() >= static_cast<std::size_t>(kUnled)) return "there are too many rows";
  constexpr std::int32_t most_codes = 1 << 26;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] < 0 || sizes[c] > most_codes)
      return "a column has a negative or too large number of codes";
    if (!all_within(codes.subspan(c * rows(), rows()), -1, sizes[c]))
      return "a code lies outside its column";
  }
  return std::nullopt;
}

}  // namespace halfmask
