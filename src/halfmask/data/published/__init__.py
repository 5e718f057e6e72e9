"""What methods other than drawing publish, each of it countable."""
