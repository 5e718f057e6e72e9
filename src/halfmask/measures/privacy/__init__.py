"""What a release gave away."""
