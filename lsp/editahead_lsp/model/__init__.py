"""Requests to the model: one in flight per document, and a response cache; the model of sketches."""
