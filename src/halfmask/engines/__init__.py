"""Engines: tables whose rows stay where they are, and come to the one path as counts."""
