"""Columns become codes: kinds, bins, rare values, and back again."""
