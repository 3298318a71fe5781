"""What Editahead learns from real edits: the gate's weights, and the vocabulary of our own prompt format."""
