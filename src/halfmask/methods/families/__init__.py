"""Parent and child tables, learnt and drawn so that their keys join."""
