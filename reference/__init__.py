"""The papers in plain Python: read these first; the tests hold the kernels against them."""
