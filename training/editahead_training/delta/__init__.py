"""Checkpoints as differences."""
