"""Editing tasks: a person's first edits, and Tab until nothing more follows."""
