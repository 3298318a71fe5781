"""Sketches of changes, as people paste them and models write them, parsed into values."""
