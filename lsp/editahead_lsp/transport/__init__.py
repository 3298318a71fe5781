"""Bytes to JSON-RPC messages and back, over stdio and TCP."""
