#include "mining/miner.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "common/helpers.hpp"
#include "mining/miner_closed.hpp"
#include "mining/miner_record.hpp"
#include "mining/miner_rows.hpp"
#include "mining/miner_walk.hpp"

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

void work(const Database& database, const MiningOptions& options, Recorder& recorder,
          Shared& shared, Watch* watch) {
  Pulse pulse(shared, watch);
  recorder.pulse = [&] { pulse.check(); };
  const ForbiddenPairs forbidden(options.forbidden);
  const auto each_task = [&](auto&& job) {
    for (auto task = shared.next++; task < shared.tasks; task = shared.next++) {
      recorder.begin(static_cast<std::uint32_t>(task));
      job(task);
    }
  };
  if (options.kind == Kind::closed) {
    ClosedWalk walk(database, options, forbidden, recorder, std::ref(pulse));
    each_task([&](std::size_t task) { task == 0 ? walk.empty_set() : walk.root(task - 1); });
  } else {
    AllWalk walk(database, options, forbidden, recorder, std::ref(pulse));
    each_task([&](std::size_t task) { walk.root(task); });
  }
  recorder.finish();
}

// Runs the first worker here, where the watch may be asked, and the others beside it.
template <typename Worker>
void run(const Database& database, const MiningOptions& options,
         const std::vector<std::unique_ptr<Worker>>& recorders, Watch& watch) {
  Shared shared;
  shared.tasks = database.rows.width() + (options.kind == Kind::closed ? 1 : 0);
  shared.running = recorders.size();
  const auto guarded = [&](auto&& job) {
    try {
      job();
    } catch (const Stopped&) {
    } catch (...) {
      shared.fail(std::current_exception());
    }
  };
  const auto worker = [&](Recorder& recorder, Watch* asked) {
    guarded([&] { work(database, options, recorder, shared, asked); });
    --shared.running;
  };
  {
    Helpers others;
    for (std::size_t t = 1; t < recorders.size(); ++t)
      others.start([&, t] { worker(*recorders[t], nullptr); });
    worker(*recorders[0], &watch);
    while (shared.running > 0 && !shared.stop) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      guarded([&] { Pulse(shared, &watch).check(); });
    }
  }
  if (shared.failure) std::rethrow_exception(shared.failure);
}

[[nodiscard]] Count fitting_support(const Database& database, const MiningOptions& options,
                                    const Budget& budget, Watch& watch) {
  std::vector<std::unique_ptr<Tally>> tally;
  tally.push_back(std::make_unique<Tally>(options.min_support, budget, database.size));
  run(database, options, tally, watch);
  return tally.front()->fitting();
}

}  // namespace

Candidates mine(const Rows& rows, const MiningOptions& options, Watch& watch) {
  const Database database(rows, options.min_support, options.kind == Kind::closed);
  Budget budget(options.max_itemsets, options.max_bytes);
  try {
    std::vector<std::unique_ptr<Found>> parts;
    for (unsigned t = 0; t < std::max(options.threads, 1u); ++t)
      parts.push_back(std::make_unique<Found>(options.min_support, budget));
    run(database, options, parts, watch);
    return watch.stopped() ? Candidates{} : in_candidate_order(parts);
  } catch (const Budget::Spent&) {
    // The records are gone by now; counting what would fit needs no memory to speak of.
  }
  const auto fitting = fitting_support(database, options, budget, watch);
  if (watch.stopped()) return {};
  throw TooManyItemsets(budget.sets(), fitting);
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
