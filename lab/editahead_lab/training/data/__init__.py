"""Real edits as packed training examples."""
