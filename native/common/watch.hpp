// A Watch is how long work stays polite: it reports progress, and it can be told to stop.
//
// A kernel calls tick() as often as it likes; the watch looks at the clock and calls its owner at
// most every `interval`. The owner answers go on or stop; it may also throw (Ctrl-C), and then the
// kernel unwinds with nothing half done. Call tick() from the thread that entered the kernel only.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace halfmask {

class Watch {
 public:
  // Called with (done, total); returns false to ask the kernel to stop with what it has.
  using Owner = std::function<bool(std::int64_t, std::int64_t)>;

  Watch() = default;
  explicit Watch(Owner owner) : owner_(std::move(owner)) {}

  // True: go on. False: stop soon and return the best result so far.
  [[nodiscard]] bool tick(std::int64_t done, std::int64_t total) {
    if (stopped_) return false;
    if (!owner_) return true;
    const auto now = Clock::now();
    if (now - last_ < interval) return true;
    last_ = now;
    stopped_ = !owner_(done, total);
    return !stopped_;
  }

  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto interval = std::chrono::milliseconds(100);

  Owner owner_;
  Clock::time_point last_ = Clock::now();
  bool stopped_ = false;
};

}  // namespace halfmask
