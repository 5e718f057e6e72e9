"""From itemsets to the code table that describes the original best."""
