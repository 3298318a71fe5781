"""Replays real edits through the real server, as an editor would, and measures what it predicts."""
