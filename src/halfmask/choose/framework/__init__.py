"""The framework: which method for this database and this asset."""
