// A team of threads that does one job after another together; the caller is its first member.
//
// Made for jobs of a fraction of a millisecond: members stay between jobs and wait on one number,
// awake for some microseconds first, because to sleep and be woken costs as much as a short job.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace halfmask {

class Team {
 public:
  // Called with the number of the member, from 0.
  using Job = std::function<void(std::size_t)>;

  explicit Team(std::size_t members) : failures_(members) {
    try {
      for (std::size_t m = 1; m < members; ++m) threads_.emplace_back([this, m] { serve(m); });
    } catch (const std::system_error&) {
      failures_.resize(threads_.size() + 1);  // the system grants no more: those there are will do
    }
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    job_ = nullptr;
    begin();
    for (auto& thread : threads_) thread.join();
  }

  [[nodiscard]] std::size_t size() const { return failures_.size(); }

  // Returns when every member is done; what a member threw is thrown here.
  void run(const Job& job) {
    job_ = &job;
    busy_.store(static_cast<int>(threads_.size()));
    begin();
    attempt(0);
    for (auto left = busy_.load(); left != 0; left = busy_.load()) await_change(busy_, left);
    for (auto& failure : failures_)
      if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }

 private:
  // `int` is what a thread can wait for without a detour through the library's own table.
  using Number = std::atomic<int>;

  static void await_change(const Number& number, int from) {
    constexpr int glances = 1000;
    for (int glance = 0; glance < glances; ++glance) {
      if (number.load() != from) return;
      pause();
    }
    number.wait(from);
  }
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  void begin() {
    round_.fetch_add(1);
    round_.notify_all();
  }
  void attempt(std::size_t member) noexcept {
    try {
      (*job_)(member);
    } catch (...) {
      failures_[member] = std::current_exception();
    }
  }
  void serve(std::size_t member) {
    for (int round = 0;;) {
      await_change(round_, round);
      round = round_.load();
      if (job_ == nullptr) return;
      attempt(member);
      if (busy_.fetch_sub(1) == 1) busy_.notify_all();
    }
  }

  const Job* job_ = nullptr;
  Number round_{0};  // wraps around; it is only compared with the last one seen
  Number busy_{0};
  std::vector<std::exception_ptr> failures_;
  std::vector<std::thread> threads_;
};

}  // namespace halfmask
