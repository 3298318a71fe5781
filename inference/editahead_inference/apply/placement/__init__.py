"""Where the lines of a sketch belong in a file."""
