"""Judging: what readings come to, and what other settings would give."""
