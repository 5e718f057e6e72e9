"""Which release to publish: the trade-off between quality and privacy, and the verdict."""
