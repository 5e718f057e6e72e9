#include "slim/slim_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace halfmask {

namespace {

constexpr Count tabled = 1 << 16;
constexpr Count shared_up_to = 2048;
constexpr std::size_t first_batch = 32;
constexpr std::uint64_t steps_of_a_pair = 4;  // of one word of a bitmap, as measured
constexpr std::uint64_t steps_of_a_look = 2;
constexpr std::uint32_t nowhere = static_cast<std::uint32_t>(-1);

const std::vector<double> lg_table = [] {
  std::vector<double> values(static_cast<std::size_t>(tabled), 0.0);
  for (std::size_t x = 1; x < values.size(); ++x) values[x] = std::log2(static_cast<double>(x));
  return values;
}();

// What replacing `joint` of the `usage` uses of one element by the pair is worth.
double own_part(Count usage, Count joint, double standard_bits) {
  const auto rest = usage - joint;
  const auto code = rest > 0 ? lg(usage) - lg(rest) : lg(usage) - standard_bits;
  return xlg(rest) - xlg(usage) - code;
}

double shared_part(const TableView& table, Count joint, Count lost) {
  const auto sum = table.usage_sum;
  return xlg(sum) - xlg(sum - joint) + static_cast<double>(table.size) * lg(sum) -
         static_cast<double>(table.size + 1 - lost) * lg(sum - joint);
}

// The bits of database that the estimate expects to save; a pair without any is not tried.
// Grows with the usage sum.
double database_gain(Count sum, Count x, Count y, Count u) {
  return xlg(u) + xlg(x - u) - xlg(x) + xlg(y - u) - xlg(y) - xlg(sum - u) + xlg(sum);
}

// The estimate of the authors' program, in its order of operations: the last branch has the
// wrong sign, and the new set itself is not paid for.
double authors_promise(const TableView& t, Element i, Element j, Count u) {
  const auto x = t.usages[i], y = t.usages[j], sum = t.usage_sum;
  const auto size = t.size + 1 - (x == u) - (y == u);
  const auto table_growth = -lg(u) + (x > u ? lg(x) - lg(x - u) : lg(x) - t.standard_bits[i]) +
                            (y > u ? lg(y) - lg(y - u) : -(lg(y) - t.standard_bits[j])) +
                            static_cast<double>(size) * lg(sum - u) -
                            static_cast<double>(t.size) * lg(sum);
  return database_gain(sum, x, y, u) - table_growth;
}

std::uint64_t scramble(Element a, Element b) {
  const auto h = (static_cast<std::uint64_t>(a) << 32 | b) * 0x9E3779B97F4A7C15ULL;
  return h ^ (h >> 29);
}

}  // namespace

double lg(Count x) {
  if (x < tabled) return lg_table[static_cast<std::size_t>(x)];
  return std::log2(static_cast<double>(x));
}

double xlg(Count x) { return static_cast<double>(x) * lg(x); }

SlimPairs::SlimPairs(Gain gain, Before before) : gain_(gain), before_(std::move(before)) {
  rehash(1 << 12);
}

void SlimPairs::ask_joint(Count least) {
  if (least == least_joint_) return;
  least_joint_ = least;
  for (std::uint32_t k = 0; k < entries_.size(); ++k) mark(k);
}

std::size_t SlimPairs::find(Element a, Element b) const {
  auto slot = scramble(a, b) & (index_.size() - 1);
  while (index_[slot] != 0) {
    const auto& entry = entries_[index_[slot] - 1];
    if (entry.a == a && entry.b == b) break;
    slot = (slot + 1) & (index_.size() - 1);
  }
  return slot;
}

void SlimPairs::rehash(std::size_t capacity) {
  index_.assign(capacity, 0);
  for (std::size_t k = 0; k < entries_.size(); ++k)
    index_[find(entries_[k].a, entries_[k].b)] = static_cast<std::uint32_t>(k + 1);
}

void SlimPairs::mark(std::uint32_t entry) {
  if (entries_[entry].stale) return;
  entries_[entry].stale = true;
  stale_.push_back(entry);
}

void SlimPairs::touch(Element e) {
  if (e >= is_touched_.size()) {
    is_touched_.resize(e + 1, 0);
    entries_of_.resize(e + 1);
  }
  if (is_touched_[e]) return;
  is_touched_[e] = 1;
  touched_.push_back(e);
}

void SlimPairs::change(Element a, Element b, Count weight) {
  if (a > b) std::swap(a, b);
  auto slot = find(a, b);
  if (index_[slot] == 0) {
    if (2 * (entries_.size() + 1) > index_.size()) {
      rehash(2 * index_.size());
      slot = find(a, b);
    }
    const auto fresh = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({a, b, 0, nowhere, false, false});
    index_[slot] = fresh + 1;
    entries_of_[a].push_back(fresh);
    entries_of_[b].push_back(fresh);
  }
  entries_[index_[slot] - 1].joint += weight;
  mark(index_[slot] - 1);
}

void SlimPairs::apply(const Recovered& row) {
  for (const auto* group : {&row.gone, &row.come}) {
    const auto weight = group == &row.gone ? -row.weight : row.weight;
    for (const auto e : *group) touch(e);
    steps_ += steps_of_a_pair * group->size() * (row.kept.size() + group->size() / 2);
    for (std::size_t k = 0; k < group->size(); ++k) {
      for (const auto e : row.kept) change((*group)[k], e, weight);
      for (std::size_t l = 0; l < k; ++l) change((*group)[k], (*group)[l], weight);
    }
  }
}

