"""Hiding: lower the support of given patterns with few changes, and prove it by recounting."""
