"""The deterministic merge of a sketch into a file, and its verification."""