void SlimPairs::deactivate(Entry& entry) {
  if (entry.place == nowhere) return;
  active_[entry.place] = active_.back();
  entries_[active_[entry.place].entry].place = entry.place;
  active_.pop_back();
  entry.place = nowhere;
}

// Takes a pair whose counts changed in or out of the active ones.
void SlimPairs::review(std::uint32_t number) {
  auto& entry = entries_[number];
  entry.stale = false;
  if (entry.refused) return;
  const auto u = entry.joint;
  const auto x = table_.usages[entry.a], y = table_.usages[entry.b];
  constexpr double doubt = -1e-6;  // next() decides exactly
  if (u < least_joint_ || u == 0 || database_gain(reviewed_for_, x, y, u) < doubt) {
    deactivate(entry);
    return;
  }
  const auto sa = table_.standard_bits[entry.a], sb = table_.standard_bits[entry.b];
  auto own = xlg(u) + lg(u) + (own_part(x, u, sa) + own_part(y, u, sb));
  if (gain_ == Gain::full) own -= sa + sb;
  if (entry.place == nowhere) {
    entry.place = static_cast<std::uint32_t>(active_.size());
    active_.emplace_back();
  }
  active_[entry.place] = {own, u, static_cast<std::uint32_t>((x == u) + (y == u)), number};
}

void SlimPairs::tabulate_shared() {
  const auto limit = std::min(shared_up_to, table_.usage_sum);
  shared_.resize(static_cast<std::size_t>(3 * limit));
  for (Count u = 0; u < limit; ++u)
    for (Count lost = 0; lost < 3; ++lost)
      shared_[static_cast<std::size_t>(3 * u + lost)] = shared_part(table_, u, lost);
}

void SlimPairs::rank(const TableView& table) {
  table_ = table;
  for (const auto e : touched_) {
    is_touched_[e] = 0;
    for (const auto entry : entries_of_[e]) mark(entry);
  }
  touched_.clear();
  // The usage sum falls as a rule; the margin lets it rise a little before all is reviewed.
  if (table.usage_sum > reviewed_for_)
    for (std::uint32_t k = 0; k < entries_.size(); ++k) mark(k);
  if (table.usage_sum > reviewed_for_ || reviewed_for_ > table.usage_sum + table.usage_sum / 8)
    reviewed_for_ = table.usage_sum + table.usage_sum / 16;
  for (const auto entry : stale_) review(entry);
  ranked_ = active_.size();
  steps_ += steps_of_a_pair * stale_.size() + steps_of_a_look * ranked_;
  stale_.clear();
  if (gain_ != Gain::authors) tabulate_shared();
  batch_.clear();
  batch_size_ = first_batch;
  any_handed_out_ = false;
}

double SlimPairs::promise(const Active& pair) const {
  if (gain_ == Gain::authors) {
    const auto& [a, b, joint, place, stale, refused] = entries_[pair.entry];
    const bool ordered = before_(a, b);
    return authors_promise(table_, ordered ? a : b, ordered ? b : a, joint);
  }
  const auto place = static_cast<std::size_t>(3 * pair.joint + pair.lost);
  if (place < shared_.size()) return pair.own + shared_[place];
  return pair.own + shared_part(table_, pair.joint, pair.lost);
}

bool SlimPairs::better(const Promise& p, const Promise& q) const {
  if (p.gain != q.gain) return p.gain > q.gain;
  if (p.first != q.first) return before_(p.first, q.first);
  return p.second != q.second && before_(p.second, q.second);
}

// The best `batch_size_` pairs after the last one handed out.
void SlimPairs::refill() {
  const auto worst_on_top = [this](const Promise& p, const Promise& q) { return better(p, q); };
  for (const auto& pair : active_) {
    const auto gain = promise(pair);
    if (any_handed_out_ && gain > last_.gain) continue;
    const bool full = batch_.size() == batch_size_;
    if (full && gain < batch_.front().gain) continue;
    const auto& entry = entries_[pair.entry];
    Promise p{gain, entry.a, entry.b, entry.joint, 0};
    if (before_(p.second, p.first)) std::swap(p.first, p.second);
    if (any_handed_out_ && !better(last_, p)) continue;
    if (full) {
      if (!better(p, batch_.front())) continue;
      std::pop_heap(batch_.begin(), batch_.end(), worst_on_top);
      batch_.back() = p;
    } else {
      batch_.push_back(p);
    }
    std::push_heap(batch_.begin(), batch_.end(), worst_on_top);
  }
  std::sort(batch_.begin(), batch_.end(),
            [this](const Promise& p, const Promise& q) { return better(q, p); });
  batch_size_ *= 4;
}

bool SlimPairs::next(Promise& found) {
  for (std::uint64_t steps = 0;;) {
    if (batch_.empty()) {
      if (any_handed_out_) steps += steps_of_a_look * ranked_;  // rank() counted the first time
      refill();
    }
    if (batch_.empty()) return false;
    found = last_ = batch_.back();
    any_handed_out_ = true;
    batch_.pop_back();
    found.steps = steps;
    const auto x = table_.usages[found.first], y = table_.usages[found.second];
    if (database_gain(table_.usage_sum, x, y, found.joint) > 0.0) return true;
  }
}

void SlimPairs::refuse(const Promise& pair) {
  const auto [a, b] = std::minmax(pair.first, pair.second);
  auto& entry = entries_[index_[find(a, b)] - 1];
  entry.refused = true;
  deactivate(entry);
}

}  // namespace halfmask
