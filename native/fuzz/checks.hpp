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

// Joint counts, other item numbers, nearest rows, distorted rows.
void check_counts(const Database& database, Dice& dice);

// Column values, buckets, the tables of them, what is expected of those, and rows joined again.
void check_anatomy(const Database& database, const std::vector<Itemset>& sets, Dice& dice);

// Medoids of random distances.
void check_medoids(Dice& dice);

// Baskets of patterns, with links and without, and those of Quest.
void check_baskets(const Database& database, const std::vector<Itemset>& sets, Dice& dice);

// Weights of rows that meet margins of tables; of sets; the order of rows.
void check_raking(const Database& database, const std::vector<Itemset>& sets, Dice& dice);

// Rows exchanged while tables come nearer to what the weights say.
void check_balance(Dice& dice);

// Groups that are few in every solution of some sums.
void check_settle(Dice& dice);

// Trees of questions, and the shares of classes fitted to what is told of their leaves.
void check_target_trees(Dice& dice);

// Sampled rows and their probabilities; a table only, baskets have another sampler.
void check_draws(const Database& database, const std::vector<Itemset>& sets, Dice& dice);

}  // namespace halfmask::fuzz
