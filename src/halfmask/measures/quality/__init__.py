"""What a release kept of its original."""
