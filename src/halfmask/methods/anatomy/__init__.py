"""Multi-dimension anatomy of baskets."""
