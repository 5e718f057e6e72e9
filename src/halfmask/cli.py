"""The command line, a thin skin."""
