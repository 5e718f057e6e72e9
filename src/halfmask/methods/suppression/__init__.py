"""The models that the basket methods are compared with."""
