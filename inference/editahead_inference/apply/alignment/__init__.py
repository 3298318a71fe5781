"""The alignment of a sketch with its file: which of its lines are lines of the file, new versions of these, or new."""
