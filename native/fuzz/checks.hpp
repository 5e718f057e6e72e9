// The checks of the fuzz driver: each runs kernels on one database and throws a sentence when what
// they say is not what the definition says.
#pragma once

#include <vector>

#include "fuzz/database.hpp"
#include "mining/candidates.hpp"

namespace halfmask::fuzz {

// Distinct rows, supports, all and closed itemsets; the candidates for the searches come back.
[[nodiscard]] Candidates check_itemsets(const Database& database, Dice& dice);

// Krimp with every kind of pruning, Slim with every gain, and the encoding with their tables; the
// sets of one table, in cover order, come back.
[[nodiscard]] std::vector<Itemset> check_tables(const Database& database,
                                                const Candidates& candidates, Dice& dice);

// Sampled rows and their probabilities; a table only, baskets have another sampler.
void check_draws(const Database& database, const std::vector<Itemset>& sets, Dice& dice);

}  // namespace halfmask::fuzz
