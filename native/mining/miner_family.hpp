// Family: the bitmaps of some items over some rows, owned; how they are built and narrowed.
//
// Map k is words[k * width] and belongs to rank names[k]. Weighted rows take whichever of two forms
// is narrower: grouped by powers of two (see bitmap.hpp), or each row repeated weight times. The
// second has no shifts, and few rows of small weight are best that way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/bitmap.hpp"
#include "mining/miner_rows.hpp"

namespace halfmask {

struct Family {
  std::vector<Word> words;
  std::vector<std::uint8_t> shifts;  // empty: every bit counts once
  std::vector<Rank> names;
  std::size_t width = 0;

  [[nodiscard]] Maps maps() const {
    return {words.data(), shifts.empty() ? nullptr : shifts.data(), width};
  }

  // One bitmap for each item of the rows.
  void build(const Conditional& rows);

  // The bitmaps `kept` of another family, restricted to the rows of `among`: map k is kept[k].
  // `support` is the weight of those rows.
  void narrow(const Family& from, const Word* among, std::uint32_t support,
              std::span<const Local> kept);

 private:
  // How narrow() gets from the old rows to the new ones.
  void plan(const Family& from, const Word* among, bool repeat);

  std::vector<RowMove> moves_;
};

}  // namespace halfmask
