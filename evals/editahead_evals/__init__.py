"""Replay real edits through the real server, as an editor does, and measure the predictions."""
