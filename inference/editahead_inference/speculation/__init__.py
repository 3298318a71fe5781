"""Speculative decoding: draft tokens from known texts instead of a second model."""
