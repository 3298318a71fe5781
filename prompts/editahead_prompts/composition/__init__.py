"""Prompts composed of parts that compete for a token budget."""
