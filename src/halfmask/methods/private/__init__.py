"""Releases with a formal guarantee: differential privacy for one row of a coded table."""
