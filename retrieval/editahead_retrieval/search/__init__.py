"""Search by words, by pieces of text and by meaning, joined into one order of chunks."""
