"""Replays of real commits through the server."""
