"""Spark: tables that lie on many machines, published where they are."""
