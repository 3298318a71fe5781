"""The model fallback: what to ask where the merge is not sure, and the check of the answer."""
