"""The alignment of a sketch with its file: the k best ways in which the lines of one stand for the lines of the other."""
