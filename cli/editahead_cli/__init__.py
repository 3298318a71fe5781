"""The command line: the composition root, and the only package that may import every other."""
