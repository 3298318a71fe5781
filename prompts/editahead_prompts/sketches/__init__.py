"""Sketches of changes, as people paste them and models write them: what they are, and what they say, as values."""
