"""Distortion of baskets: known noise, counted through."""
