"""Requests to the model: one in flight per document, a response cache, prefill."""
