"""The placement of a sketch: the lines of a file where the lines of the sketch belong."""
