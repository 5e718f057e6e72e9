// Work in numbered chunks, shared among threads; the calling thread works too and keeps the watch.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "common/watch.hpp"

namespace halfmask {

// Asked often by a worker; false means: leave what you are doing, nobody wants it any more.
using KeepGoing = std::function<bool()>;

// Gives each thread its own worker, made by `make_worker(keep_going)`, and hands it chunk after
// chunk as `worker(chunk)`. Chunks are taken in order, so when the watch says stop, the chunks
// 0 .. returned - 1 are done and no other was begun. An exception of any worker ends the others.
template <typename MakeWorker>
[[nodiscard]] std::size_t in_chunks(std::size_t chunks, std::size_t threads, Watch& watch,
                                    MakeWorker make_worker) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false}, failed{false};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto total = static_cast<std::int64_t>(chunks);

  auto run = [&](bool keeps_watch) {
    try {
      auto tick = [&] {
        if (keeps_watch && !watch.tick(static_cast<std::int64_t>(next.load()), total)) stop = true;
        return !stop.load(std::memory_order_relaxed);
      };
      auto worker = make_worker(KeepGoing([&failed, &watch, &tick, keeps_watch] {
        if (keeps_watch) (void)tick();  // lets Ctrl-C through; a polite stop waits for the chunk
        return !failed.load(std::memory_order_relaxed);
      }));
      while (tick()) {
        const auto chunk = next.fetch_add(1);
        if (chunk >= chunks) return;
        worker(chunk);
      }
    } catch (...) {
      const std::lock_guard guard(failure_lock);
      if (!failure) failure = std::current_exception();
      failed = true;
      stop = true;
    }
  };

  std::vector<std::thread> helpers;
  try {
    for (std::size_t t = 1; t < std::min(threads, chunks); ++t) helpers.emplace_back(run, false);
  } catch (const std::system_error&) {
    // The system grants no more threads: those there are, at least this one, do the work.
  }
  run(true);
  for (auto& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
  return std::min(next.load(), chunks);
}

}  // namespace halfmask
