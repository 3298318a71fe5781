"""Fit the gate to real edits, train the next-edit model, and keep checkpoints as differences."""
