#include "miner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "miner_closed.hpp"
#include "miner_found.hpp"
#include "miner_rows.hpp"
#include "miner_walk.hpp"

namespace halfmask {

namespace {

struct Stopped {};

// What the workers of one mining share: the next task, and whether to go on.
struct Shared {
  std::size_t tasks = 0;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> running{0};
  std::atomic<bool> stop{false};
  std::mutex failing;
  std::exception_ptr failure;

  void fail(std::exception_ptr reason) {
    const std::lock_guard lock(failing);
    if (!failure) failure = std::move(reason);
    stop = true;
  }
};

// Called at every node: the first worker asks the watch, the others see its answer.
class Pulse {
 public:
  Pulse(Shared& shared, Watch* watch) : shared_(shared), watch_(watch) {}

  void operator()() {
    if (++calls_ % 256 == 0) check();
  }
  void check() {
    if (watch_ != nullptr && !watch_->tick(static_cast<std::int64_t>(shared_.next),
                                           static_cast<std::int64_t>(shared_.tasks)))
      shared_.stop = true;
    if (shared_.stop) throw Stopped{};
  }

 private:
  Shared& shared_;
  Watch* watch_;
  unsigned calls_ = 0;
};

// The database as all workers see it.
struct Database {
  Conditional rows;
  Occurrences occurrences;
  Family family;
  std::uint32_t all_rows = 0;
};

[[nodiscard]] Database prepare(const Rows& rows, const MiningOptions& options) {
  Count all = 0;
  for (const auto w : rows.weights) all += w;
  if (all > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("the rows weigh more than 32 bits can count");
  Database database;
  // A row of one item supports no pair, but it can keep the item from having a larger closure.
  database.rows = frequent_part(rows, options.min_support, options.kind == Kind::closed ? 1 : 2);
  database.all_rows = static_cast<std::uint32_t>(all);
  if (options.kind == Kind::closed)
    database.family.build(database.rows);
  else
    database.occurrences.list(database.rows);
  return database;
}

template <typename Sink>
void work(const Database& database, const MiningOptions& options, Sink& sink, Shared& shared,
          Watch* watch) {
  Pulse pulse(shared, watch);
  const Forbidden forbidden(options.forbidden);
  const auto each_task = [&](auto&& root) {
    for (auto task = shared.next++; task < shared.tasks; task = shared.next++) {
      sink.begin(static_cast<std::uint32_t>(task));
      root(task);
    }
  };
  if (options.kind == Kind::closed) {
    if constexpr (requires { sink.add(std::span<const Rank>{}, 1u); }) {
      ClosedWalk walk(options, forbidden, sink, pulse);
      if (watch != nullptr) walk.empty_set(database.rows, database.all_rows);
      each_task([&](std::size_t task) {
        walk.root(database.rows, database.family, task, database.all_rows);
      });
    }
  } else {
    if constexpr (requires { sink.add(Rank{}, 1u, 1u); }) {
      Walk walk(options, forbidden, sink, pulse);
      each_task([&](std::size_t task) { walk.root(database.rows, database.occurrences, task); });
    }
  }
  if constexpr (requires { sink.settle(); }) sink.settle();
}

// Runs the first worker here, where the watch may be asked, and the others beside it.
template <typename Sink>
void run(const Database& database, const MiningOptions& options, std::vector<Sink>& sinks,
         Watch& watch) {
  Shared shared;
  shared.tasks = database.rows.width();
  const auto guarded = [&](Sink& sink, Watch* asked) {
    try {
      work(database, options, sink, shared, asked);
    } catch (const Stopped&) {
    } catch (...) {
      shared.fail(std::current_exception());
    }
    --shared.running;
    shared.running.notify_all();
  };
  {
    shared.running = sinks.size();
    std::vector<std::jthread> others;
    for (std::size_t s = 1; s < sinks.size(); ++s)
      others.emplace_back([&, s] { guarded(sinks[s], nullptr); });
    guarded(sinks[0], &watch);
    while (shared.running > 0 && !shared.stop) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      try {
        Pulse(shared, &watch).check();
      } catch (const Stopped&) {
      } catch (...) {
        shared.fail(std::current_exception());
      }
    }
  }
  if (shared.failure) std::rethrow_exception(shared.failure);
}

template <typename Sink>
[[nodiscard]] Candidates collect(const Database& database, const MiningOptions& options,
                                 Budget& budget, Watch& watch) {
  std::vector<Sink> sinks;
  for (unsigned t = 0; t < std::max(options.threads, 1u); ++t) sinks.emplace_back(budget);
  run(database, options, sinks, watch);
  if (watch.stopped()) return {};
  return in_candidate_order(std::move(sinks));
}

[[nodiscard]] Count fitting_support(const Database& database, const MiningOptions& options,
                                    const Budget& budget, Watch& watch) {
  std::vector<Tally> tally;
  tally.emplace_back(budget, options.min_support, database.all_rows);
  run(database, options, tally, watch);
  return tally.front().min_support(0);
}

}  // namespace

Candidates mine(const Rows& rows, const MiningOptions& options, Watch& watch) {
  const auto database = prepare(rows, options);
  Budget budget(options.max_itemsets, options.max_bytes);
  try {
    if (options.kind == Kind::closed) return collect<FoundClosed>(database, options, budget, watch);
    return collect<Found>(database, options, budget, watch);
  } catch (const BudgetSpent&) {
  }
  const auto fitting = fitting_support(database, options, budget, watch);
  if (watch.stopped()) return {};
  throw TooManyItemsets(budget.spent(), fitting);
}

std::vector<Item> named(const Candidates& candidates, std::span<const Item> item_of_rank) {
  std::vector<Item> items(candidates.items.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const auto start = static_cast<std::ptrdiff_t>(candidates.offsets[c]);
    const auto ranks = candidates[c];
    std::ranges::transform(ranks, items.begin() + start, [&](Rank r) { return item_of_rank[r]; });
    std::sort(items.begin() + start, items.begin() + start + std::ssize(ranks));
  }
  return items;
}

}  // namespace halfmask
