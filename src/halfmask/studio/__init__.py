"""The steward's page: a table becomes a release in five steps, on this machine only."""
