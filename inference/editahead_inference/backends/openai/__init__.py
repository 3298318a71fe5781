"""OpenAI-compatible servers over HTTP."""
