"""One page a steward can sign."""
