"""Readers of prompts: from a prompt that others send back to the state, and from an edit to the answer in its format."""
