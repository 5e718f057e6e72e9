"""The KRIMP generator: patterns of a table, and new rows drawn from them."""
