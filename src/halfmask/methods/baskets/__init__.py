"""Synthetic baskets: a length is drawn, then filled with patterns."""
