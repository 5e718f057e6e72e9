// Counting: the supports of given itemsets in a database.
#pragma once

#include <vector>

#include "common/rows.hpp"

namespace halfmask {

// Weighted number of rows that contain each itemset; the empty itemset is in every row.
// Cost: one bitmap per item that occurs in a question, then one AND per item of an itemset.
[[nodiscard]] std::vector<Count> supports(const Rows& rows, const Itemsets& itemsets);

}  // namespace halfmask
