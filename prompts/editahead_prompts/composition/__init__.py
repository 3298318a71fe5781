"""Prompts put together from parts that compete for a token budget."""
