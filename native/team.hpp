// A team of threads that does one job after another together; the caller is its first member.
//
// Made for jobs of a fraction of a millisecond: members stay between jobs and wait on one number.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace halfmask {

class Team {
 public:
  // Called with the number of the member, from 0.
  using Job = std::function<void(std::size_t)>;

  explicit Team(std::size_t members) : failures_(members) {
    for (std::size_t m = 1; m < members; ++m) threads_.emplace_back([this, m] { serve(m); });
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
    busy_.store(threads_.size());
    begin();
    attempt(0);
    for (auto left = busy_.load(); left != 0; left = busy_.load()) busy_.wait(left);
    for (auto& failure : failures_)
      if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }

 private:
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
    for (std::uint64_t round = 0;;) {
      round_.wait(round);
      round = round_.load();
      if (job_ == nullptr) return;
      attempt(member);
      if (busy_.fetch_sub(1) == 1) busy_.notify_all();
    }
  }

  const Job* job_ = nullptr;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<std::size_t> busy_{0};
  std::vector<std::exception_ptr> failures_;
  std::vector<std::thread> threads_;
};

}  // namespace halfmask
