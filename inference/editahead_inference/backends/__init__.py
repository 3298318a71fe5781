"""Backends turn a prompt into text: an HTTP server, the supervised engine, a model in this process."""
