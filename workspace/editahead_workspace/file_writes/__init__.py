"""Writes of several files, all or none: staged beside their places, journaled, and settled after a crash."""
