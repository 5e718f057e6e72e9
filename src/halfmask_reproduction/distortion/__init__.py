"""The article on improved distortion, and MASK: their tables."""
