// Threads that help the caller with one job, joined wherever the scope that holds them ends.
// (std::jthread does the same; the standard library of macOS does not have it yet.)
#pragma once

#include <thread>
#include <utility>
#include <vector>

namespace halfmask {

class Helpers {
 public:
  Helpers() = default;
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
  ~Helpers() {
    for (auto& thread : threads_) thread.join();
  }

  template <typename Job>
  void start(Job&& job) {
    threads_.emplace_back(std::forward<Job>(job));
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace halfmask
