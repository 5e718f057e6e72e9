"""Ways to turn an original into a release."""
