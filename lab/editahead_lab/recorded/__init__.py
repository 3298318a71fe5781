"""Recorded answers of models, served by a small OpenAI-compatible server."""
