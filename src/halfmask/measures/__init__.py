"""What a release kept and what it gave away, each number with its meaning."""
