"""Propagation: learn the rewrite behind the last edits and repeat it where it applies. No model; milliseconds."""
