"""Synthetic baskets with a formal guarantee: differential privacy for a person's baskets."""
